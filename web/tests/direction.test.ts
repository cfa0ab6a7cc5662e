/** Looks for words of people or agents that would begin at the wrong side. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const source = new URL("../src/", import.meta.url);
const parts = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".svelte"),
);

/** Fields to write words into, titles and what people said. */
const words = [/<textarea\b[^>]*/g, /<input type="search"[^>]*/g, /<\w+ class="title[^>]*/g];

describe("the page", () => {
  it.each(words)("lets the script decide where words begin: %s", (kind) => {
    const without = parts.flatMap((name) =>
      [...readFileSync(new URL(name, source), "utf8").matchAll(kind)]
        .filter(([tag]) => !/\bdir="(auto|ltr)"/.test(tag))
        .map(([tag]) => `${name}: ${tag.slice(0, 60)}`),
    );
    expect(without).toEqual([]);
  });
});
