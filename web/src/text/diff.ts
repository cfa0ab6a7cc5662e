/** Changes to files as hunks, whoever told them, with marks on the words that changed. */

import { fields, ran, ranWith } from "../fold/labels";
import type { ToolRow } from "../fold/view";
import type { DiffPreview, Hunk } from "../gen/events";

export interface Line {
  readonly kind: "same" | "added" | "removed";
  /** Old number for removed lines, new for the others; absent when not known. */
  readonly number?: number;
  readonly text: string;
  /** From and to of what changed within the line. */
  readonly mark?: readonly [number, number];
}

export interface Change {
  readonly path: string;
  readonly lines: readonly Line[];
  readonly added: number;
  readonly removed: number;
  readonly fresh: boolean;
  readonly truncated: boolean;
}

/** Beyond this many lines words are not compared. */
const MARKED_LINES = 200;

export function fromPreview(preview: DiffPreview): Change {
  return change(preview.path, preview.hunks ?? [], { truncated: preview.truncated ?? false });
}

/** How one text became another; the lines themselves say where. */
export const between = (before: string, after: string): Change =>
  change("", [hunkOf(before, after)], { numbers: false, fresh: false });

/** What a finished or running edit did, as well as it is known. */
export function fromTool(row: ToolRow): Change | undefined {
  const about = ran(row);
  const told = ranWith(row);
  // What was asked for is not what was done, if somebody changed it.
  const asked = told === row.input ? row.requests.at(-1)?.asked.preview : undefined;
  const detail = fields(row.done?.detail);
  const input = fields(told);
  const path = about.subject?.path ?? String(detail.filePath ?? "");
  const patch = detail.structuredPatch;
  if (Array.isArray(patch) && patch.length > 0) return change(path, patch.map(fromPatch), {});
  if (asked && (asked.hunks ?? []).length > 0) return { ...fromPreview(asked), path };
  if (row.toolKind === "write" && typeof input.content === "string")
    return change(path, [hunkOf("", input.content)], { fresh: detail.type === "create" });
  if (Array.isArray(input.edits)) {
    const hunks = input.edits.map((one) => hunkOf(str(fields(one).old_string), str(fields(one).new_string)));
    return change(path, hunks, {});
  }
  if (typeof input.new_string === "string")
    return change(path, [hunkOf(str(input.old_string), input.new_string)], { numbers: false });
  return undefined;
}

const str = (value: unknown): string => (typeof value === "string" ? value : "");

function fromPatch(raw: unknown): Hunk {
  const { oldStart, newStart, lines } = fields(raw);
  const list = Array.isArray(lines) ? lines.map(String) : [];
  return {
    oldStart: Number(oldStart) || 1,
    newStart: Number(newStart) || 1,
    lines: list
      .filter((line) => !line.startsWith("\\"))
      .map((line) => ({
        kind: line[0] === "+" ? "added" : line[0] === "-" ? "removed" : "same",
        text: line.slice(1),
      })),
  };
}

/** Two texts as one hunk, with the lines they share at both ends left out of the change. */
export function hunkOf(before: string, after: string): Hunk {
  const old = before === "" ? [] : before.replace(/\n$/, "").split("\n");
  const fresh = after === "" ? [] : after.replace(/\n$/, "").split("\n");
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail))
    tail++;
  const same = (text: string) => ({ kind: "same" as const, text });
  return {
    oldStart: 1,
    newStart: 1,
    lines: [
      ...old.slice(0, head).map(same),
      ...old.slice(head, old.length - tail).map((text) => ({ kind: "removed" as const, text })),
      ...fresh.slice(head, fresh.length - tail).map((text) => ({ kind: "added" as const, text })),
      ...old.slice(old.length - tail).map(same),
    ],
  };
}

function change(
  path: string,
  hunks: readonly Hunk[],
  how: { truncated?: boolean; fresh?: boolean; numbers?: boolean },
): Change {
  const lines: Line[] = [];
  for (const hunk of hunks) {
    let [old, fresh] = [hunk.oldStart, hunk.newStart];
    const start = lines.length;
    for (const line of hunk.lines ?? []) {
      const number = line.kind === "removed" ? old : fresh;
      if (line.kind !== "added") old++;
      if (line.kind !== "removed") fresh++;
      lines.push({ kind: line.kind, text: line.text, ...(how.numbers === false ? {} : { number }) });
    }
    if (lines.length - start <= MARKED_LINES) markWords(lines, start);
  }
  const count = (kind: Line["kind"]): number => lines.filter((line) => line.kind === kind).length;
  const [added, removed] = [count("added"), count("removed")];
  const fresh = how.fresh ?? (removed === 0 && added === lines.length && hunks[0]?.oldStart === 1);
  return { path, lines, added, removed, fresh, truncated: how.truncated ?? false };
}

/** Removed lines are compared with the added ones right after them, one by one. */
function markWords(lines: Line[], start: number): void {
  let at = start;
  while (at < lines.length) {
    let removed = at;
    while (lines[removed]?.kind === "removed") removed++;
    let added = removed;
    while (lines[added]?.kind === "added") added++;
    const pairs = Math.min(removed - at, added - removed);
    for (let pair = 0; pair < pairs; pair++) markPair(lines, at + pair, removed + pair);
    at = Math.max(added, at + 1);
  }
}

function markPair(lines: Line[], oldAt: number, newAt: number): void {
  const [old, fresh] = [lines[oldAt], lines[newAt]];
  if (!old || !fresh) return;
  const [a, b] = [words(old.text), words(fresh.text)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const shared = a.slice(0, head).join("") + a.slice(a.length - tail).join("");
  // Lines that have nothing in common are better left without marks.
  if (shared.trim() === "") return;
  const length = (list: string[]): number => list.join("").length;
  const from = length(a.slice(0, head));
  const mark = (line: Line, list: string[]): Line => {
    const to = line.text.length - length(list.slice(list.length - tail));
    return to > from ? { ...line, mark: [from, to] } : line;
  };
  lines[oldAt] = mark(old, a);
  lines[newAt] = mark(fresh, b);
}

const words = (text: string): string[] => text.match(/\w+|\s+|[^\w\s]/g) ?? [];
