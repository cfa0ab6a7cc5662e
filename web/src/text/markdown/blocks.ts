/**
 * Cuts growing markdown into blocks, so that only the last one is drawn again.
 *
 * A block is closed once another begins after it; from then on its text never
 * changes. The blocks of a text are the same whether it came at once or in
 * pieces.
 */
import type { Token } from "marked";
import { blockTokens } from "./language";

export interface Blocks {
  readonly text: string;
  /** Blocks that will not change. */
  readonly closed: readonly string[];
  /** How much of the text they cover. */
  readonly offset: number;
  /** The last block, which may still grow. */
  readonly tail: string;
}

export const none: Blocks = { text: "", closed: [], offset: 0, tail: "" };

/** Definitions of links reach across blocks; footnotes do not. */
const definition = /^ {0,3}\[(?!\^)[^\]\n]+\]:/m;

export function blocks(text: string, before: Blocks = none): Blocks {
  if (text === before.text) return before;
  const grown = text.startsWith(before.text) ? before : none;
  if (isDecided(grown.tail)) {
    const news = text.slice(grown.text.length);
    if (isPlain(news)) return { ...grown, text, tail: grown.tail + news };
  }
  if (definition.test(text)) return { text, closed: [], offset: 0, tail: text };
  const rest = text.slice(grown.offset);
  const pieces: string[] = [];
  for (const token of tokens(normal(rest))) {
    const last = pieces.length - 1;
    if (token.type === "space" && last >= 0) pieces[last] += token.raw;
    else if (token.type === "space") pieces.push(token.raw);
    else if (last >= 0 && pieces[last]?.trim() === "") pieces[last] += token.raw;
    else pieces.push(token.raw);
  }
  // Should the pieces not add up, the text is drawn as one.
  if (pieces.join("").length !== rest.length)
    return { text, closed: grown.closed, offset: grown.offset, tail: rest };
  // What is kept is the text as it came, carriage returns included.
  let at = grown.offset;
  const own = pieces.map((piece) => {
    const from = at;
    at += piece.length;
    return text.slice(from, at);
  });
  const tail = own.pop() ?? "";
  const closed = own.length > 0 ? [...grown.closed, ...own] : grown.closed;
  return { text, closed, offset: text.length - tail.length, tail };
}

/** Text that means nothing but itself wherever a line goes on. */
export const isPlain = (text: string): boolean => /^[\p{L}\p{N} ,.;!?'"()%–—’“”…-]*$/u.test(text);

/** Whether it is clear which block the last line belongs to, whatever plain text follows in it. */
export function isDecided(tail: string): boolean {
  const from = tail.lastIndexOf("\n") + 1;
  const line = tail.slice(from, from + 64);
  return /\p{L}|\d{10}/u.test(line) && !/^\s*</.test(line);
}

/** None if the text nests deeper than the lexer can go. */
function tokens(text: string): Token[] {
  try {
    return blockTokens(text);
  } catch {
    return [];
  }
}

/** The lexer wants plain line ends; lengths stay the same. */
function normal(text: string): string {
  return text.replace(/\r/g, " ");
}

/** Closes what is half typed, so that markers do not flash by. Only for text under way. */
export function completed(tail: string): string {
  if (/^ {0,3}(```|~~~)/.test(tail)) return tail;
  let text = tail.replace(/!?\[[^\]\n]*$/, "").replace(/\[([^\]\n]+)\]\([^)\n]*$/, "$1");
  const ticks = (text.match(/`/g) ?? []).length;
  if (ticks % 2 === 1) return `${text}\``;
  const plain = text.replace(/`[^`]*`/g, "");
  const bold = (plain.match(/\*\*/g) ?? []).length;
  if (bold % 2 === 1) text = /\*\*$/.test(text) ? text.slice(0, -2) : `${text.replace(/\s+$/, "")}**`;
  return text;
}
