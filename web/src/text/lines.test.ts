import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escaped, lineHtml, oddCount, splitHtml, withMarks } from "./lines";

const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#x27;/g, "'")
    .replace(/&amp;/g, "&");

describe("splitHtml", () => {
  it("begins a colour again on every line that it spans", () => {
    const html = '<span class="hljs-comment">/* one\ntwo */</span> x';
    expect(splitHtml(html)).toEqual([
      '<span class="hljs-comment">/* one</span>',
      '<span class="hljs-comment">two */</span> x',
    ]);
  });

  it("gives as many lines as the text has, with the same text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const lines = splitHtml(escaped(text));
        expect(lines.map(plain)).toEqual(text.split("\n"));
      }),
    );
  });

  it("lets nothing through but spans with classes", () => {
    const [line = ""] = splitHtml('<img src=x onerror="1"><span class="a">b</span>');
    expect(line).not.toContain("<img");
    expect(plain(line)).toBe('<img src=x onerror="1">b');
  });
});

describe("withMarks", () => {
  it("marks across colours and closes what it opened", () => {
    const html = 'a<span class="k">bc</span>d';
    expect(withMarks(html, [[1, 2]])).toBe(
      'a<span class="k"></span><mark><span class="k">b</span></mark><span class="k">c</span>d',
    );
  });

  it("counts an entity as one character", () => {
    expect(plain(withMarks("a&lt;b", [[1, 2]]))).toBe("a<b");
    expect(withMarks("a&lt;b", [[1, 2]])).toBe("a<mark>&lt;</mark>b");
  });

  it("never changes the text", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(20), fc.nat(20), (text, from, length) => {
        const line = text.replaceAll("\n", " ");
        expect(plain(withMarks(escaped(line), [[from, from + length]]))).toBe(line);
      }),
    );
  });
});

describe("lineHtml", () => {
  it("names characters that hide or turn text around", () => {
    expect(lineHtml("a\u202eb", undefined)).toContain("right-to-left override");
    expect(oddCount("a\u202eb\u200b")).toBe(2);
  });

  it("escapes what was not coloured", () => {
    expect(lineHtml("<script>", undefined)).toBe("&lt;script&gt;");
  });
});
