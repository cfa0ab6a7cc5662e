import { describe, expect, it } from "vitest";
import { languageOf } from "./highlight";
import { coloured } from "./languages";

describe("colours of code", () => {
  it.each(["rust", "c", "C#", "kt", "ruby", "php", "swift", "dockerfile", "jsonc", "toml", "tsx", "sh"])(
    "are known for %s",
    async (language) => {
      expect(await coloured('"a" 1 # x\n// y\nclass B {}', language)).toMatch(/<span class="hljs-/);
    },
  );

  it("stay away from what nobody knows, and never let code out of its place", async () => {
    expect(await coloured("x", "constructor")).toBeUndefined();
    expect(await coloured("x", "no-such")).toBeUndefined();
    expect(await coloured("<img src=x onerror=y>", "rust")).not.toContain("<img");
  });

  it("are found by a file's name", async () => {
    for (const name of [
      "a.rs",
      "a.kt",
      "a.rb",
      "a.php",
      "a.swift",
      "a.cs",
      "a.lua",
      "Dockerfile",
      "Makefile",
    ])
      expect(await coloured("x", languageOf(name)), name).toBeDefined();
  });
});
