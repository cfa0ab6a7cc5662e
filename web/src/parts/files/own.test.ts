import { describe, expect, it } from "vitest";
import { ownChanges } from "./own";

describe("a session's own changes", () => {
  it("are found however its tools wrote the paths", () => {
    const files = ["/p/src/a.rs", "b.rs", "./c/../d.rs", "/elsewhere/src/x.rs"];
    const mine = ownChanges({ files, untold: 2 }, "/p", "/p/src");
    expect(["src/a.rs", "src/b.rs", "src/d.rs"].every((path) => mine.owns({ path }))).toBe(true);
    expect(["a.rs", "b.rs", "src/x.rs", "src/c/d.rs"].some((path) => mine.owns({ path }))).toBe(false);
    expect(mine.untold).toBe(2);
  });
});
