/** How far a person has looked in each session on this device, so that what is new can be marked. */
export interface Seen {
  /** The last event that was looked at. */
  readonly seq: number;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

const KEY = "baton.seen";
const MOST = 200;

type Kept = Record<string, readonly [seq: number, at: number]>;

function load(): Kept {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Kept;
  } catch {
    return {};
  }
}

export const seen = {
  of(sessionId: string): Seen | undefined {
    const one = load()[sessionId];
    return one ? { seq: one[0], at: one[1] } : undefined;
  },
  note(sessionId: string, { seq, at }: Seen): void {
    const { [sessionId]: _, ...others } = load();
    const latest = Object.entries(others)
      .sort(([, a], [, b]) => b[1] - a[1])
      .slice(0, MOST - 1);
    localStorage.setItem(KEY, JSON.stringify({ ...Object.fromEntries(latest), [sessionId]: [seq, at] }));
  },
};
