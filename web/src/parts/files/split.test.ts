import { describe, expect, it } from "vitest";
import { pairs } from "./split";

const rows = (kinds: string) =>
  [...kinds].map((one) => ({
    kind: one === "-" ? ("removed" as const) : one === "+" ? ("added" as const) : ("same" as const),
    text: "",
  }));

describe("lines side by side", () => {
  it("puts what replaced a line beside it", () => {
    expect(pairs(rows(" -+ "))).toEqual([
      [0, 0],
      [1, 2],
      [3, 3],
    ]);
  });

  it("leaves the other side empty where one has more", () => {
    expect(pairs(rows("--+"))).toEqual([
      [0, 2],
      [1, undefined],
    ]);
    expect(pairs(rows("++"))).toEqual([
      [undefined, 0],
      [undefined, 1],
    ]);
  });

  it("begins anew with every change", () => {
    expect(pairs(rows("-+-+"))).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });
});
