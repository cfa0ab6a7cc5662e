// @vitest-environment jsdom
/** What a reader gets of tables, code, tasks, footnotes, formulas and other scripts. */
import { describe, expect, it } from "vitest";
import { acts, source } from "./acts";
import { blocks } from "./blocks";
import { Drawing } from "./draw";
import { render } from "./render";

function page(text: string): HTMLElement {
  const made = document.createElement("div");
  const { closed, tail } = blocks(text);
  made.append(...[...closed, tail].map(render));
  return made;
}

describe("tables", () => {
  const table = page(
    "| Layer | Count | p99 | Owner | Note |\n|:--|--:|---|:-:|---|\n| HTTP | 1,200 | 31 ms | web | Terminates connections and hands the body on |\n| Disk | 7 | 4.2 ms | core | x |\n",
  );

  it("keep their alignment, and columns of numbers stand at the right", () => {
    const looks = [...table.querySelectorAll("tbody tr:last-child td")].map((cell) => cell.className);
    expect(looks).toEqual(["left", "right number", "right number", "center", ""]);
  });

  it("scroll inside themselves, within reach of the keyboard, and give long cells room", () => {
    expect(table.querySelector(".table[tabindex='0'][aria-label] > table")).not.toBeNull();
    expect(table.querySelector("td.long")?.textContent).toContain("Terminates");
  });

  it("keep their head in sight when they are long", () => {
    const rows = "| 1 |\n".repeat(30);
    expect(page(`| n |\n|---|\n${rows}`).querySelector(".tall")).not.toBeNull();
    expect(table.querySelector(".tall")).toBeNull();
  });
});

describe("code", () => {
  const text = 'fn main() {\n\tlet s = "`$x$` & <b>";\n}\n\n// end  ';
  const code = page(`\`\`\`rust title=x\n${text}\n\`\`\`\n`);

  it("says its language and can be reached by the keyboard", () => {
    expect(code.querySelector(".lang")?.textContent).toBe("rust");
    const pre = code.querySelector("pre");
    expect(pre?.tabIndex).toBe(0);
    expect(pre?.getAttribute("aria-label")).toBe("Code, rust");
    expect(pre?.dir).toBe("ltr");
  });

  it("is copied exactly as it was written", () => {
    expect(source(code.querySelector(".code") as Element)).toBe(text);
  });

  it("stays wrapped while the answer grows", () => {
    const page = document.createElement("div");
    const end = acts(page);
    const drawing = new Drawing(page);
    drawing.show("```js\nlet a", true);
    const block = page.querySelector(".code");
    page.querySelector<HTMLElement>("[data-act=wrap]")?.click();
    drawing.show("```js\nlet a = 1;\nlet", true);
    drawing.show("```js\nlet a = 1;\nlet b;\n```\n", false);
    expect(page.querySelector(".code[data-wrapped]")).toBe(block);
    expect(source(block as Element)).toBe("let a = 1;\nlet b;");
    end();
  });

  it("is wrapped and unwrapped on request", () => {
    const end = acts(code);
    const wrap = code.querySelector<HTMLElement>("[data-act=wrap]");
    wrap?.click();
    expect(code.querySelector("[data-wrapped]")).not.toBeNull();
    expect(wrap?.getAttribute("aria-pressed")).toBe("true");
    wrap?.click();
    expect(code.querySelector("[data-wrapped]")).toBeNull();
    end();
  });
});

describe("scripts that run the other way", () => {
  it("decide for the whole of a block, code in it aside", () => {
    const text = page("`x` שלום\n\n- أ\n\n  ب\n\n> ג\n\n# ד\n\n| א |\n|---|\n| ב |\n");
    for (const tag of ["p", "ul", "blockquote", "h1", ".table"])
      expect(text.querySelector(tag)?.getAttribute("dir"), tag).toBe("auto");
    expect(text.querySelector("p > code")?.getAttribute("dir")).toBe("ltr");
    // Browsers do not look into elements that decide for themselves.
    expect(text.querySelectorAll("[dir=auto] [dir=auto]")).toHaveLength(0);
  });
});

describe("tasks", () => {
  it("show whether they are done, in the place of the bullet", () => {
    const list = page("- [x] one\n- [ ] two\n  - [ ] three\n- four\n\n1. [x] loose\n\n2. b\n");
    const named = [...list.querySelectorAll("li.task")].map((item) =>
      item.querySelector(".box")?.getAttribute("aria-label"),
    );
    expect(named).toEqual(["Done", "Open", "Open", "Done"]);
  });
});

describe("footnotes", () => {
  const text = page("One[^1], two[^why] and [^a-z].\n\n[^1]: First\n  goes on.\n[^why]: Second\n");

  it("are marks in the text and lines under it; patterns are neither", () => {
    expect([...text.querySelectorAll("[data-note]")].map((one) => one.textContent)).toEqual(["1", "why"]);
    expect([...text.querySelectorAll(".footnote > div")].map((one) => one.textContent)).toEqual([
      "First\ngoes on.",
      "Second",
    ]);
    expect(text.querySelector("p")?.textContent).toContain("[^a-z]");
  });

  it("lead there and back", () => {
    document.body.append(text);
    HTMLElement.prototype.scrollIntoView = () => {};
    const end = acts(text);
    text.querySelector<HTMLElement>("[data-note=why]")?.click();
    expect((document.activeElement as HTMLElement).dataset.back).toBe("why");
    (document.activeElement as HTMLElement).click();
    expect((document.activeElement as HTMLElement).dataset.note).toBe("why");
    end();
  });
});

describe("formulas", () => {
  const found = (text: string): (string | null)[] =>
    [...page(text).querySelectorAll(".math")].map((one) => one.textContent);

  it("are told from money, variables and code", () => {
    expect(found("It costs $5, not $50. Set $HOME/$USER, US$3-$4, `$x$`, \\$y\\$ and $ z $.")).toEqual([]);
    expect(found("With $x_1$, ($p \\le 1$), \\(y\\) and $\\$3$.")).toEqual(["x_1", "p \\le 1", "y", "\\$3"]);
  });

  it("stand alone between double marks, and have no empty line in them", () => {
    expect(found("Text\n$$\na\n+ b\n$$\nmore\n\n\\[ c \\]\n")).toEqual(["a\n+ b", "c"]);
    expect(found("$$\na\n\nb\n$$\n")).toEqual([]);
  });
});
