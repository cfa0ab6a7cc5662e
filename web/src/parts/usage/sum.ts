/** Sums of usage for plots and tables. Pure; days are UTC, as the daemon counts them. */
import type { UsageItem } from "../../link/records";

export type By = "model" | "project";
export type Measure = "cost" | "tokens";

export interface Series {
  readonly name: string;
  /** One value per day. */
  readonly values: readonly number[];
  readonly total: number;
}

export interface Share {
  readonly name: string;
  readonly cost: number;
  readonly tokens: number;
  readonly turns: number;
}

const DAY_MS = 86_400_000;

/** The last `count` days up to the one of `now`, the oldest first. */
export function daysUpTo(now: number, count: number): string[] {
  const last = Math.floor(now / DAY_MS);
  return Array.from({ length: count }, (_, at) =>
    new Date((last - count + 1 + at) * DAY_MS).toISOString().slice(0, 10),
  );
}

export const tokensOf = (item: Pick<UsageItem, "usage">): number =>
  (item.usage.inputTokens ?? 0) +
  (item.usage.outputTokens ?? 0) +
  (item.usage.cacheReadInputTokens ?? 0) +
  (item.usage.cacheCreationInputTokens ?? 0);

/** Tokens by how they are counted and priced. */
export function split(items: readonly Pick<UsageItem, "usage">[]): readonly (readonly [string, number])[] {
  const sum = (of: (usage: UsageItem["usage"]) => number | null | undefined): number =>
    items.reduce((all, { usage }) => all + (of(usage) ?? 0), 0);
  return [
    ["New input", sum((usage) => usage.inputTokens)],
    ["Written to cache", sum((usage) => usage.cacheCreationInputTokens)],
    ["Read from cache", sum((usage) => usage.cacheReadInputTokens)],
    ["Output", sum((usage) => usage.outputTokens)],
  ];
}

export const measured = (item: UsageItem, measure: Measure): number =>
  measure === "cost" ? item.costUsd : tokensOf(item);

/** `claude-opus-4-1-20250805` is `opus-4-1` here. */
export const modelName = (model: string | null | undefined): string =>
  model ? model.replace(/^claude-/, "").replace(/-\d{8}$/, "") : "Unknown model";

export const nameOf = (item: UsageItem, by: By): string =>
  by === "model" ? modelName(item.model) : (item.project ?? "Removed project");

export function shares(items: readonly UsageItem[], by: By): Share[] {
  const found = new Map<string, { cost: number; tokens: number; turns: number }>();
  for (const item of items) {
    const name = nameOf(item, by);
    const sum = found.get(name) ?? { cost: 0, tokens: 0, turns: 0 };
    sum.cost += item.costUsd;
    sum.tokens += tokensOf(item);
    sum.turns += item.turns;
    found.set(name, sum);
  }
  return [...found]
    .map(([name, sum]) => ({ name, ...sum }))
    .sort((a, b) => b.cost - a.cost || b.tokens - a.tokens || a.name.localeCompare(b.name));
}

export const OTHERS = "Others";

/** The largest `most` by name, and the rest as one. */
export function series(
  items: readonly UsageItem[],
  days: readonly string[],
  by: By,
  measure: Measure,
  most = 4,
): Series[] {
  const place = new Map(days.map((day, at) => [day, at]));
  const found = new Map<string, number[]>();
  for (const item of items) {
    const at = place.get(item.day);
    if (at === undefined) continue;
    const name = nameOf(item, by);
    const values = found.get(name) ?? days.map(() => 0);
    values[at] = (values[at] ?? 0) + measured(item, measure);
    found.set(name, values);
  }
  const all = [...found]
    .map(([name, values]) => ({ name, values, total: values.reduce((sum, one) => sum + one, 0) }))
    .filter((one) => one.total > 0)
    .sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
  if (all.length <= most + 1) return all;
  const rest = all.slice(most);
  const values = days.map((_, at) => rest.reduce((sum, one) => sum + (one.values[at] ?? 0), 0));
  const total = rest.reduce((sum, one) => sum + one.total, 0);
  return [...all.slice(0, most), { name: OTHERS, values, total }];
}

/** Round values for an axis from 0 to at least `highest`. */
export function ticks(highest: number, about = 3): number[] {
  if (!(highest > 0)) return [0];
  const rough = highest / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999) ?? rough;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** `950`, `12k`, `3.4M`. */
export function count(value: number): string {
  if (value < 1000) return String(Math.round(value));
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  if (value < 999_500_000) return `${(value / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
  return `${(value / 1_000_000_000).toFixed(1).replace(/\.0$/, "")}G`;
}
