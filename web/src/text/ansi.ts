/** Terminal output as coloured text. Colours are kept, everything else a terminal would obey is not. */

export interface Span {
  readonly text: string;
  /** Classes of `styles/code.css`; empty for plain text. */
  readonly look: string;
}

interface Style {
  colour: number | undefined;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

const plain: Style = { colour: undefined, bold: false, dim: false, italic: false, underline: false };

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const sequence = /\u001b(?:\[([0-9;:?<=>]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export function ansi(text: string): Span[] {
  const spans: Span[] = [];
  let style = plain;
  let at = 0;
  const push = (piece: string): void => {
    if (piece === "") return;
    spans.push({ text: piece.replace(control, shown), look: classes(style) });
  };
  const source = overwritten(text);
  for (const match of source.matchAll(sequence)) {
    push(source.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") style = changed(style, match[1] ?? "");
  }
  push(source.slice(at));
  return spans;
}

/** A progress bar writes over its line; what stood there last counts. */
function overwritten(text: string): string {
  if (!text.includes("\r")) return text;
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  return lines.map((line) => line.replace(/\r+$/, "").split("\r").at(-1) ?? "").join("\n");
}

/** The picture of a control character: a lone escape is seen, not obeyed. */
function shown(sign: string): string {
  const code = sign.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "␡";
}

function changed(before: Style, codes: string): Style {
  const style = { ...before };
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 0) Object.assign(style, plain);
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 22) style.bold = style.dim = false;
    else if (code === 23) style.italic = false;
    else if (code === 24) style.underline = false;
    else if (code >= 30 && code <= 37) style.colour = code - 30;
    else if (code >= 90 && code <= 97) style.colour = code - 90;
    else if (code === 39) style.colour = undefined;
    else if (code === 38 || code === 48) {
      const skipped = numbers[at + 1] === 5 ? 2 : 4;
      if (code === 38 && skipped === 2)
        style.colour = (numbers[at + 2] ?? 0) < 16 ? (numbers[at + 2] ?? 0) % 8 : undefined;
      at += skipped;
    }
  }
  return style;
}

function classes(style: Style): string {
  const list = [
    style.colour !== undefined && style.colour > 0 && style.colour < 7 ? `a-${style.colour}` : "",
    style.bold ? "a-b" : "",
    style.dim ? "a-d" : "",
    style.italic ? "a-i" : "",
    style.underline ? "a-u" : "",
  ];
  return list.filter(Boolean).join(" ");
}
