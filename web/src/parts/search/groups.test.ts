import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SearchHit } from "../../link/records";
import { bySession, markedPieces } from "./groups";

const hit = (sessionId: string, seq: number): SearchHit => ({
  sessionId,
  projectId: "p",
  title: sessionId,
  seq,
  snippet: "",
  marks: [],
});

it("keeps sessions in the order of their first hit", () => {
  const groups = bySession([hit("b", 9), hit("a", 3), hit("b", 4)]);
  expect(groups.map((group) => [group.sessionId, group.hits.length])).toEqual([
    ["b", 2],
    ["a", 1],
  ]);
});

describe("markedPieces", () => {
  it("marks what it is told", () => {
    expect(markedPieces("a key here", [[2, 5]])).toEqual([
      { text: "a ", marked: false },
      { text: "key", marked: true },
      { text: " here", marked: false },
    ]);
  });

  it("never loses or repeats text, whatever the marks are", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.tuple(fc.nat(30), fc.nat(30))), (text, marks) => {
        const pieces = markedPieces(text, marks);
        expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      }),
    );
  });
});
