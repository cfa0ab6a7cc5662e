/** Where things stand among the rows. */
import { shown } from "./groups";
import type { Chunk, Request, Row } from "./view";

export interface Place {
  readonly chunk: Chunk;
  /** Of the row as it is drawn. */
  readonly key: string;
}

const asks = (one: Request, seq: number): boolean => one.seq === seq || one.resolved?.seq === seq;

/** Its own event, or one that told more of it. */
const holds = (row: Row, seq: number): boolean =>
  row.seq === seq ||
  (row.kind === "request" && asks(row.request, seq)) ||
  (row.kind === "tool" &&
    (row.done?.seq === seq ||
      row.requests.some((one) => asks(one, seq)) ||
      row.children.some((child) => holds(child, seq))));

/** The row that stands for an event: its own, or the one it is nested or grouped in. */
export function placeOf(chunks: readonly Chunk[], seq: number): Place | undefined {
  for (const chunk of chunks) {
    const found = chunk.rows.find((row) => holds(row, seq));
    if (!found) continue;
    const group = shown(chunk.rows).find(
      (one) => one.kind === "group" && one.rows.some((row) => row === found),
    );
    return { chunk, key: group?.key ?? found.key };
  }
  return undefined;
}

/** The same; an event that no row stands for leads to what stood before it, or to the first of all. */
export function nearestTo(chunks: readonly Chunk[], seq: number): Place | undefined {
  const rows = chunks.flatMap((chunk) => chunk.rows);
  const near = rows.findLast((row) => row.seq <= seq) ?? rows[0];
  return placeOf(chunks, seq) ?? (near && placeOf(chunks, near.seq));
}

/** How many rows came after an event. */
export function countAfter(chunks: readonly Chunk[], seq: number): number {
  let count = 0;
  for (const { rows } of chunks.toReversed()) {
    const list = shown(rows);
    const fresh = list.filter((row) => row.seq > seq).length;
    count += fresh;
    if (fresh < list.length) break;
  }
  return count;
}

/** The first row that came after an event. */
export function firstAfter(chunks: readonly Chunk[], seq: number): { key: string; turn: number } | undefined {
  let at = chunks.length - 1;
  while (at > 0 && (chunks[at - 1]?.rows.at(-1)?.seq ?? 0) > seq) at--;
  return shown(chunks[at]?.rows ?? []).find((row) => row.seq > seq);
}

/** The last turn that is over, as far as this is loaded; 0 if none is. */
export function turnsOver(chunks: readonly Chunk[]): number {
  for (const { rows } of chunks.toReversed()) {
    const end = rows.findLast((row) => row.kind === "turn");
    if (end) return end.completed.turn;
  }
  return 0;
}
