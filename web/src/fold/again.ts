/** What can be sent once more: where that is offered, in which words, and until when. */
import { backwards, outcomeOf } from "./failure";
import { type UserRow, underWay, type View } from "./view";
import { neverHad } from "./words";

export interface Again {
  readonly words: "Try again" | "Send again";
  /** In the order they were sent. */
  readonly messages: readonly UserRow[];
}

/** As far as it says that two messages ask the same. */
interface Sent {
  readonly text: string;
  readonly attachments: readonly { readonly name: string }[];
}

/**
 * What is offered at a row: at a message that the agent never had, to send it
 * again; at the error or the end of a failed turn, to try again what the agent
 * had. `waiting` is what this device has sent and the log has not yet.
 */
export function againAt(view: View, waiting: readonly Sent[], at: string): Again | undefined {
  if (at.startsWith("u:")) return unheard(view, waiting, at);
  const over = view.header.state === "idle" || view.header.state === "ended";
  const failure = over && waiting.length === 0 ? lastFailure(view) : undefined;
  return failure?.at === at ? failure : undefined;
}

/** Offered until the same was said once more, from wherever that was. */
function unheard(view: View, waiting: readonly Sent[], at: string): Again | undefined {
  const later: Sent[] = [...waiting, ...view.header.queue, ...underWay(view)];
  for (const row of backwards(view.chunks)) {
    if (row.kind !== "user") continue;
    if (row.key !== at) {
      later.push(row);
      continue;
    }
    const again = !neverHad(row) || later.some((one) => isSame(one, row));
    return again ? undefined : { words: "Send again", messages: [row] };
  }
  return undefined;
}

const isSame = (one: Sent, other: Sent): boolean =>
  one.text === other.text &&
  one.attachments.length === other.attachments.length &&
  one.attachments.every(({ name }, at) => name === other.attachments[at]?.name);

/** The last turn, if it did not do what it was asked to, and nothing was asked since. */
function lastFailure(view: View): (Again & { readonly at: string }) | undefined {
  let turn: number | undefined;
  let at = "";
  const messages: UserRow[] = [];
  for (const row of backwards(view.chunks)) {
    if (turn === undefined) {
      // Something was asked since.
      if (row.kind === "user" && !row.outcome) return undefined;
      if (row.kind !== "turn") continue;
      const { how } = outcomeOf(row.completed);
      if (how !== "failed" && how !== "unfinished") return undefined;
      turn = row.completed.turn;
      at = row.key;
      continue;
    }
    if (row.kind === "turn") break;
    if (row.kind === "user" && row.outcome?.turn === turn && row.delivered) messages.unshift(row);
    // The error says that it helps.
    if (row.kind === "error" && at.startsWith("n:") && row.error.retryable) at = row.key;
  }
  return messages.length === 0 ? undefined : { words: "Try again", messages, at };
}
