/** How far a person has looked in each session on this device, so that what is new can be marked. */
export interface Seen {
  /** The last event that was looked at. */
  readonly seq: number;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** How many turns were over then. */
  readonly turns: number;
}

const KEY = "baton.seen";
const MOST = 200;

/** Turns came later: what was kept before has none. */
type Kept = Record<string, readonly [seq: number, at: number, turns?: number]>;

/** Lists ask for every row, so the same text is read once. */
let known: { text: string; kept: Kept } = { text: "", kept: {} };

function load(): Kept {
  const text = localStorage.getItem(KEY) ?? "";
  if (text === known.text) return known.kept;
  try {
    known = { text, kept: JSON.parse(text) as Kept };
  } catch {
    known = { text, kept: {} };
  }
  return known.kept;
}

export const seen = {
  of(sessionId: string): Seen | undefined {
    const one = load()[sessionId];
    return one ? { seq: one[0], at: one[1], turns: one[2] ?? Number.POSITIVE_INFINITY } : undefined;
  },
  note(sessionId: string, { seq, at, turns }: Seen): void {
    const { [sessionId]: _, ...others } = load();
    const latest = Object.entries(others)
      .sort(([, a], [, b]) => b[1] - a[1])
      .slice(0, MOST - 1);
    localStorage.setItem(
      KEY,
      JSON.stringify({ ...Object.fromEntries(latest), [sessionId]: [seq, at, turns] }),
    );
  },
};
