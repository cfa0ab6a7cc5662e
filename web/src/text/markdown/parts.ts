/** A whole text in the parts that one would remark on: paragraphs, headings, single items of lists. */
import type { Tokens } from "marked";
import { blockTokens } from "./language";

export interface Part {
  /** As it was written. */
  readonly text: string;
  /** Of a heading. */
  readonly heading?: { readonly depth: number; readonly title: string };
}

/** Definitions of links hold for all parts, so such a text stays in one. */
const definition = /^ {0,3}\[(?!\^)[^\]\n]+\]:/m;

export function partsOf(text: string): readonly Part[] {
  if (definition.test(text)) return [{ text }];
  const parts: Part[] = [];
  for (const token of blockTokens(text)) {
    if (token.type === "space") continue;
    if (token.type === "heading") {
      const { depth, text: title } = token as Tokens.Heading;
      parts.push({ text: token.raw, heading: { depth, title: plain(title) } });
      continue;
    }
    const items = token.type === "list" ? (token as Tokens.List).items.map((one) => one.raw) : [];
    if (items.length > 1 && items.join("").trim() === token.raw.trim())
      parts.push(...items.map((text) => ({ text })));
    else parts.push({ text: token.raw });
  }
  return parts;
}

/** How many steps a plan numbers. Nothing where it numbers none, or begins anew: then it is not known which are meant. */
export function stepsOf(text: string): number | undefined {
  let steps = 0;
  for (const token of blockTokens(text)) {
    if (token.type !== "list" || !(token as Tokens.List).ordered) continue;
    const { start, items } = token as Tokens.List;
    if (start !== steps + 1) return undefined;
    steps += items.length;
  }
  return steps || undefined;
}

/** A heading's text without its marks. */
const plain = (text: string): string =>
  text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`~]+/g, "")
    .trim();

/** Remarks on parts, as the agent reads them: each behind the words it is about. */
export function quoted(remarks: readonly { part: string; remark: string }[], note: string): string {
  const all = remarks.map(({ part, remark }) => `${part.trim().replace(/^/gm, "> ")}\n\n${remark.trim()}`);
  return [...all, note.trim()].filter((one) => one !== "").join("\n\n");
}
