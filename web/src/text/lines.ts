/**
 * Code as lines of safe HTML: colours that span lines, marks on words, and
 * characters that mislead. What the highlighter makes is only spans with
 * classes and escaped text; nothing else is passed on.
 */
import { pieces } from "./confusables";

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => escapes[one] ?? one);

const token = /<span class="[\w\s-]*">|<\/span>|\n|&(?:#x?[0-9a-f]+|\w+);|[^<&\n]+|[<&]/gi;

/** Splits coloured code into lines; a colour that goes on is begun again. */
export function splitHtml(html: string): string[] {
  const lines: string[] = [];
  const open: string[] = [];
  let line = "";
  for (const [part] of html.matchAll(token)) {
    if (part === "\n") {
      lines.push(line + "</span>".repeat(open.length));
      line = open.join("");
      continue;
    }
    if (part.startsWith("<span")) open.push(part);
    else if (part === "</span>") {
      if (open.pop() === undefined) continue;
    }
    line += part === "<" || part === "&" ? escaped(part) : part;
  }
  lines.push(line + "</span>".repeat(open.length));
  return lines;
}

export type Mark = readonly [number, number];

/** Puts marks at places counted in the text, whatever colours are there. */
export function withMarks(html: string, marks: readonly Mark[]): string {
  if (marks.length === 0) return html;
  const open: string[] = [];
  let out = "";
  let at = 0;
  let marked = false;
  const turn = (on: boolean): void => {
    if (on === marked) return;
    const spans = open.join("");
    out += "</span>".repeat(open.length) + (on ? "<mark>" : "</mark>") + spans;
    marked = on;
  };
  const write = (shown: string): void => {
    turn(marks.some(([from, to]) => from <= at && at < to));
    out += shown;
    at += 1;
  };
  for (const [part] of html.matchAll(token)) {
    if (part.startsWith("<span")) {
      open.push(part);
      out += part;
    } else if (part === "</span>") {
      open.pop();
      out += part;
    } else if (part.startsWith("&") && part.length > 1) write(part);
    else for (let unit = 0; unit < part.length; unit++) write(escaped(part.charAt(unit)));
  }
  turn(false);
  return out;
}

/** One line as it is drawn. Where characters mislead, being seen matters more than colour. */
export function lineHtml(text: string, coloured: string | undefined, marks: readonly Mark[] = []): string {
  const shown = pieces(text);
  if (shown.some((piece) => piece.odd !== undefined)) {
    return shown
      .map((piece) =>
        piece.odd
          ? `<span class="odd" title="${escaped(piece.odd)}">${piece.text}</span>`
          : escaped(piece.text),
      )
      .join("");
  }
  return withMarks(coloured ?? escaped(text), marks);
}

/** How many characters of a text a reader would not see. */
export const oddCount = (text: string): number =>
  pieces(text).filter((piece) => piece.odd !== undefined).length;
