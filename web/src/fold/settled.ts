/**
 * Turns that are long over, folded to what was asked, one line for the work,
 * and the final answer.
 *
 * Which turns are settled is decided by whoever draws, once, so that nothing
 * folds under a reader's eyes. Errors, pictures and quiet facts stay where they
 * are, and the line counts what failed or was denied, so that nothing bad hides.
 */
import { type Shown, shown } from "./groups";
import { type Wait, waited, waitsOf, wentOn, within } from "./took";
import type { Chunk, Row } from "./view";

/** The line that stands for the work of a settled turn. */
export interface WorkRow {
  readonly kind: "work";
  readonly key: string;
  readonly seq: number;
  readonly ts: string;
  readonly turn: number;
  readonly durationMs: number;
  readonly failed: number;
  readonly denied: number;
}

export type Drawn = Shown | WorkRow;

/** What one chunk knows of a turn. */
interface Part {
  readonly turn: number;
  /** Its first rows that fold; one of them may turn out to be the answer. */
  readonly work: Row[];
  /** When it waited for a person, and did not work. */
  readonly waits: Wait[];
  answer?: string;
  ended?: { durationMs: number; at: number };
  failed: number;
  denied: number;
}

export interface Settled {
  /** The rows in which the line stands. */
  readonly home: readonly Row[];
  /** The key of its last words. */
  readonly answer: string | undefined;
  readonly line: WorkRow;
}

const folds = (row: Row | Shown): boolean =>
  // A sub-agent that outlived its call is no part of the turn: it may still run, or ask.
  (row.kind === "tool" && !wentOn(row)) ||
  row.kind === "group" ||
  row.kind === "text" ||
  row.kind === "thinking" ||
  row.kind === "todo" ||
  row.kind === "request" ||
  (row.kind === "task" && row.task.status !== "running");

const known = new WeakMap<readonly Row[], readonly Part[]>();

function partsOf(rows: readonly Row[]): readonly Part[] {
  const before = known.get(rows);
  if (before) return before;
  const parts: Part[] = [];
  for (const row of rows) {
    let part = parts.at(-1);
    if (!part || part.turn !== row.turn) {
      part = { turn: row.turn, work: [], waits: [], failed: 0, denied: 0 };
      parts.push(part);
    }
    if (row.kind === "turn") part.ended = { durationMs: row.completed.durationMs, at: Date.parse(row.ts) };
    if (row.kind === "text") part.answer = row.key;
    part.waits.push(...waitsOf(row));
    if (!folds(row)) continue;
    if (part.work.length < 2) part.work.push(row);
    const denied = requestsOf(row).some((one) => one.resolved?.decision === "deny");
    if (denied) part.denied += 1;
    else if (isFailed(row)) part.failed += 1;
  }
  known.set(rows, parts);
  return parts;
}

const isFailed = (row: Row): boolean =>
  row.kind === "tool"
    ? row.done?.isError === true || row.agent?.status === "failed"
    : row.kind === "task" && row.task.status === "failed";

const requestsOf = (row: Row) =>
  row.kind === "tool" ? row.requests : row.kind === "request" ? [row.request] : [];

/** How long people were waited for in the turn that is over at `seq` or still goes on, as far as it is loaded. */
export function waitedIn(chunks: readonly Chunk[], turn: number, seq = Number.POSITIVE_INFINITY): number {
  let [low, high] = [0, Math.max(0, chunks.length - 1)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunks[middle]?.rows.at(-1)?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  const waits: Wait[] = [];
  let end = Number.POSITIVE_INFINITY;
  for (let at = low; at >= 0; at--) {
    const mine = partsOf(chunks[at]?.rows ?? []).filter((part) => part.turn === turn);
    if (mine.length === 0) break;
    waits.push(...mine.flatMap((part) => part.waits));
    end = mine.find((part) => part.ended)?.ended?.at ?? end;
  }
  return waited(within(waits, end));
}

/** The settled turns among `chunks`: those up to `last` whose end is known. */
export function settledTurns(chunks: readonly Chunk[], last: number): ReadonlyMap<number, Settled> {
  const all = new Map<number, { part: Part; work: { row: Row; home: readonly Row[] }[] }>();
  for (const { rows } of chunks) {
    for (const part of partsOf(rows)) {
      if (part.turn > last || part.turn < 1) continue;
      const one = all.get(part.turn);
      const work = part.work.map((row) => ({ row, home: rows }));
      if (!one) all.set(part.turn, { part: { ...part, waits: [...part.waits] }, work });
      else {
        one.work.push(...work);
        one.part.waits.push(...part.waits);
        one.part.answer = part.answer ?? one.part.answer;
        one.part.ended = part.ended ?? one.part.ended;
        one.part.failed += part.failed;
        one.part.denied += part.denied;
      }
    }
  }
  const settled = new Map<number, Settled>();
  for (const [turn, { part, work }] of all) {
    const first = work.find((one) => one.row.key !== part.answer);
    // A turn that never ended is not over; one that only answered needs no line.
    if (!part.ended || !first) continue;
    const { seq, ts } = first.row;
    const { failed, denied, ended, waits } = part;
    const durationMs = Math.max(0, ended.durationMs - waited(within(waits, ended.at)));
    const line: WorkRow = { kind: "work", key: `w:${turn}`, seq, ts, turn, durationMs, failed, denied };
    settled.set(turn, { home: first.home, answer: part.answer, line });
  }
  return settled;
}

/** Rows as they are drawn, with the work of settled turns behind a line unless it was opened. */
export function drawn(
  rows: readonly Row[],
  settled: ReadonlyMap<number, Settled>,
  isOpen: (key: string) => boolean,
): readonly Drawn[] {
  const list = shown(rows);
  if (!rows.some((row) => settled.has(row.turn))) return list;
  const out: Drawn[] = [];
  const lined = new Set<number>();
  for (const row of list) {
    const turn = settled.get(row.turn);
    if (!turn || !folds(row) || row.key === turn.answer) {
      out.push(row);
      continue;
    }
    if (turn.home === rows && !lined.has(row.turn)) {
      lined.add(row.turn);
      out.push(turn.line);
    }
    if (isOpen(turn.line.key)) out.push(row);
  }
  return out;
}
