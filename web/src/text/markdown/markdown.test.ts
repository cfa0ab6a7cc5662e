// @vitest-environment jsdom
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Blocks, blocks, completed, none } from "./blocks";
import { render, renderOnce } from "./render";

const corpus: Record<string, string> = {
  prose:
    "# Title\n\nOne *two* **three** `four`.\n\nSecond paragraph\nwith a line.\n\n- a\n- b\n  - c\n\n1. x\n2. y\n",
  code: 'Before\n\n```rust\nfn main() {\n\n    println!("hi");\n}\n```\n\nAfter\n',
  unclosed: "Text\n\n```sh\nls -la\n\nmore",
  table: "| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd\n",
  quote: "> one\n> two\n\n> three\n\n---\n\n* * *\n",
  loose: "- one\n\n- two\n\n  more\n\ntext\n",
  definitions: "See [the guide][g].\n\nMore.\n\n[g]: https://example.com/guide\n",
  html: "a <b>bold</b> word\n\n<div onclick=x>\nblock\n</div>\n\n- <br>\n",
  lines: "a\r\nb\r\n\r\nc\n",
  tasks: "- [ ] open\n- [x] done\n",
};

const html = (parts: Blocks): string => [...parts.closed, parts.tail].map(render).join("");

describe.each(Object.entries(corpus))("markdown: %s", (_, text) => {
  it("has the same blocks whether it comes at once or in pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 })), (steps) => {
        let state = none;
        let at = 0;
        for (const step of [...steps, text.length]) {
          at = Math.min(text.length, at + step);
          state = blocks(text.slice(0, at), state);
        }
        expect(html(state)).toBe(html(blocks(text)));
      }),
    );
  });

  it("loses nothing between blocks", () => {
    const { closed, tail } = blocks(text);
    expect(closed.join("") + tail).toBe(text);
  });

  it("never takes a closed block back while it grows", () => {
    let state = none;
    for (let at = 1; at <= text.length; at++) {
      const next = blocks(text.slice(0, at), state);
      const kept = next.closed.slice(0, state.closed.length);
      if (next.closed.length > 0) expect(kept).toEqual(state.closed);
      state = next;
    }
  });
});

describe("half-typed markdown", () => {
  it("is closed for showing", () => {
    expect(completed("a **bol")).toBe("a **bol**");
    expect(completed("a `cod")).toBe("a `cod`");
    expect(completed("see [the docs](https://exa")).toBe("see the docs");
    expect(completed("see [the do")).toBe("see ");
    expect(completed("```js\nlet a = `x")).toBe("```js\nlet a = `x");
    expect(completed("a **")).toBe("a ");
  });
});

describe("what an agent wrote", () => {
  const attacks = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/track.png)",
    "![x](javascript:alert(1))",
    "[click](javascript:alert(1))",
    "[click](data:text/html,<script>alert(1)</script>)",
    "[click](vbscript:x)",
    "<a href='javascript:alert(1)'>x</a>",
    "<svg onload=alert(1)><script>1</script></svg>",
    "<iframe src=https://evil.example></iframe>",
    "<style>*{display:none}</style>",
    "<form action=https://evil.example><input name=pin></form>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "```html\n<script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\ncode\n```',
    "`<script>alert(1)</script>`",
    "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    "<details open ontoggle=alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    '<https://example.com/"onmouseover=alert(1)>',
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    '[a](https://x.example "onmouseover=alert(1)")',
  ];

  it.each(attacks)("is inert: %s", (text) => {
    for (const made of [render(text), renderOnce(completed(text))]) {
      const page = document.createElement("div");
      page.innerHTML = made;
      expect(
        page.querySelector("script, img, iframe, style, form, input, svg, math, object, embed, details"),
      ).toBeNull();
      for (const element of page.querySelectorAll("*")) {
        for (const { name, value } of element.attributes) {
          expect(name.startsWith("on")).toBe(false);
          expect(value.trim().toLowerCase().startsWith("javascript:")).toBe(false);
        }
      }
      for (const link of page.querySelectorAll("a")) {
        expect(link.getAttribute("href")).toMatch(/^(https?|mailto):/);
        expect(link.rel).toContain("noopener");
      }
    }
  });

  it("shows raw HTML as the text it is", () => {
    const page = document.createElement("div");
    page.innerHTML = render("<script>alert(1)</script>");
    expect(page.textContent).toContain("<script>alert(1)</script>");
  });

  it("shows as it is what would keep a parser busy or break it", () => {
    const hostile = [
      `${"x".repeat(100_000)}@`,
      "_a".repeat(20_000),
      `${">".repeat(5000)}deep`,
      "[".repeat(20_000),
    ];
    for (const text of hostile) {
      const { closed, tail } = blocks(text);
      const shown = [...closed, tail].map(render).join("");
      expect(shown.replace(/&gt;/g, ">").replace(/<[^>]*>/g, "")).toBe(text);
    }
    const code = `\`\`\`js\n${"a*b_c".repeat(2000)}\n\`\`\`\n`;
    expect(render(code)).toMatch(/^<pre><code class="lang-js">/);
  });
});
