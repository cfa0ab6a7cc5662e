import { describe, expect, it } from "vitest";
import type { SessionRow } from "../../link/types";
import { alsoBy, candidates } from "./others";
import { ownChanges } from "./own";

const row = (id: string, minute: number, over: Partial<SessionRow> = {}): SessionRow =>
  ({
    id,
    projectId: "prj_1",
    turnCount: 1,
    lastActivityAt: `2026-01-01T10:${String(minute).padStart(2, "0")}:00Z`,
    ...over,
  }) as SessionRow;

describe("other sessions in the same folder", () => {
  it("are those of the project that did anything, the ones used last", () => {
    const rows = [row("me", 9), row("a", 1), row("b", 2), row("c", 3, { projectId: "prj_2" })];
    const all = [...rows, row("d", 4, { turnCount: 0 })];
    expect(candidates(all, "me", "prj_1").map((one) => one.id)).toEqual(["b", "a"]);
    const many = Array.from({ length: 30 }, (_, at) => row(`s${at}`, at));
    expect(candidates(many, "me", "prj_1").map((one) => one.id)).toHaveLength(8);
  });

  it("are named where they changed the same file", () => {
    const changed = (files: string[]) => ownChanges({ files, untold: 0 }, "/p", "/p");
    const others = [
      { row: row("a", 1), changed: changed(["/p/x"]) },
      { row: row("b", 2), changed: changed(["/p/y"]) },
    ];
    expect(alsoBy(others, { path: "x" }).map((one) => one.id)).toEqual(["a"]);
    expect(alsoBy(others, { path: "z" })).toEqual([]);
  });
});
