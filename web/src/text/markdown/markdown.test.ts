// @vitest-environment jsdom
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Blocks, blocks, completed, none } from "./blocks";
import { Drawing, update } from "./draw";
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
  marks: "1 of 2. Then *so* and **so on**, 2 * 3, a_b_c and _d_e ~~no~~ yes ``a ` b`` end\n",
  addresses:
    "See www.example.com now or http://example.com/a for more, write to me@example.com or [a link](https://x.example/y z) then [x] and ![pic](a.png) on\n",
  starts:
    "1\n\n1. one\n22) two\n\n- - - - - - -\n\n- - - - - - a\n\nTitle here\n=====\n\nOther\n---\n# Head #\n",
  cells: "a | b\n---|---\nc | d | e e\nf\n\n| x |\n|---|\n| y | y\n",
  signs: "a &amp; b &am c\\* d \\ e <b c> f <div\n\n<div class\nx y\n\n&lt\nfoo\n",
  indented: "    code here\n    more\n\n  1. a\n     b\n\n   text that goes on  \nbroken\n",
  fences: "~~~\na ``` b\n~~~ no\n~~~\n\n````md\n```\nx\n```\n````\n\n  ```\n  in\n  ```\nend\n",
  words: `A ${"long".repeat(30)} word, ${"longer".repeat(200)} end\n`,
  maths:
    "Costs $5 or $6, $HOME/$USER and $x_1$, $$a+b$$ or \\(y\\) end\n\n$$\n\\int_0^1 x\n$$\nthen\n\\[ z \\]\n\n$$\nnever closed\n\nmore $$ x\n",
  notes:
    "One[^1] and[^why] not [^a-z].\n\n- in a list[^1]\n\n[^1]: The first\n  goes on.\n[^why]: Because\n\n  of more.\n\nEnd\n",
  odd: "a **b c ** d **e\n\n`x y\nz` w **\n\n**a** b** c\n",
};

const page = (...nodes: Node[]): HTMLElement => {
  const made = document.createElement("div");
  made.append(...nodes);
  return made;
};
const shown = (block: string): string => page(render(block)).innerHTML;
const html = (parts: Blocks): string => [...parts.closed, parts.tail].map(shown).join("");

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

describe.each(Object.entries(corpus))("a growing block of %s", (_, text) => {
  const drawnWhole = (block: string): string => {
    const page = document.createElement("div");
    page.append(renderOnce(completed(block)));
    return page.innerHTML;
  };

  it("looks at every moment as if it were drawn whole, and in the end as if it never grew", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 400 }), (steps) => {
        const page = document.createElement("div");
        const drawing = new Drawing(page);
        let at = 0;
        for (const step of steps) {
          at = Math.min(text.length, at + step);
          drawing.show(text.slice(0, at), true);
          expect(page.innerHTML).toBe(drawnWhole(text.slice(0, at)));
        }
        drawing.show(text, false);
        expect(page.innerHTML).toBe(shown(text));
      }),
      { numRuns: 10 },
    );
  });
});

describe("drawing again", () => {
  const filled = (html: string): HTMLElement => {
    const page = document.createElement("div");
    page.innerHTML = html;
    return page;
  };

  it("makes an element what another is, whatever both were", () => {
    const piece = fc.constantFrom(
      "<p>a</p>",
      "<p>a <b>c</b></p>",
      "x",
      "<i class=q>x</i>",
      "<i>x</i>",
      "<br>",
      "<ul><li>a<li>b</ul>",
    );
    const some = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(some, some, (before, after) => {
        const page = filled(before);
        update(page, filled(after));
        expect(page.innerHTML).toBe(filled(after).innerHTML);
      }),
    );
  });

  it("keeps the nodes that stay, so that a selection in them does too", () => {
    const page = document.createElement("div");
    const drawing = new Drawing(page);
    drawing.show("One **two** three", true);
    const [first, bold] = [page.querySelector("p"), page.querySelector("strong")];
    const end = first?.lastChild;
    for (const text of [
      "One **two** three four",
      "One **two** three four *five*",
      "One **two** three four *five* six",
    ])
      drawing.show(text, true);
    drawing.show("One **two** three four *five* six\n", false);
    expect(page.querySelector("p")).toBe(first);
    expect(page.querySelector("strong")).toBe(bold);
    expect(end?.textContent).toBe(" three four ");
    expect(end && page.contains(end)).toBe(true);
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
    for (const drawn of [page(render(text)), page(renderOnce(completed(text)))]) {
      expect(
        drawn.querySelector("script, img, iframe, style, form, input, svg, math, object, embed, details"),
      ).toBeNull();
      for (const element of drawn.querySelectorAll("*")) {
        for (const { name, value } of element.attributes) {
          expect(name.startsWith("on")).toBe(false);
          expect(value.trim().toLowerCase().startsWith("javascript:")).toBe(false);
        }
      }
      for (const link of drawn.querySelectorAll("a")) {
        expect(link.getAttribute("href")).toMatch(/^(https?|mailto):/);
        expect(link.rel).toContain("noopener");
      }
    }
  });

  it("shows raw HTML as the text it is", () => {
    expect(page(render("<script>alert(1)</script>")).textContent).toContain("<script>alert(1)</script>");
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
      expect(page(...[...closed, tail].map(render)).textContent).toBe(text);
    }
    const code = `\`\`\`js\n${"a*b_c".repeat(2000)}\n\`\`\`\n`;
    expect(page(render(code)).querySelector("pre > code.lang-js")?.textContent).toContain("a*b_ca*b_c");
  });
});
