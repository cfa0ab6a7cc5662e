/** Characters that make text look like something it is not, named so that a person can see them. */

import { unseen } from "../gen/unseen";

export interface Piece {
  readonly text: string;
  /** Why this piece is drawn as a box. */
  readonly odd?: string;
}

const names: Record<number, string> = {
  160: "no-break space",
  173: "soft hyphen",
  847: "grapheme joiner",
  1564: "arabic letter mark",
  4447: "hangul filler",
  4448: "hangul filler",
  6158: "vowel separator",
  8203: "zero width space",
  8204: "zero width non-joiner",
  8205: "zero width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8234: "left-to-right embedding",
  8235: "right-to-left embedding",
  8236: "end of embedding",
  8237: "left-to-right override",
  8238: "right-to-left override",
  8232: "line separator",
  8233: "paragraph separator",
  8239: "narrow no-break space",
  8288: "word joiner",
  8294: "left-to-right isolate",
  8295: "right-to-left isolate",
  8296: "first strong isolate",
  8297: "end of isolate",
  10240: "blank braille pattern",
  12288: "wide space",
  12644: "hangul filler",
  65279: "zero width no-break space",
  65440: "hangul filler",
};

/** Every character that is not seen, as one class. */
const odd = new RegExp(
  `[${unseen.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join("")}]`,
  "u",
);
const latin = /[a-z]/iu;
const other = /[\u0370-\u04ff]/u;

const pointOf = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;

function nameOf(code: number): string {
  if (code >= 0x370 && code <= 0x3ff) return "greek letter";
  if (code >= 0x400 && code <= 0x4ff) return "cyrillic letter";
  if (code >= 0xe0100) return "variation selector";
  if (code >= 0xe0000) return "invisible tag";
  if (code >= 0xfe00 && code <= 0xfe0f) return "variation selector";
  if (code >= 0x2000 && code <= 0x200a) return "space of another width";
  return names[code] ?? (code > 0x9f ? "invisible character" : "control character");
}

/** Where words stand that have both Latin and Cyrillic or Greek letters: these are disguises. */
function disguises(text: string): (readonly [number, number])[] {
  if (!other.test(text)) return [];
  return [...text.matchAll(/\S+/gu)]
    .filter(([word]) => latin.test(word) && other.test(word))
    .map((word) => [word.index, word.index + word[0].length] as const);
}

/** Whether anything in a text would be drawn as a box. */
export const hasOdd = (text: string): boolean => odd.test(text) || disguises(text).length > 0;

/** For a line that cannot have boxes: a name, an announcement, a button. */
export const plainly = (text: string): string =>
  pieces(text)
    .map((piece) => (piece.odd ? "▯" : piece.text))
    .join("");

export function pieces(text: string): Piece[] {
  const words = disguises(text);
  if (words.length === 0 && !odd.test(text)) return text === "" ? [] : [{ text }];
  const out: Piece[] = [];
  let plain = "";
  let at = 0;
  for (const letter of text) {
    const hidden = odd.test(letter);
    const here = at;
    at += letter.length;
    if (!hidden && !(other.test(letter) && words.some(([from, to]) => here >= from && here < to))) {
      plain += letter;
      continue;
    }
    if (plain !== "") out.push({ text: plain });
    plain = "";
    const code = letter.codePointAt(0) ?? 0;
    const point = pointOf(code);
    out.push({ text: hidden ? point : `${letter} ${point}`, odd: `${nameOf(code)}, ${point}` });
  }
  if (plain !== "") out.push({ text: plain });
  return out;
}
