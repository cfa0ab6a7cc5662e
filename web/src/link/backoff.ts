/** How long to wait before the next try: doubling, with jitter, so that many tabs do not knock at once. */
const FIRST_MS = 500;
const MOST_MS = 15_000;

export function backoff(tries: number, random: () => number = Math.random): number {
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(tries, 10));
  return Math.round(most / 2 + (most / 2) * random());
}
