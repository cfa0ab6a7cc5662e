/** What the agent lacks of the past, in words, and whether a person has to say what is done about it. */
import type { MemoryLost, Remedy } from "../gen/events";
import { backwards } from "./failure";
import type { Chunk, Row } from "./view";
import { neverHad } from "./words";

const losses: Record<MemoryLost["reason"], string> = {
  gone: "The agent’s own record of this session is gone, so it knows nothing of what was said and done here.",
  behind: "The agent’s own record of this session ends before the last turns, so it does not know them.",
  torn: "This session was also run outside Baton, and the agent’s own record leaves out what was said here.",
};

const done: Record<Remedy, string> = {
  log: "It is given the history with the next message.",
  none: "It goes on without.",
  refuse: "It gets no message until somebody has chosen what it goes on with.",
};

export const lossWord = ({ reason }: MemoryLost): string =>
  losses[reason] ?? "The agent lacks a part of the past.";

export const memoryWord = (lost: MemoryLost): string => `${lossWord(lost)} ${done[lost.remedy]}`;

const lostIn = (row: Row): MemoryLost | undefined =>
  row.kind === "notice" && row.event.type === "session.updated"
    ? (row.event.payload.memoryLost ?? undefined)
    : undefined;

/** What waits for a choice: nothing was given to the agent since it was told. */
export function memoryAsked(chunks: readonly Chunk[]): MemoryLost | undefined {
  for (const row of backwards(chunks)) {
    const lost = lostIn(row);
    if (lost) return lost.remedy === "refuse" ? lost : undefined;
    // How a turn ended that was refused on its way tells nothing of a choice.
    const idle = row.kind === "notice" || row.kind === "error" || row.kind === "turn";
    if (!idle && !(row.kind === "user" && neverHad(row))) return undefined;
  }
  return undefined;
}
