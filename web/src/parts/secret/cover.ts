/** Covers what looks like a credential wherever a command or an input is shown. What it is was the daemon's to say. */
import type { Secret, SecretKind } from "../../gen/events";
import { told } from "../../store/secrets";

/** More of them are not kept: the newest are on the screen. */
const MOST = 1000;
export const COVER = "••••";

interface Known {
  readonly pattern: RegExp;
  /** By every spelling. */
  readonly kinds: ReadonlyMap<string, SecretKind>;
}
let known: Known | undefined;
let count = 0;

const plain = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** As it stands, and as it stands in JSON. */
const spellings = (text: string): string[] => [text, JSON.stringify(text).slice(1, -1)];

/** How to find them. Made anew when more was told, which is before it is drawn. */
export function secretIn(): Known | undefined {
  if (count === told.length) return known;
  const each = new Map<string, Secret>();
  for (const one of told) each.set(`${one.before ?? ""}\n${one.text}`, one);
  told.splice(0, told.length, ...[...each.values()].slice(-MOST));
  count = told.length;
  const sources = told
    .toSorted((a, b) => b.text.length - a.text.length)
    .flatMap(({ text, before }) =>
      spellings(text).map((one) => (before ? `(?<=${plain(before)})` : "") + plain(one)),
    );
  known = {
    pattern: new RegExp([...new Set(sources)].join("|"), "g"),
    kinds: new Map(told.flatMap(({ text, kind }) => spellings(text).map((one) => [one, kind]))),
  };
  return known;
}

/** The text with every secret covered, for a line that is a button or a link itself. */
export function covered(text: string): string {
  const secret = secretIn();
  return secret ? text.replace(secret.pattern, COVER) : text;
}

export const hasSecret = (text: string): boolean => covered(text) !== text;
