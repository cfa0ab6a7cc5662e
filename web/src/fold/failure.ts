/** How turns end, and what an agent says while it tries again. */
import type { TurnCompleted } from "../gen/events";
import type { Chunk, Outcome, Row } from "./view";

export function outcomeOf(end: TurnCompleted): Outcome {
  const { turn, stopReason } = end;
  if (stopReason === "interrupted") return { turn, how: "stopped" };
  if (stopReason === "max_turns" || stopReason === "budget" || stopReason === "timeout")
    return { turn, how: "unfinished" };
  return { turn, how: end.isError || stopReason === "error" ? "failed" : "answered" };
}

/** From the last row to the first. */
export function* backwards(chunks: readonly Chunk[]): Generator<Row> {
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
