/** Keys that work everywhere. Whoever handles a key first keeps it. */
import { match, paths } from "../../routes";
import { panes } from "../../store/panes.svelte";
import { router } from "../../store/router.svelte";
import { sessions } from "../../store/sessions.svelte";
import { settings } from "../../store/settings.svelte";
import { viewed } from "../../store/viewed";
import { inField } from "../../ui/hotkeys.svelte";
import { spacious, wide } from "../../ui/wide.svelte";
import { meaningOf } from "./keys";
import { layers } from "./layers.svelte";

const SECOND_KEY_MS = 1500;
/** A key that was pressed longer ago than this does nothing any more: nobody waits for it. */
const LATE_MS = 5000;

/** The next thing of a list on this screen; false if there is no list, as in a session. */
function step(by: number): boolean {
  const items = [...document.querySelectorAll<HTMLElement>("main [data-item]")];
  const at = items.findIndex((item) => item.contains(document.activeElement));
  // What is shown beside a list is where one stands in it.
  const shown = items.findIndex((item) => item.ariaCurrent);
  const first = shown >= 0 ? shown : by > 0 ? 0 : items.length - 1;
  const next = at < 0 ? first : at + by;
  items[next]?.focus();
  items[next]?.scrollIntoView({ block: "nearest" });
  return items.length > 0;
}

function neighbour(by: number): void {
  const here = panes.focused;
  if (!here) return;
  const at = sessions.all.findIndex((row) => row.id === here);
  const row = sessions.all[at + by];
  if (row) panes.swap(row.id);
}

/** With Alt a session opens beside what is open, where there is room. */
function alongside(event: MouseEvent): void {
  if (!event.altKey || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = (event.target as Element | null)?.closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin || !spacious.current) return;
  const to = match(new URL(link.href));
  if (to.name !== "session") return;
  event.preventDefault();
  event.stopPropagation();
  panes.open(to.id);
}

function nextNeed(): void {
  const here = panes.focused;
  const open = sessions.approvals;
  const after = open.findIndex((one) => one.sessionId === here);
  const next = open[(after + 1) % Math.max(1, open.length)];
  if (!next) return;
  const slug = sessions.projectOf(sessions.one(next.sessionId))?.slug;
  router.go(paths.event(slug, next.sessionId, next.seq));
}

/** `early` are the keys that were pressed before this was here. */
export function startHotkeys(early: readonly KeyboardEvent[] = []): () => void {
  let begun = 0;
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return;
    const modal = document.querySelector("dialog[open]") !== null;
    const meaning = meaningOf(
      { key: event.key, ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey },
      Date.now() - begun < SECOND_KEY_MS,
      inField(event.target),
      settings.letters,
    );
    begun = 0;
    if (!meaning || modal) return;
    if (meaning.do === "next" || meaning.do === "previous") {
      if (step(meaning.do === "next" ? 1 : -1)) event.preventDefault();
      return;
    }
    event.preventDefault();
    switch (meaning.do) {
      case "palette":
      case "keys":
        return layers.open(meaning.do);
      case "await":
        begun = Date.now();
        return;
      case "go":
        return router.go(meaning.to);
      case "board":
        // On a narrow screen the lists say the same.
        return wide.current ? router.go(paths.board()) : undefined;
      case "begin":
        return router.go(viewed.begin);
      case "needs":
        return nextNeed();
      case "before":
        return neighbour(-1);
      case "after":
        return neighbour(1);
    }
  };
  addEventListener("keydown", pressed);
  addEventListener("click", alongside, true);
  for (const event of early) if (performance.now() - event.timeStamp < LATE_MS) pressed(event);
  return () => {
    removeEventListener("keydown", pressed);
    removeEventListener("click", alongside, true);
  };
}
