import { describe, expect, it } from "vitest";
import { meant, reached } from "./swipe";

describe("a finger on a row", () => {
  it("means nothing before it has moved", () => {
    expect(meant(4, 5)).toBeUndefined();
  });
  it("scrolls unless it goes clearly sideways", () => {
    expect(meant(12, 11)).toBe("scroll");
    expect(meant(3, 30)).toBe("scroll");
    expect(meant(-30, 6)).toBe("swipe");
  });
  it("does something only when it went far", () => {
    expect(reached(-71)).toBeUndefined();
    expect(reached(-72)).toBe("left");
    expect(reached(90)).toBe("right");
  });
});
