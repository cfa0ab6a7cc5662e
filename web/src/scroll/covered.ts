/** Which parts of something long were in view: stretches of it, in pixels from its top. */
export type Stretch = readonly [from: number, to: number];

/** Lines are higher than this, and browsers round. */
const SLACK = 3;

/** Adds a stretch; those that touch become one. */
export function cover(before: readonly Stretch[], [from, to]: Stretch): readonly Stretch[] {
  if (to - from <= 0) return before;
  const apart = before.filter((one) => one[1] < from - SLACK || one[0] > to + SLACK);
  const joined = before.filter((one) => !apart.includes(one));
  const all: Stretch = [
    Math.min(from, ...joined.map((one) => one[0])),
    Math.max(to, ...joined.map((one) => one[1])),
  ];
  return [...apart, all].toSorted((a, b) => a[0] - b[0]);
}

/** Where the first part begins that was never in view. */
export function firstGap(covered: readonly Stretch[], height: number): number | undefined {
  const [first] = covered;
  if (!first || first[0] > SLACK) return 0;
  return first[1] >= height - SLACK ? undefined : first[1];
}
