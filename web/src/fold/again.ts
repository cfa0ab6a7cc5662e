/** What a failed turn leaves: what was asked in it, and where that is told. */
import { backwards, outcomeOf } from "./failure";
import type { Chunk, UserRow } from "./view";

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
