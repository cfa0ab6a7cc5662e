/** Which copies were made of a session, and between which of its rows. */

export interface Fork {
  readonly sessionId: string;
  readonly title?: string | null;
  readonly madeAt: string;
}

interface Row {
  readonly id: string;
  readonly forkedFrom?: string | null;
  readonly title?: string | null;
  readonly startedAt: string;
}

/** Those that were told when the session was opened, and those that came since; the oldest first. */
export function allForks(told: readonly Fork[], rows: readonly Row[], of: string): readonly Fork[] {
  const known = new Set(told.map((one) => one.sessionId));
  const fresh = rows
    .filter((row) => row.forkedFrom === of && !known.has(row.id))
    .map((row) => ({ sessionId: row.id, title: row.title ?? null, madeAt: row.startedAt }));
  const all = [...told, ...fresh];
  return all.length > 1 ? all.sort((a, b) => a.madeAt.localeCompare(b.madeAt)) : all;
}

/**
 * Those made after one row and not after the next; without a next one, all that came later.
 * Before the first row that is here nobody knows.
 */
export const forksBetween = (forks: readonly Fork[], after?: string, upTo?: string): readonly Fork[] =>
  forks.length === 0 || after === undefined
    ? []
    : forks.filter((one) => one.madeAt > after && (upTo === undefined || one.madeAt <= upTo));
