/**
 * Rows as they are drawn: runs of quiet, successful reading become one line.
 *
 * Only neighbours in one chunk are grouped, so a chunk's drawing depends on
 * nothing else and is made once. A failure, an edit, a command or anything that
 * was asked never hides in a group.
 */
import { look } from "./labels";
import type { NoticeRow, Row, ToolRow } from "./view";

export interface GroupRow {
  readonly kind: "group";
  /** Of its first member, so that a lone tool becoming a group stays the same place. */
  readonly key: string;
  readonly seq: number;
  readonly ts: string;
  readonly turn: number;
  readonly rows: readonly ToolRow[];
  readonly text: string;
  readonly durationMs: number;
}

export type Shown = Row | GroupRow;

const groupable = (row: Row): row is ToolRow =>
  row.kind === "tool" &&
  row.done !== undefined &&
  !row.done.isError &&
  row.requests.length === 0 &&
  row.images.length === 0 &&
  row.children.length === 0 &&
  look(row).family === "explore";

const isRetry = (row: Row | undefined): row is NoticeRow =>
  row?.kind === "notice" && row.event.type === "agent.retry";

const known = new WeakMap<readonly Row[], readonly Shown[]>();

export function shown(rows: readonly Row[]): readonly Shown[] {
  const before = known.get(rows);
  if (before) return before;
  const out: Shown[] = [];
  let run: ToolRow[] = [];
  const close = (): void => {
    const [first] = run;
    if (first && run.length > 1) out.push(group(first, run));
    else out.push(...run);
    run = [];
  };
  rows.forEach((row, at) => {
    if (groupable(row)) {
      run.push(row);
      return;
    }
    close();
    if (hidden(row)) return;
    // Of several tries in a row, the last one says it all.
    if (isRetry(row) && isRetry(rows[at + 1])) return;
    out.push(row);
  });
  close();
  known.set(rows, out);
  return out;
}

/** Calls that only carry what another row shows better. */
function hidden(row: Row): boolean {
  if (row.kind !== "tool" || !row.done || row.done.isError || row.requests.length > 0) return false;
  return row.toolKind === "todo";
}

function group(first: ToolRow, rows: readonly ToolRow[]): GroupRow {
  const files = new Set(rows.filter((row) => row.toolKind === "read").map((row) => look(row).object)).size;
  const web = rows.filter((row) => look(row).icon === "web").length;
  const searches = rows.filter((row) => look(row).icon === "search").length;
  const parts = [
    files > 0 && `${files} ${files === 1 ? "file" : "files"}`,
    searches > 0 && `${searches} ${searches === 1 ? "search" : "searches"}`,
    web > 0 && `${web} ${web === 1 ? "page" : "pages"}`,
  ].filter((part) => part !== false);
  return {
    kind: "group",
    key: first.key,
    seq: first.seq,
    ts: first.ts,
    turn: first.turn,
    rows,
    text: parts.join(", "),
    durationMs: rows.reduce((sum, row) => sum + (row.done?.durationMs ?? 0), 0),
  };
}
