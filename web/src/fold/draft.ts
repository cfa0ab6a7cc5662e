/**
 * A view while a batch of events is folded into it.
 *
 * Chunks and rows that a batch does not touch keep their identity; those it
 * touches are copied once. The view it began with is left as it was.
 */
import type { Envelope } from "../gen/events";
import { foldHeader } from "./header";
import {
  CHUNK,
  type Chunk,
  type Header,
  type LiveBlock,
  type Orphan,
  type QueuedMessage,
  type Request,
  type Row,
  type View,
} from "./view";

interface OpenChunk extends Chunk {
  rows: Row[];
  at: Map<string, number>;
}

export class Draft {
  seq: number;
  first: number;
  header: Header;
  live: readonly LiveBlock[];
  progress: ReadonlyMap<string, number>;
  begun: number;
  waiting: readonly QueuedMessage[];
  private chunks: Chunk[];
  private readonly open = new Set<Chunk>();
  private orphans: Orphan[];
  /** What the event under way has done so far. */
  private added = false;
  private missed = false;
  /** While orphans are tried again: whether the one at hand has its row. */
  private settled = false;

  constructor(view: View) {
    this.seq = view.seq;
    this.first = view.first;
    this.header = view.header;
    this.live = view.live;
    this.progress = view.progress;
    this.begun = view.begun;
    this.waiting = view.waiting;
    this.chunks = [...view.chunks];
    this.orphans = [...view.orphans];
  }

  view(): View {
    const { seq, first, header, chunks, live, progress, begun, waiting, orphans } = this;
    return { seq, first, header, chunks, live, progress, begun, waiting, orphans };
  }

  /** Whether the beginning of the session is here, so that nothing can come before. */
  get whole(): boolean {
    return this.first === 1;
  }

  /** Runs one event's handler, and keeps the event if rows it speaks of are missing. */
  handle(event: Envelope, handler: (draft: Draft, event: Envelope) => void): void {
    this.added = false;
    this.missed = false;
    this.settled = false;
    handler(this, event);
    if (this.missed) this.orphans.push({ event, added: this.added });
    this.header = foldHeader(this.header, event);
    this.seq = Math.max(this.seq, event.seq);
  }

  /** Puts an earlier stretch of the session before this one. */
  prepend(page: View, handler: (draft: Draft, event: Envelope) => void): void {
    this.chunks.unshift(...page.chunks);
    this.first = page.first;
    this.begun = Math.min(page.begun, this.begun);
    this.waiting = [...page.waiting, ...this.waiting];
    const again = [...page.orphans, ...this.orphans];
    this.orphans = [];
    for (const orphan of again) {
      this.added = orphan.added;
      this.settled = orphan.added;
      this.missed = false;
      handler(this, orphan.event);
      if (this.missed) this.orphans.push({ event: orphan.event, added: this.added });
    }
  }

  /** Says that a row this event is about is not loaded. */
  miss(): void {
    this.missed = true;
  }

  has(key: string): boolean {
    return this.find(key) !== undefined;
  }

  /** Whether the row of that key stands for another event. */
  isOther(key: string, seq: number): boolean {
    const found = this.find(key);
    const row = found && this.chunks[found.chunk]?.rows[found.row];
    return row?.key === key && row.seq !== seq;
  }

  /**
   * Adds a row in the order of `seq`, inside the row of its parent if it has
   * one. `own` is the row that stands for the event itself.
   */
  add(row: Row, own = true): void {
    const { parent } = row;
    if (parent === undefined) {
      if (!(own && this.settled) && !this.known(row)) this.insert(row);
      if (own) this.added = true;
      return;
    }
    const nested = this.update(`t:${parent}`, (owner) => {
      if (owner.kind !== "tool" || owner.children.some((child) => child.key === row.key)) return owner;
      return { ...owner, children: bySeq(owner.children, row) };
    });
    if (!nested && this.whole) this.insert(row);
    else if (!nested) this.missed = true;
    else this.index(row.key, `t:${parent}`);
  }

  /** Changes a row in place; false if it is not here. */
  update(key: string, change: (row: Row) => Row): boolean {
    const found = this.find(key);
    if (!found) return false;
    const chunk = this.opened(found.chunk);
    const row = chunk.rows[found.row];
    if (row) chunk.rows[found.row] = within(row, key, change);
    return true;
  }

  /** Attaches a request to the row of a tool call; false if that is not here. */
  attach(toolUseId: string, request: Request): boolean {
    const attached = this.update(`t:${toolUseId}`, (row) => {
      if (row.kind !== "tool" || row.requests.some((one) => one.id === request.id)) return row;
      return { ...row, requests: [...row.requests, request] };
    });
    if (attached) this.index(`p:${request.id}`, `t:${toolUseId}`);
    return attached;
  }

  /** Changes a request wherever it stands; false if it is not here. */
  updateRequest(id: string, change: (request: Request) => Request): boolean {
    const found = this.find(`p:${id}`);
    if (!found) return false;
    const chunk = this.opened(found.chunk);
    const row = chunk.rows[found.row];
    if (row) chunk.rows[found.row] = requestWithin(row, id, change);
    return true;
  }

  private find(key: string): { chunk: number; row: number } | undefined {
    for (let chunk = this.chunks.length - 1; chunk >= 0; chunk--) {
      const row = this.chunks[chunk]?.at.get(key);
      if (row !== undefined) return { chunk, row };
    }
    return undefined;
  }

  /**
   * Whether a row that is to be added is there. Keys have to differ within a
   * chunk, so for one at the end only the last chunks are looked at.
   */
  private known(row: Row): boolean {
    const { chunks } = this;
    const last = chunks.at(-1)?.rows.at(-1);
    if (last && last.seq > row.seq) return this.has(row.key);
    return chunks.slice(-2).some((chunk) => chunk.at.has(row.key));
  }

  private index(key: string, owner: string): void {
    const found = this.find(owner);
    if (found) this.opened(found.chunk).at.set(key, found.row);
  }

  private insert(row: Row): void {
    let at = this.chunks.length - 1;
    while (at >= 0 && (this.chunks[at]?.rows[0]?.seq ?? 0) > row.seq) at--;
    const last = this.chunks.length - 1;
    const home = this.chunks[at];
    const tail = home?.rows.at(-1);
    if (!home || (at === last && tail && tail.seq <= row.seq && home.rows.length >= CHUNK)) {
      const chunk: OpenChunk = { key: `c:${row.key}`, rows: [row], at: new Map([[row.key, 0]]) };
      this.chunks.splice(at + 1, 0, chunk);
      this.open.add(chunk);
      return;
    }
    const chunk = this.opened(at);
    if (!tail || tail.seq < row.seq || (tail.seq === row.seq && tail.kind !== "turn")) {
      chunk.at.set(row.key, chunk.rows.push(row) - 1);
      return;
    }
    chunk.rows = bySeq(chunk.rows, row);
    chunk.at = reindexed(chunk.rows);
  }

  private opened(at: number): OpenChunk {
    const chunk = this.chunks[at];
    if (!chunk) throw new Error(`there is no chunk ${at}`);
    if (this.open.has(chunk)) return chunk as OpenChunk;
    const copy: OpenChunk = { key: chunk.key, rows: [...chunk.rows], at: new Map(chunk.at) };
    this.chunks[at] = copy;
    this.open.add(copy);
    return copy;
  }
}

function bySeq(rows: readonly Row[], row: Row): Row[] {
  // A message that only the end of its turn told of stands before that end.
  const rank = (one: Row): number => one.seq + (one.kind === "turn" ? 0.5 : 0);
  let at = rows.length;
  for (let before = rows[at - 1]; before && rank(before) > rank(row); before = rows[at - 1]) at--;
  return [...rows.slice(0, at), row, ...rows.slice(at)];
}

function reindexed(rows: readonly Row[]): Map<string, number> {
  const at = new Map<string, number>();
  rows.forEach((row, position) => {
    const add = (one: Row): void => {
      at.set(one.key, position);
      if (one.kind !== "tool") return;
      for (const request of one.requests) at.set(`p:${request.id}`, position);
      one.children.forEach(add);
    };
    add(row);
  });
  return at;
}

/** Changes the row of that key, which is `row` or nested in it. */
function within(row: Row, key: string, change: (row: Row) => Row): Row {
  if (row.key === key) return change(row);
  if (row.kind !== "tool") return row;
  let changed = false;
  const children = row.children.map((child) => {
    const next = within(child, key, change);
    changed ||= next !== child;
    return next;
  });
  return changed ? { ...row, children } : row;
}

function requestWithin(row: Row, id: string, change: (request: Request) => Request): Row {
  if (row.kind === "request") return row.request.id === id ? { ...row, request: change(row.request) } : row;
  if (row.kind !== "tool") return row;
  if (row.requests.some((one) => one.id === id)) {
    return { ...row, requests: row.requests.map((one) => (one.id === id ? change(one) : one)) };
  }
  let changed = false;
  const children = row.children.map((child) => {
    const next = requestWithin(child, id, change);
    changed ||= next !== child;
    return next;
  });
  return changed ? { ...row, children } : row;
}
