import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const source = new URL("../src/", import.meta.url).pathname;
const css = readFileSync(join(source, "styles/tokens.css"), "utf8");
const colours = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)].map(([, name, light, dark]) => [
    name,
    { light, dark },
  ]),
);

function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((c) =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const grounds = ["canvas", "surface", "sunken", "raised"];
const softs = ["brand-soft", "you-soft", "danger-soft", "ok-soft"];
const text: [string, string[]][] = [
  ["ink", [...grounds, "hover", ...softs, "diff-add", "diff-add-w", "diff-del", "diff-del-w"]],
  ["ink-2", [...grounds, "hover", "brand-soft", "you-soft", "diff-add", "diff-del"]],
  ["ink-3", grounds],
  ["brand-ink", [...grounds, "brand-soft"]],
  ["you-ink", [...grounds, "you-soft"]],
  ["danger", grounds],
  ["danger-ink", [...grounds, "danger-soft", "diff-del"]],
  ["ok-ink", [...grounds, "ok-soft", "diff-add"]],
  ["on-brand", ["brand"]],
  ["on-you", ["you"]],
  ["on-danger", ["danger"]],
  ["on-ok", ["ok"]],
  ...["syn-kw", "syn-st", "syn-num", "syn-fn", "syn-cm"].map((name): [string, string[]] => [
    name,
    ["sunken", "surface", "diff-add", "diff-del"],
  ]),
];
const shapes: [string, string[]][] = [
  ["line-strong", ["canvas", "surface", "raised"]],
  ["you-line", ["canvas", "surface"]],
  ["focus", ["canvas", "surface", "sunken"]],
];

function check(pairs: [string, string[]][], least: number): void {
  for (const theme of ["light", "dark"] as const) {
    for (const [front, backs] of pairs) {
      for (const back of backs) {
        const [a, b] = [colours.get(front)?.[theme], colours.get(back)?.[theme]];
        if (!a || !b) throw new Error(`there is no ${front} or ${back}`);
        expect(contrast(a, b), `${front} on ${back}, ${theme}`).toBeGreaterThanOrEqual(least);
      }
    }
  }
}

describe("colours", () => {
  it("of text pass AA on everything they stand on", () => check(text, 4.5));
  it("of borders and focus rings can be seen", () => check(shapes, 3));

  it("stand in tokens.css and nowhere else", () => {
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
      (name) => /\.(svelte|css)$/.test(name) && !name.endsWith("tokens.css"),
    );
    expect(files.length).toBeGreaterThan(30);
    for (const name of files) {
      const found = readFileSync(join(source, name), "utf8").match(/#[0-9a-fA-F]{3,8}\b(?=\s*[;,)])/g);
      expect(found, name).toBeNull();
    }
  });
});

describe("files", () => {
  it("stay small enough to be read", () => {
    const most: Record<string, number> = { svelte: 340, ts: 400 };
    for (const name of readdirSync(source, { recursive: true, encoding: "utf8" })) {
      const limit = most[name.split(".").at(-1) ?? ""];
      if (limit === undefined || name.startsWith("gen/") || name.endsWith(".test.ts")) continue;
      const lines = readFileSync(join(source, name), "utf8").split("\n").length;
      expect(lines, name).toBeLessThanOrEqual(limit);
    }
  });
});
