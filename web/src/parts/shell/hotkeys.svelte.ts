/** Keys that work everywhere. Whoever handles a key first keeps it. */
import { paths } from "../../routes";
import { router } from "../../store/router.svelte";
import { sessions } from "../../store/sessions.svelte";
import { settings } from "../../store/settings.svelte";
import { viewed } from "../../store/viewed";
import { inField } from "../../ui/hotkeys.svelte";
import { meaningOf } from "./keys";
import { layers } from "./layers.svelte";

const SECOND_KEY_MS = 1500;

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
  const { route } = router;
  if (route.name !== "session") return;
  const at = sessions.all.findIndex((row) => row.id === route.id);
  const row = sessions.all[at + by];
  if (row) router.go(paths.session(sessions.projectOf(row)?.slug, row.id));
}

function nextNeed(): void {
  const { route } = router;
  const here = route.name === "session" ? route.id : "";
  const open = sessions.approvals;
  const after = open.findIndex((one) => one.sessionId === here);
  const next = open[(after + 1) % Math.max(1, open.length)];
  if (!next) return;
  const slug = sessions.projectOf(sessions.one(next.sessionId))?.slug;
  router.go(paths.event(slug, next.sessionId, next.seq));
}

export function startHotkeys(): () => void {
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
  return () => removeEventListener("keydown", pressed);
}
