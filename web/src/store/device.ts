/** Which device this is, as the daemon names it in receipts. */
const KEY = "baton.device";
/** What it may do: `observe` only watches. */
const SCOPE = "baton.scope";

export const device = {
  id: (): string | undefined => localStorage.getItem(KEY) ?? undefined,
  /** What to call it before anybody named it. */
  name(): string {
    return called(navigator.userAgent, navigator.maxTouchPoints);
  },
  scope: (): string | undefined => localStorage.getItem(SCOPE) ?? undefined,
  remember(id: string, scope: string): void {
    localStorage.setItem(KEY, id);
    localStorage.setItem(SCOPE, scope);
  },
};

/** The first that fits: browsers name those they are like after themselves. */
const browsers: readonly [RegExp, string][] = [
  [/Firefox|FxiOS/, "Firefox"],
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR|OPT\//, "Opera"],
  [/SamsungBrowser/, "Samsung Internet"],
  [/Chrome|CriOS|Chromium/, "Chrome"],
  [/Safari/, "Safari"],
];
const systems: readonly [RegExp, string][] = [
  [/iPhone|iPod/, "iPhone"],
  [/iPad/, "iPad"],
  // Before Linux, which Android's have too.
  [/Android/, "Android"],
  [/CrOS/, "ChromeOS"],
  [/Windows/, "Windows"],
  [/Macintosh|Mac OS X/, "Mac"],
  [/Linux/, "Linux"],
];

export function called(agent: string, touches: number): string {
  const first = (list: typeof browsers): string | undefined => list.find(([fits]) => fits.test(agent))?.[1];
  const system = first(systems);
  // An iPad says that it is a Mac, and no Mac is touched.
  const real = system === "Mac" && touches > 1 ? "iPad" : system;
  return [first(browsers) ?? "Browser", real].filter(Boolean).join(" on ");
}
