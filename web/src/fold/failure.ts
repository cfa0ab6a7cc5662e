/** What a failed turn leaves: what was asked in it, and where that is told. */
import type { TurnCompleted } from "../gen/events";
import type { Chunk, Outcome, Row, UserRow } from "./view";

export function outcomeOf(end: TurnCompleted): Outcome {
  const { turn, stopReason } = end;
  if (stopReason === "interrupted") return { turn, how: "stopped" };
  if (stopReason === "max_turns" || stopReason === "budget" || stopReason === "timeout")
    return { turn, how: "unfinished" };
  return { turn, how: end.isError || stopReason === "error" ? "failed" : "answered" };
}

export interface Failure {
  readonly turn: number;
  /** In the order they were sent. */
  readonly messages: readonly UserRow[];
  /** The key of the row that offers to try again: the error that says it helps, else the end of the turn. */
  readonly at: string;
}

/** The last turn, if it did not do what it was asked to, and nothing was asked since. */
export function lastFailure(chunks: readonly Chunk[]): Failure | undefined {
  let turn: number | undefined;
  let at = "";
  const messages: UserRow[] = [];
  for (const row of backwards(chunks)) {
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
    if (row.kind === "user" && row.outcome?.turn === turn) messages.unshift(row);
    if (row.kind === "error" && at.startsWith("n:") && row.error.retryable) at = row.key;
  }
  return turn === undefined || messages.length === 0 ? undefined : { turn, messages, at };
}

function* backwards(chunks: readonly Chunk[]): Generator<Row> {
  for (const { rows } of chunks.toReversed()) yield* rows.toReversed();
}

export interface Retry {
  readonly attempt: number;
  readonly most?: number;
  readonly reason: string;
  /** When the next try is due, in milliseconds since 1970. */
  readonly due: number;
}

/** What the agent waits with, if its last word was that a try failed. */
export function retryOf(chunks: readonly Chunk[]): Retry | undefined {
  for (const row of backwards(chunks)) {
    // What was sent meanwhile waits, and says nothing of the agent.
    if (row.kind === "user") continue;
    if (row.kind !== "notice" || row.event.type !== "agent.retry") return undefined;
    const { attempt, delayMs, reason, maxAttempts } = row.event.payload;
    return { attempt, most: maxAttempts ?? undefined, reason, due: Date.parse(row.ts) + delayMs };
  }
  return undefined;
}
