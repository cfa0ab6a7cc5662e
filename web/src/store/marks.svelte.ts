/** Sessions that a person pinned or muted on this device. */
const KEY = "baton.marks";

type Kept = Record<string, "pin" | "mute">;

function load(): Kept {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Kept;
  } catch {
    return {};
  }
}

let kept = $state.raw<Kept>(load());

export const marks = {
  pinned: (id: string): boolean => kept[id] === "pin",
  /** Last in lists, and never announced. What needs you still counts. */
  muted: (id: string): boolean => kept[id] === "mute",
  toggle(id: string, mark: "pin" | "mute"): void {
    const { [id]: before, ...others } = kept;
    kept = before === mark ? others : { ...others, [id]: mark };
    localStorage.setItem(KEY, JSON.stringify(kept));
  },
  /** Pinned ones first, muted ones last, the rest as they were. */
  sort<T extends { readonly id: string }>(rows: readonly T[]): T[] {
    const rank = (row: T): number => (marks.pinned(row.id) ? 0 : marks.muted(row.id) ? 2 : 1);
    return rows.toSorted((a, b) => rank(a) - rank(b));
  },
};
