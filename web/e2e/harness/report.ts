/** What a run says at its end: where the time went, and what a second try hid. */
import type { FullResult, Reporter, TestCase, TestResult } from "@playwright/test/reporter";

const LONGEST = 10;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(7)} s`;
/** Colours are for a terminal, and this is read in logs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "");

/** Its screen, its file and its name. */
function named(test: TestCase): string {
  const [, screen, file, ...names] = test.titlePath();
  return `[${screen}] ${file}:${test.location.line} ${names.join(" › ")}`;
}

const spent = ({ results }: TestCase): number => results.reduce((sum, one) => sum + one.duration, 0);

export default class Report implements Reporter {
  private readonly ran = new Set<TestCase>();

  printsToStdio(): boolean {
    return false;
  }

  onTestEnd(test: TestCase, { status }: TestResult): void {
    if (status !== "skipped") this.ran.add(test);
  }

  onEnd({ duration }: FullResult): void {
    const all = [...this.ran].sort((a, b) => spent(b) - spent(a));
    // Who runs a few looks at these alone.
    if (all.length <= LONGEST) return;
    const files = new Map<string, number>();
    for (const test of all) {
      const file = test.titlePath()[2] ?? "";
      files.set(file, (files.get(file) ?? 0) + spent(test));
    }
    const lines = [`\n${all.length} tests in ${seconds(duration).trim()}. The longest:`];
    lines.push(...all.slice(0, LONGEST).map((test) => `${seconds(spent(test))}  ${named(test)}`));
    lines.push("All of a file:");
    const sums = [...files].sort(([, a], [, b]) => b - a);
    lines.push(...sums.map(([file, sum]) => `${seconds(sum)}  ${file}`));
    const hidden = all.filter((test) => test.outcome() === "flaky");
    if (hidden.length > 0) lines.push("Failed, and passed when tried again; each is a fault to mend:");
    for (const test of hidden) {
      lines.push(`  ${named(test)}`);
      for (const { error } of test.results) {
        const [why] = plain(error?.message ?? "").split("\n");
        const at = error?.location ? ` (line ${error.location.line})` : "";
        if (why) lines.push(`    ${why}${at}`);
      }
    }
    console.log(lines.join("\n"));
  }
}
