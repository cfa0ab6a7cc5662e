import { describe, expect, it } from "vitest";
import { cover, firstGap, type Stretch } from "./covered";

const all = (...stretches: Stretch[]) => stretches.reduce<readonly Stretch[]>(cover, []);

describe("what was in view", () => {
  it("is the whole only when nothing between is missing", () => {
    expect(firstGap([], 100)).toBe(0);
    expect(firstGap(all([0, 40]), 100)).toBe(40);
    // To its end in one jump.
    expect(firstGap(all([0, 40], [60, 100]), 100)).toBe(40);
    expect(firstGap(all([0, 40], [60, 100], [38, 61]), 100)).toBeUndefined();
    expect(firstGap(all([50, 100]), 100)).toBe(0);
  });

  it("does not depend on the order, nor on what a browser rounds", () => {
    expect(firstGap(all([60, 100], [20, 61], [1, 20]), 102)).toBeUndefined();
    expect(firstGap(all([0, 50], [52, 100]), 100)).toBeUndefined();
    expect(all([10, 5])).toEqual([]);
  });
});
