/** Which device this is, as the daemon names it in receipts. */
const KEY = "baton.device";
/** What it may do: `observe` only watches. */
const SCOPE = "baton.scope";

export const device = {
  id: (): string | undefined => localStorage.getItem(KEY) ?? undefined,
  /** What to call it before anybody named it. */
  name(): string {
    const agent = navigator.userAgent;
    const browser = /Firefox|Edg|OPR|Chrome|Safari/.exec(agent)?.[0] ?? "Browser";
    const system = /iPhone|iPad|Android|Mac OS X|Windows|CrOS|Linux/.exec(agent)?.[0] ?? "";
    const plain: Record<string, string> = { Edg: "Edge", OPR: "Opera", "Mac OS X": "Mac", CrOS: "ChromeOS" };
    return [plain[browser] ?? browser, plain[system] ?? system].filter(Boolean).join(" on ");
  },
  scope: (): string | undefined => localStorage.getItem(SCOPE) ?? undefined,
  remember(id: string, scope: string): void {
    localStorage.setItem(KEY, id);
    localStorage.setItem(SCOPE, scope);
  },
};
