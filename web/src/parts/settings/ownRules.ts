/** Claude Code's own rules: which of them can become Baton's, and which are ticked at first. */
import type { OfferedRule } from "../../link/records";

export const keyOf = (item: OfferedRule): string => `${item.decision} ${item.scope} ${item.rule}`;

/** What can be taken over and is not there yet. */
export const takeable = (item: OfferedRule): boolean => !item.unreadable && !item.known;

/** What allows about anything is for a person to tick. */
export function tickedAtFirst(items: readonly OfferedRule[]): Set<string> {
  return new Set(items.filter((item) => takeable(item) && !item.warning).map(keyOf));
}

/** Those that can be ticked first, then those that are there, then those that cannot be read. */
export function inOrder(items: readonly OfferedRule[]): OfferedRule[] {
  const place = (item: OfferedRule): number => (item.unreadable ? 2 : item.known ? 1 : 0);
  return [...items].sort((a, b) => place(a) - place(b));
}

/** What is sent: the rules as they stand in the settings. */
export function chosen(
  items: readonly OfferedRule[],
  ticked: ReadonlySet<string>,
): { rule: string; decision: OfferedRule["decision"] }[] {
  return items
    .filter((item) => takeable(item) && ticked.has(keyOf(item)))
    .map(({ rule, decision }) => ({ rule, decision }));
}
