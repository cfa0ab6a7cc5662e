/** Which sessions stand on the board, in which column and in which order. */

export type Column = "needs" | "working" | "failed" | "done";
export const columns: readonly Column[] = ["needs", "working", "failed", "done"];
export type Board = Readonly<Record<Column, readonly string[]>>;

interface Row {
  readonly id: string;
  readonly state: string;
  readonly status: string;
  readonly turnFailed?: boolean;
  readonly openApprovals: number;
  readonly turnCount: number;
  readonly lastActivityAt: string;
  readonly lastActedAt?: string;
  readonly archived?: boolean;
}

export const emptyBoard: Board = { needs: [], working: [], failed: [], done: [] };

const acted = (row: Row): string => row.lastActedAt ?? row.lastActivityAt;

/** `today` is when the day began where this is read. */
export function columnOf(row: Row, today: number): Column | undefined {
  if (row.openApprovals > 0) return "needs";
  if (row.archived) return undefined;
  if (row.state !== "idle" && row.state !== "ended") return "working";
  if (Date.parse(acted(row)) < today) return undefined;
  if (row.turnFailed || row.status === "failed") return "failed";
  return row.turnCount > 0 ? "done" : undefined;
}

/** The board as it is now: cards stay where they were unless their state moved; what comes stands first. */
export function boardOf(before: Board, rows: readonly Row[], today: number): Board {
  const of = (column: Column): readonly string[] => {
    const now = rows.filter((row) => columnOf(row, today) === column);
    const ids = new Set(now.map((row) => row.id));
    const stayed = before[column].filter((id) => ids.has(id));
    const known = new Set(stayed);
    const fresh = now.filter((row) => !known.has(row.id)).sort((a, b) => acted(b).localeCompare(acted(a)));
    return [...fresh.map((row) => row.id), ...stayed];
  };
  return { needs: of("needs"), working: of("working"), failed: of("failed"), done: of("done") };
}

export const columnWith = (board: Board, id: string): Column | undefined =>
  columns.find((one) => board[one].includes(id));

/** Where an arrow key leads from a card; from nowhere to the first one. */
export function walk(board: Board, from: string | undefined, key: string): string | undefined {
  const column = from === undefined ? undefined : columnWith(board, from);
  if (from === undefined || !column) return columns.map((one) => board[one][0]).find(Boolean);
  const at = board[column].indexOf(from);
  if (key === "ArrowUp" || key === "ArrowDown") return board[column][at + (key === "ArrowDown" ? 1 : -1)];
  const step = key === "ArrowRight" ? 1 : -1;
  for (let to = columns.indexOf(column) + step; ; to += step) {
    const next = columns[to];
    if (!next) return undefined;
    const list = board[next];
    if (list.length > 0) return list[Math.min(at, list.length - 1)];
  }
}
