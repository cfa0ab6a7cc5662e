import { expect, test } from "vitest";
import { partsOf } from "../../text/markdown/parts";
import { place, remarksOf } from "./remarks";

const first = partsOf("# Plan\n\n1. Read it\n2. Change it\n\nThen run the tests.");
const next = partsOf("# Plan\n\n1. Ask somebody\n2. Read it\n\nThen run the tests.");

test("remarks on a plan stand at the same words of the next one, and none is lost", () => {
  const at = (text: string): number => first.findIndex((part) => part.text.includes(text));
  const made = { [at("Read it")]: "Which file?", [at("Change it")]: "Not yet.", [at("Then run")]: "" };
  const remarks = remarksOf(first, made);
  expect(remarks.map(({ remark }) => remark)).toEqual(["Which file?", "Not yet."]);
  expect(place(remarks, first)).toEqual({ at: { 1: "Which file?", 2: "Not yet." }, rest: [] });

  const after = place(
    remarksOf(first, { [at("# Plan")]: "Too short.", [at("Change it")]: "Not yet." }),
    next,
  );
  expect(after.at).toEqual({ 0: "Too short." });
  expect(after.rest.map(({ remark }) => remark)).toEqual(["Not yet."]);
});

test("two remarks on the same words do not take each other's place", () => {
  const parts = [{ text: "Again." }, { text: "Again." }];
  const remarks = ["one", "two", "three"].map((remark) => ({ part: "Again.", remark }));
  expect(place(remarks, parts)).toEqual({
    at: { 0: "one", 1: "two" },
    rest: [{ part: "Again.", remark: "three" }],
  });
});
