/** Money, time and counts in one form everywhere. */

export function money(usd: number): string {
  if (usd > 0 && usd < 0.01) return `$${usd.toFixed(3)}`;
  return `$${usd.toFixed(2)}`;
}

/** `0.4 s`, `12 s`, `3 m 12 s`, `1 h 04 m`. */
export function span(ms: number): string {
  if (ms < 950) return `${Math.max(0.1, Math.round(ms / 100) / 10).toFixed(1)} s`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} m ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
}

/** How long ago, coarsely. */
export function age(then: number, now: number): string {
  const seconds = Math.max(0, (now - then) / 1000);
  if (seconds < 60) return "now";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const days = dayOf(now) - dayOf(then);
  if (days === 0) return `${Math.floor(minutes / 60)} h`;
  if (days === 1) return "yesterday";
  const date = new Date(then);
  if (days < 7) return date.toLocaleDateString("en", { weekday: "short" });
  return date.toLocaleDateString("en", { day: "numeric", month: "short" });
}

/** The same within a sentence. */
export function ago(then: number, now: number): string {
  const word = age(then, now);
  if (word === "now") return "just now";
  return /\d (min|h)$/.test(word) ? `${word} ago` : word;
}

const dayOf = (at: number): number => {
  const date = new Date(at);
  return Math.floor(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000);
};

/** `9:41`, by this device's clock. */
export function time(at: number | string): string {
  const date = new Date(at);
  return `${date.getHours()}:${String(date.getMinutes()).padStart(2, "0")}`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function tokens(count: number): string {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`;
}

/** Machines write without a capital; people do not. */
export const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
