/** Numbers of a benchmark, as the table that goes into the documentation. */
import { loadavg } from "node:os";

const rows: string[] = [];

export function note(what: string, ...values: string[]): void {
  rows.push(`| ${[what, ...values].join(" | ")} |`);
}

export const load = (): string => (loadavg()[0] ?? 0).toFixed(1);

/** The value that a part of all values does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

export const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
export const mb = (value: number): string => `${(value / 1_000_000).toFixed(1)} MB`;

/** Several rounds: the middle one, and the least and the most. */
export const spread = (values: readonly number[], word: (value: number) => string): string =>
  `${word(quantile(values, 0.5))} (${word(Math.min(...values))} to ${word(Math.max(...values))})`;

export function print(): void {
  process.stdout.write(
    `\n| what | result | aim | load |\n|---|---:|---:|---:|\n${rows.splice(0).join("\n")}\n\n`,
  );
}
