/**
 * One markdown block as nodes. Only what stands here is ever made, and nothing
 * that an agent wrote is read as HTML: no part of it can load or run anything.
 */
import type { Token, Tokens } from "marked";
import { hasLongWord } from "../long";
import { allTokens, type MathToken, type NoteToken } from "./language";

type Attributes = Record<string, string | undefined>;
type Child = Node | string;

function el(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * What people or agents write begins where its script begins. Only the outermost
 * element says so: browsers do not look into those within that say it as well.
 * The style sheet does the same for what lies in it.
 */
const auto = { dir: "auto" };

const signs = document.createElement("textarea");
/** Signs by their names: these few letters are all that is read as HTML. */
const named = (text: string): string =>
  text.replace(/&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]\w{1,31});/g, (name) => {
    signs.innerHTML = name;
    return signs.value;
  });

const inline = (tokens: readonly Token[] = []): Child[] => tokens.flatMap(inlineOf);

function inlineOf(token: Token): Child[] {
  switch (token.type) {
    case "text":
      return token.tokens ? inline(token.tokens) : [named(token.text)];
    case "escape":
      return [token.text];
    case "strong":
    case "em":
    case "del":
      return [el(token.type, {}, ...inline(token.tokens))];
    case "codespan":
      return [el("code", { dir: "ltr" }, token.text)];
    case "br":
      return [el("br")];
    case "link":
      return link(token.href, inline(token.tokens));
    // Pictures from elsewhere would tell who looks at them.
    case "image":
      return link(token.href, [token.text || "image"]);
    case "checkbox":
      return [
        el("span", {
          class: token.checked ? "box done" : "box",
          role: "img",
          "aria-label": token.checked ? "Done" : "Open",
        }),
      ];
    case "math":
      return [formula(token as MathToken)];
    case "note": {
      const { label } = token as NoteToken;
      const name = `Footnote ${label}`;
      return [el("sup", {}, el("button", { type: "button", "data-note": label, "aria-label": name }, label))];
    }
    case "html":
      return [/^<br\s*\/?>$/i.test(token.text.trim()) ? el("br") : token.text];
    default:
      return [token.raw];
  }
}

function link(href: string, children: Child[]): Child[] {
  if (/^(?:https?:|mailto:)/i.test(href))
    return [el("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...children)];
  // What might be a file of the project is told apart later.
  return /^[\w./@~-]+(?:#L\d+(?:-L?\d+)?)?$/.test(href)
    ? [el("span", { "data-ref": href }, ...children)]
    : children;
}

/** TeX, until it is drawn. */
const formula = ({ text, display }: MathToken): HTMLElement =>
  el("code", { dir: "ltr", class: display ? "math display" : "math" }, text);

/** `loose` puts text that stands for itself into paragraphs; `inside` another block it has the direction of that. */
function blocksOf(tokens: readonly Token[] = [], inside = true, loose = true): Child[] {
  const side = inside ? {} : auto;
  return tokens.flatMap((token, at): Child[] => {
    switch (token.type) {
      case "space":
      case "def":
        return [];
      case "paragraph":
        return [el("p", side, ...inline(token.tokens))];
      case "heading":
        return [el(`h${token.depth}`, side, ...inline(token.tokens))];
      case "hr":
        return [el("hr")];
      case "blockquote":
        return [el("blockquote", side, ...blocksOf(token.tokens))];
      case "code":
        return [code(token as Tokens.Code)];
      case "list":
        return [list(token as Tokens.List, side)];
      case "table":
        return [table(token as Tokens.Table, side)];
      case "mathBlock":
        return [el("div", { class: "formula", tabindex: "0", role: "group" }, formula(token as MathToken))];
      case "noteText": {
        const { label } = token as NoteToken;
        const back = {
          type: "button",
          "data-back": label,
          "aria-label": `Back to where footnote ${label} is`,
        };
        const body = el("div", {}, ...blocksOf(token.tokens));
        return [
          el("div", { class: "footnote", ...side, "data-text": label }, el("button", back, label), body),
        ];
      }
      case "html":
        return [el("p", side, token.text.trim())];
      case "text":
      case "checkbox": {
        const words = inlineOf(token);
        if (loose) return [el("p", side, ...words)];
        return tokens[at - 1]?.type === "text" ? ["\n", ...words] : words;
      }
      default:
        return [token.raw];
    }
  });
}

function list({ ordered, start, items }: Tokens.List, side: Attributes): HTMLElement {
  const from = ordered && start !== 1 ? String(start) : undefined;
  const made = items.map((item) =>
    el("li", item.task ? { class: "task" } : {}, ...blocksOf(item.tokens, true, item.loose)),
  );
  return el(ordered ? "ol" : "ul", { ...side, start: from }, ...made);
}

function code({ text, lang }: Tokens.Code): HTMLElement {
  const language = /^[\w+#.-]+/.exec(lang ?? "")?.[0] ?? "";
  const name = language ? `Code, ${language}` : "Code";
  return el(
    "div",
    { class: "code", "data-lang": language.toLowerCase() || undefined },
    el(
      "div",
      { class: "bar" },
      el("span", { class: "lang" }, language),
      el("button", { type: "button", "data-act": "wrap", "aria-pressed": "false" }, "Wrap"),
      el("button", { type: "button", "data-act": "copy" }, "Copy"),
    ),
    el(
      "pre",
      { dir: "ltr", tabindex: "0", role: "group", "aria-label": name },
      el("code", { class: `lang-${language}` }, text),
    ),
  );
}

/** What a column of numbers is made of. */
const number = /^[-+−~≈<>≤≥]?\s?[$€£¥]?\s?\d[\d.,'\u202f ]*\s?(?:%|[a-zA-Zµ]{1,3}|[a-zA-Z]{1,2}\/s)?$/;
/** Cells with more than this get room, so that they are not a stack of words. */
const LONG_CELL = 24;
/** A table with more rows scrolls inside itself, under its head. */
const TALL = 20;

function table({ header, align, rows }: Tokens.Table, side: Attributes): HTMLElement {
  const look = align.map((given, at) => {
    const cells = rows.map((row) => row[at]?.text.trim() ?? "").filter((text) => text !== "");
    const numbers = cells.length > 0 && cells.every((text) => number.test(text));
    return [given ?? (numbers ? "right" : ""), numbers ? "number" : ""];
  });
  const row = (cells: Tokens.TableCell[], tag: string): HTMLElement =>
    el(
      "tr",
      {},
      ...cells.map((cell, at) => {
        const long = cell.text.length > LONG_CELL ? "long" : "";
        const names = [...(look[at] ?? []), long].filter(Boolean).join(" ");
        return el(tag, { class: names || undefined }, ...inline(cell.tokens));
      }),
    );
  return el(
    "div",
    {
      class: rows.length > TALL ? "table tall" : "table",
      tabindex: "0",
      role: "group",
      "aria-label": "Table",
      ...side,
    },
    el(
      "table",
      {},
      el("thead", {}, row(header, "th")),
      el("tbody", {}, ...rows.map((cells) => row(cells, "td"))),
    ),
  );
}

/** More marks than this cost a parser more than they can be worth. */
const MOST_MARKS = 2000;
const fence = /^\s{0,3}(?:```|~~~)/;

/** Whether a block is text as people and models write it, and not made to keep the page busy. */
function isUsual(block: string): boolean {
  if (block.length <= MOST_MARKS || fence.test(block)) return true;
  return !hasLongWord(block) && (block.match(/[*_[\]`~<>\\$]/g) ?? []).length <= MOST_MARKS;
}

/** Text under way is drawn once and never again. What cannot be drawn is shown as it was written. */
export function renderOnce(block: string): DocumentFragment {
  const page = document.createDocumentFragment();
  if (isUsual(block)) {
    try {
      page.append(...blocksOf(allTokens(block), false));
      page.normalize();
      return page;
    } catch {
      // Nested deeper than a parser can go.
    }
  }
  const lines = block.trim().split("\n");
  page.append(
    el("p", { class: "flat", ...auto }, ...lines.flatMap((line, at) => (at > 0 ? [el("br"), line] : [line]))),
  );
  return page;
}

const LIMIT = 500;
const cache = new Map<string, DocumentFragment>();

/** Blocks are drawn again when their chunk is mounted again, so the last ones are remembered. */
export function render(block: string): DocumentFragment {
  let known = cache.get(block);
  if (!known) {
    known = renderOnce(block);
    if (cache.size >= LIMIT) {
      const [oldest] = cache.keys();
      if (oldest !== undefined) cache.delete(oldest);
    }
    cache.set(block, known);
  }
  return known.cloneNode(true) as DocumentFragment;
}
