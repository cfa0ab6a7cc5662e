import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Templates of everything that is drawn, without what only runs. */
const source = new URL("../src/", import.meta.url);
const templates = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".svelte"))
  .map((name) => ({ name, code: readFileSync(new URL(name, source), "utf8") }))
  .map(({ name, code }) => ({ name, drawn: code.replace(/<script[\s\S]*?<\/script>|<style[\s\S]*/g, "") }));

/** What an agent wrote and a person decides on, as it is named in the parts. */
const ASKED =
  /\{(?:(?:about|subject)\.(?:ask|done|doing|object|title|whole)|asked\.(?:reason|toolName)|(?:one|current)\.question|option\.(?:label|description)|question|warning\.message)\}/g;

describe("what an agent asks for", () => {
  it("is never drawn as it came: characters that hide or mislead are marked", () => {
    const bare = templates.flatMap(({ name, drawn }) => {
      // As the value of a property it goes on to a part that is looked at itself.
      const text = drawn.replace(/\w+=\{(?:[^{}]|\{[^{}]*\})*\}/g, "");
      return (text.match(ASKED) ?? []).map((found) => `${name}: ${found}`);
    });
    expect(bare).toEqual([]);
    expect(templates.some(({ drawn }) => drawn.includes("<Odd text={subject.title} />"))).toBe(true);
  });
});
