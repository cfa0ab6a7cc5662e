/**
 * The markdown that answers are written in: GitHub's, with mathematics and
 * footnotes. Both can be told from the text at hand alone, because a growing
 * answer is read in pieces: a formula has no empty line in it, as in TeX, and a
 * footnote shows the name it was given.
 */
import { Lexer, Marked, type Token, type TokenizerExtension, type Tokens } from "marked";

export interface MathToken extends Tokens.Generic {
  type: "math" | "mathBlock";
  text: string;
  display: boolean;
}

export interface NoteToken extends Tokens.Generic {
  type: "note" | "noteText";
  label: string;
}

const formula = (type: MathToken["type"], raw: string, text: string, display: boolean): MathToken => ({
  type,
  raw,
  text: text.trim(),
  display,
});

/** Lines of a formula: anything but an empty line, and not for ever. */
const blockMath =
  /^ {0,3}(?:\$\$((?:[^$\n]|\$(?!\$)|\n(?![ \t]*(?:\n|$))){1,4000}?)\$\$|\\\[((?:[^\n]|\n(?![ \t]*(?:\n|$))){1,4000}?)\\\])[ \t]*(?:\n+|$)/;

const mathBlock: TokenizerExtension = {
  name: "mathBlock",
  level: "block",
  start: (src) => {
    const at = /\n {0,3}(?:\$\$|\\\[)/.exec(src)?.index;
    return at === undefined ? undefined : at + 1;
  },
  tokenizer(src) {
    const found = blockMath.exec(src);
    const text = found?.[1] ?? found?.[2];
    if (!found || !text?.trim()) return undefined;
    return formula("mathBlock", found[0], text, true);
  },
};

/** A dollar before a number is money, and one before a name a variable, unless another one ends it like TeX. */
const inlineMath =
  /^(?:\$\$([^$\n]+)\$\$|\$(?![\s$])((?:[^$\\\n`]|\\.)*[^\s$\\`]|(?:[^$\\\n`]|\\.)*\\.)\$(?![\w$])|\\\(([^\n]{1,1000}?)\\\)|\\\[([^\n]{1,1000}?)\\\])/;

const math: TokenizerExtension = {
  name: "math",
  level: "inline",
  start: (src) => {
    const at = src.search(/(?<![\w$\\])\$|\\[([]/);
    return at < 0 ? undefined : at;
  },
  tokenizer(src, tokens) {
    const found = inlineMath.exec(src);
    if (!found) return undefined;
    const text = found[1] ?? found[2] ?? found[3] ?? found[4] ?? "";
    // `a$b$` is no formula: what stands before the sign belongs to it.
    const before = tokens.at(-1)?.raw.at(-1);
    if (src.startsWith("$") && before && /[\w$]/.test(before)) return undefined;
    if (!text.trim()) return undefined;
    return formula("math", found[0], text, found[1] !== undefined || found[4] !== undefined);
  },
};

/** Not the class of characters of a pattern, such as `[^a-z]`. */
const label = String.raw`\^(\d{1,3}|[A-Za-z]\w+(?:-\w{2,})*)`;
const noteMark = new RegExp(String.raw`^\[${label}\](?!:)`);
const noteBegin = new RegExp(String.raw`^ {0,3}\[${label}\]:[ \t]*`);
const noteRest = /^[^\n]*(?:\n(?![ \t]*(?:\n|$)| {0,3}\[\^)[^\n]+)*(?:\n+ {2,}[^\n]+)*(?:\n+|$)/;

const noteText: TokenizerExtension = {
  name: "noteText",
  level: "block",
  start: (src) => {
    const at = /\n {0,3}\[\^/.exec(src)?.index;
    return at === undefined ? undefined : at + 1;
  },
  tokenizer(src) {
    const begin = noteBegin.exec(src);
    if (!begin) return undefined;
    const rest = noteRest.exec(src.slice(begin[0].length))?.[0] ?? "";
    const token: NoteToken = { type: "noteText", raw: begin[0] + rest, label: begin[1] ?? "" };
    token.tokens = this.lexer.blockTokens(rest.replace(/\n {2,}/g, "\n").trim(), []);
    return token;
  },
};

const note: TokenizerExtension = {
  name: "note",
  level: "inline",
  start: (src) => {
    const at = src.indexOf("[^");
    return at < 0 ? undefined : at;
  },
  tokenizer(src) {
    const found = noteMark.exec(src);
    if (!found) return undefined;
    return { type: "note", raw: found[0], label: found[1] ?? "" } satisfies NoteToken;
  },
};

const language = new Marked({ gfm: true, extensions: [mathBlock, math, noteText, note] });

/** What the blocks are, without what is in them. */
export const blockTokens = (text: string): Token[] => new Lexer(language.defaults).blockTokens(text);

export const allTokens = (text: string): Token[] => new Lexer(language.defaults).lex(text);
