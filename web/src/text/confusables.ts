/** Characters that make text look like something it is not, named so that a person can see them. */

export interface Piece {
  readonly text: string;
  /** Why this piece is drawn as a box. */
  readonly odd?: string;
}

const names: Record<number, string> = {
  173: "soft hyphen",
  1564: "arabic letter mark",
  4447: "hangul filler",
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
  8288: "word joiner",
  8294: "left-to-right isolate",
  8295: "right-to-left isolate",
  8296: "first strong isolate",
  8297: "end of isolate",
  12644: "hangul filler",
  65279: "zero width no-break space",
  65440: "hangul filler",
};

const odd =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\u3164\ufeff\uffa0]/gu;

export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(odd)) {
    if (match.index > at) out.push({ text: text.slice(at, match.index) });
    const code = match[0].codePointAt(0) ?? 0;
    const point = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    out.push({ text: point, odd: `${names[code] ?? "control character"}, ${point}` });
    at = match.index + match[0].length;
  }
  if (at < text.length) out.push({ text: text.slice(at) });
  return out;
}
