/**
 * A link that shows one session: its token stands in the address, and counts for
 * this tab alone. Whoever is signed in here stays so in every other.
 */
const KEY = "baton.share";
const MARK = "#share=";

function taken(): string | null {
  if (typeof location === "undefined" || typeof sessionStorage === "undefined") return null;
  if (location.hash.startsWith(MARK)) {
    sessionStorage.setItem(KEY, location.hash.slice(MARK.length));
    // Nobody shall read it over a shoulder, nor find it in the history.
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  // Whoever opens a link to sign in wants that, whatever this tab showed before.
  if (location.hash.startsWith("#link=")) sessionStorage.removeItem(KEY);
  return sessionStorage.getItem(KEY);
}

/** The token, where this tab shows one session. */
export const shared = taken();

/** From here on this tab is like every other. */
export function leaveShare(): void {
  sessionStorage.removeItem(KEY);
  location.assign("/");
}

if (typeof addEventListener !== "undefined")
  addEventListener("hashchange", () => {
    const signsIn = shared !== null && location.hash.startsWith("#link=");
    if (signsIn || location.hash.startsWith(MARK)) location.reload();
  });
