/** What was found, by session, in the order in which sessions come up. */
import type { SearchHit } from "../../link/records";

export interface Group {
  readonly sessionId: string;
  readonly title: string | null;
  readonly projectId: string;
  readonly hits: readonly SearchHit[];
}

export function bySession(hits: readonly SearchHit[]): Group[] {
  const found = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const list = found.get(hit.sessionId);
    if (list) list.push(hit);
    else found.set(hit.sessionId, [hit]);
  }
  return [...found].map(([sessionId, list]) => ({
    sessionId,
    title: list[0]?.title ?? null,
    projectId: list[0]?.projectId ?? "",
    hits: list,
  }));
}

/** A text in pieces, marked or not; marks may come in any order and overlap. */
export function markedPieces(
  text: string,
  marks: readonly (readonly [number, number])[],
): { text: string; marked: boolean }[] {
  const out: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (const [from, to] of [...marks].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(at, Math.min(from, text.length));
    const end = Math.min(to, text.length);
    if (end <= start) continue;
    if (start > at) out.push({ text: text.slice(at, start), marked: false });
    out.push({ text: text.slice(start, end), marked: true });
    at = end;
  }
  if (at < text.length) out.push({ text: text.slice(at), marked: false });
  return out;
}
