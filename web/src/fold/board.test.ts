import { expect, test } from "vitest";
import { boardOf, columnOf, emptyBoard, walk } from "./board";

const TODAY = Date.parse("2026-05-02T00:00:00Z");
const row = (id: string, more: object = {}) => ({
  id,
  state: "idle",
  status: "running",
  turnFailed: false,
  openApprovals: 0,
  turnCount: 1,
  lastActivityAt: "2026-05-02T09:00:00Z",
  lastActedAt: "2026-05-02T09:00:00Z",
  ...more,
});

test("every session stands in the column of its state, and yesterday's in none", () => {
  const at = (more: object) => columnOf(row("s", more), TODAY);
  expect(at({ state: "waiting", openApprovals: 1 })).toBe("needs");
  // Somebody asks while others work.
  expect(at({ state: "processing", openApprovals: 1 })).toBe("needs");
  expect(at({ state: "processing" })).toBe("working");
  expect(at({ state: "starting" })).toBe("working");
  expect(at({ turnFailed: true })).toBe("failed");
  expect(at({ state: "ended", status: "failed" })).toBe("failed");
  expect(at({})).toBe("done");
  expect(at({ state: "ended", status: "asleep" })).toBe("done");
  expect(at({ lastActedAt: "2026-05-01T23:00:00Z" })).toBeUndefined();
  expect(at({ turnCount: 0 })).toBeUndefined();
  expect(at({ archived: true })).toBeUndefined();
  expect(at({ archived: true, openApprovals: 1 })).toBe("needs");
});

test("cards move only when their state moves", () => {
  const first = boardOf(emptyBoard, [row("a"), row("b", { lastActedAt: "2026-05-02T10:00:00Z" })], TODAY);
  expect(first.done).toEqual(["b", "a"]);
  const renamed = [
    row("a", { lastActedAt: "2026-05-02T11:00:00Z" }),
    row("b"),
    row("c", { state: "processing" }),
  ];
  const second = boardOf(first, renamed, TODAY);
  expect(second.done).toEqual(["b", "a"]);
  expect(second.working).toEqual(["c"]);
  const third = boardOf(
    second,
    [row("a", { state: "processing" }), row("b"), row("c", { state: "processing" })],
    TODAY,
  );
  expect(third).toMatchObject({ done: ["b"], working: ["a", "c"] });
});

test("arrow keys walk along a column and over to the next one that has cards", () => {
  const board = { needs: ["a", "b"], working: [], failed: ["c"], done: ["d", "e"] };
  expect(walk(board, undefined, "ArrowDown")).toBe("a");
  expect(walk(board, "a", "ArrowDown")).toBe("b");
  expect(walk(board, "b", "ArrowDown")).toBeUndefined();
  expect(walk(board, "b", "ArrowRight")).toBe("c");
  expect(walk(board, "c", "ArrowRight")).toBe("d");
  expect(walk(board, "e", "ArrowLeft")).toBe("c");
  expect(walk(board, "a", "ArrowLeft")).toBeUndefined();
});
