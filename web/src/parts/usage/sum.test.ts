import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UsageItem } from "../../link/records";
import { count, daysUpTo, modelName, OTHERS, series, shares, split, ticks, tokensOf } from "./sum";

const item = (day: string, model: string | null, costUsd: number): UsageItem => ({
  day,
  projectId: "prj_1",
  project: "ledger-api",
  model,
  costUsd,
  usage: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 100, cacheCreationInputTokens: 0 },
  turns: 2,
});

it("lists days of UTC, the oldest first", () => {
  const now = Date.parse("2026-03-01T23:59:59Z");
  expect(daysUpTo(now, 3)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
});

it("counts tokens that were read from the cache as well", () => {
  expect(tokensOf(item("2026-01-01", "m", 1))).toBe(115);
});

it("tells tokens apart by how they are counted", () => {
  const items = [item("2026-01-01", "m", 1), item("2026-01-02", "m", 1)];
  expect(split(items)).toEqual([
    ["New input", 20],
    ["Written to cache", 0],
    ["Read from cache", 200],
    ["Output", 10],
  ]);
  expect(split(items).reduce((sum, [, value]) => sum + value, 0)).toBe(230);
});

it("calls models by what tells them apart", () => {
  expect(modelName("claude-opus-4-1-20250805")).toBe("opus-4-1");
  expect(modelName(null)).toBe("Unknown model");
});

describe("series", () => {
  const days = ["2026-01-01", "2026-01-02"];

  it("puts values on their days and leaves other days out", () => {
    const items = [item("2026-01-02", "a", 3), item("2025-12-31", "a", 9)];
    expect(series(items, days, "model", "cost")).toEqual([{ name: "a", values: [0, 3], total: 3 }]);
  });

  it("joins what is small and loses nothing", () => {
    const items = ["a", "b", "c", "d", "e", "f", "g"].map((name, at) => item("2026-01-01", name, 10 - at));
    const found = series(items, days, "model", "cost");
    expect(found).toHaveLength(5);
    expect(found.at(-1)?.name).toBe(OTHERS);
    const total = items.reduce((sum, one) => sum + one.costUsd, 0);
    expect(found.reduce((sum, one) => sum + one.total, 0)).toBe(total);
  });
});

it("shares out cost, tokens and turns by name, the dearest first", () => {
  const found = shares([item("x", "a", 1), item("y", "b", 5), item("z", "a", 1)], "model");
  expect(found.map((one) => [one.name, one.cost, one.turns])).toEqual([
    ["b", 5, 2],
    ["a", 2, 4],
  ]);
});

describe("ticks", () => {
  it("are round and reach what is highest", () => {
    expect(ticks(41.2)).toEqual([0, 20, 40, 60]);
    expect(ticks(0)).toEqual([0]);
  });

  it("always cover the values with a handful of lines", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (highest) => {
        const found = ticks(highest);
        expect(found.at(-1)).toBeGreaterThanOrEqual(highest * 0.999);
        expect(found.length).toBeLessThanOrEqual(6);
      }),
    );
  });
});

it("writes large counts short", () => {
  expect([950, 12_300, 3_400_000, 5_000_000_000].map(count)).toEqual(["950", "12k", "3.4M", "5G"]);
});
