/** What screen readers hear: one polite and one urgent voice, seldom and short. */
const PAUSE_MS = 3000;

let polite = $state("");
let urgent = $state("");
let last = 0;
let waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

function speak(): void {
  timer = undefined;
  last = Date.now();
  polite = waiting.at(-1) ?? "";
  waiting = [];
}

/** Merges what comes within three seconds; the newest counts. */
export function announce(text: string): void {
  waiting.push(text);
  if (timer === undefined) timer = setTimeout(speak, Math.max(0, last + PAUSE_MS - Date.now()));
}

/** Only for a new request. */
export function alarm(text: string): void {
  urgent = "";
  queueMicrotask(() => {
    urgent = text;
  });
}

export const voices = {
  get polite() {
    return polite;
  },
  get urgent() {
    return urgent;
  },
};
