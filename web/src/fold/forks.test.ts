import { expect, test } from "vitest";
import { allForks, forksBetween } from "./forks";

const fork = (sessionId: string, madeAt: string) => ({ sessionId, title: null, madeAt });

test("copies that came since count too, once each, the oldest first", () => {
  const rows = [
    { id: "c", forkedFrom: "s", title: "C", startedAt: "3" },
    { id: "a", forkedFrom: "s", title: "A", startedAt: "1" },
    { id: "x", forkedFrom: "t", title: "X", startedAt: "2" },
    { id: "s", startedAt: "0" },
  ];
  const all = allForks([fork("b", "2"), fork("a", "1")], rows, "s");
  expect(all.map((one) => one.sessionId)).toEqual(["a", "b", "c"]);
});

test("a copy stands between the rows of its time, once", () => {
  const forks = [fork("a", "2"), fork("b", "4")];
  const ids = (after?: string, upTo?: string) => forksBetween(forks, after, upTo).map((one) => one.sessionId);
  expect(ids("1", "3")).toEqual(["a"]);
  expect(ids("3", "4")).toEqual(["b"]);
  expect(ids("3")).toEqual(["b"]);
  // What came before the first row that is loaded is not known.
  expect(ids(undefined, "9")).toEqual([]);
});
