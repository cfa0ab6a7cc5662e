import { describe, expect, it } from "vitest";
import { nameOf, wordsOf } from "./unknown";
import type { UnknownRow } from "./view";

const row = (raw: unknown, type = "agent.unknown"): UnknownRow => ({
  kind: "unknown",
  key: "u:1",
  seq: 1,
  ts: "2026-01-01T00:00:00Z",
  turn: 1,
  type,
  raw,
});

describe("what this version does not know", () => {
  it("is told in the agent's own words where it has any", () => {
    const informed = {
      type: "system",
      subtype: "informational",
      content: " Auto mode changes. ",
      level: "warning",
    };
    expect(wordsOf(row(informed))).toBe("Auto mode changes.");
    expect(wordsOf(row({ message: { content: "Deep." } }))).toBe("Deep.");
    expect(wordsOf(row({ content: "", error: { message: "Broken." } }))).toBe("Broken.");
  });

  it("is said to be unknown where it has none", () => {
    for (const raw of [{ a: 1 }, { message: 7 }, "text", null, undefined])
      expect(wordsOf(row(raw))).toBeUndefined();
    expect(nameOf(row({}))).toBe("The agent said something this version does not know");
    // An event of another version's Baton: nobody knows what its fields are.
    expect(wordsOf(row({ text: "sun" }, "weather.changed"))).toBeUndefined();
    expect(nameOf(row({}, "weather.changed"))).toBe("Something this version does not know: weather.changed");
  });
});
