/** What the agent says and this version does not know, in the agent's own words where it has any. */
import type { UnknownRow } from "./view";

/** Where the agent keeps words for people, in the order of their worth. */
const WORDS = [
  ["message"],
  ["content"],
  ["text"],
  ["reason"],
  ["description"],
  ["message", "content"],
  ["error", "message"],
] as const;

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (found, name) => (typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined),
    value,
  );

/** Its own words; none if it has none. */
export function wordsOf(row: UnknownRow): string | undefined {
  if (row.type !== "agent.unknown") return undefined;
  for (const path of WORDS) {
    const found = at(row.raw, path);
    if (typeof found === "string" && found.trim() !== "") return found.trim();
  }
  return undefined;
}

/** What it is, where it has no words. */
export const nameOf = (row: UnknownRow): string =>
  row.type === "agent.unknown"
    ? "The agent said something this version does not know"
    : `Something this version does not know: ${row.type}`;
