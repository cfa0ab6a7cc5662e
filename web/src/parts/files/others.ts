/** What other sessions changed in the same folder, by what their logs tell. */
import { call, Problem } from "../../link/api";
import type { FileDiff } from "../../link/records";
import type { SessionRow, SessionView } from "../../link/types";
import { type OwnChanges, ownChanges } from "./own";

export interface Other {
  readonly row: SessionRow;
  readonly changed: OwnChanges;
}

/** Those that were used last are asked; of the rest nothing is known. */
const MOST = 8;

/** By the number of events that it is true for. */
const known = new Map<string, { readonly count: number; readonly facts: SessionView["facts"] }>();

export function candidates(rows: readonly SessionRow[], me: string, project: string): SessionRow[] {
  return rows
    .filter((row) => row.id !== me && row.projectId === project && row.turnCount > 0)
    .toSorted((a, b) => Date.parse(b.lastActivityAt) - Date.parse(a.lastActivityAt))
    .slice(0, MOST);
}

/** One after the other, so that nobody else waits for it. */
export async function askOthers(
  rows: readonly SessionRow[],
  folder: string,
  signal: AbortSignal,
): Promise<readonly Other[]> {
  const found: Other[] = [];
  for (const row of rows) {
    const facts = await factsOf(row, signal);
    if (facts) found.push({ row, changed: ownChanges(facts.changed, folder, row.cwd ?? folder) });
  }
  return found;
}

async function factsOf(row: SessionRow, signal: AbortSignal): Promise<SessionView["facts"] | undefined> {
  const before = known.get(row.id);
  if (before?.count === row.eventCount) return before.facts;
  try {
    const { facts } = await call("GET", "/sessions/{id}", { id: row.id }, signal);
    known.set(row.id, { count: row.eventCount, facts });
    return facts;
  } catch (error) {
    // It may have been deleted since.
    if (error instanceof Problem && !signal.aborted) return undefined;
    throw error;
  }
}

/** The sessions whose tools changed a file too. */
export const alsoBy = (others: readonly Other[], file: Pick<FileDiff, "path">): SessionRow[] =>
  others.filter((one) => one.changed.owns(file)).map((one) => one.row);
