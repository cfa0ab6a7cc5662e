/** Lines of a change side by side: what was beside what is. */
import type { CodeRow } from "./review.svelte";

/** Places in the list of rows; none on a side that has nothing there. */
export type Pair = readonly [left: number | undefined, right: number | undefined];

export function pairs(rows: readonly CodeRow[]): Pair[] {
  const made: Pair[] = [];
  let [removed, added]: [number[], number[]] = [[], []];
  const settle = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) made.push([removed[at], added[at]]);
    [removed, added] = [[], []];
  };
  rows.forEach((row, at) => {
    if (row.kind === "same") {
      settle();
      made.push([at, at]);
      return;
    }
    // What was removed after something was added belongs to the next change.
    if (row.kind === "removed" && added.length > 0) settle();
    (row.kind === "removed" ? removed : added).push(at);
  });
  settle();
  return made;
}
