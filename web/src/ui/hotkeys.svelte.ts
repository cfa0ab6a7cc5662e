/** Keys that work everywhere. Single letters count only when no field has the focus. */
import { paths } from "../routes";
import { router } from "../store/router.svelte";
import { sessions } from "../store/sessions.svelte";
import { settings } from "../store/settings.svelte";

export const keyList: readonly (readonly [string, string])[] = [
  ["G then H, I, P, U, S", "Home, Inbox, Projects, Usage, Settings"],
  ["C", "New session"],
  ["[ and ]", "Previous and next session"],
  ["Shift N", "Next that needs you"],
  ["J and K", "Next and previous row"],
  ["O or Enter", "Open or fold the row"],
  [".", "Menu of the row"],
  ["End or Shift G", "Latest, and follow"],
  ["Y, N, E, A", "On a request: allow once, deny, edit, always"],
  ["1 to 9", "On a question: choose"],
  ["Ctrl or ⌘ Enter", "Send"],
  ["↑ in an empty message", "Your last message again"],
  ["Esc", "Close, then leave the field; twice: stop the turn"],
  ["?", "This list"],
];

const places: Record<string, string> = { h: "/", i: "/inbox", p: "/projects", u: "/usage", s: "/settings" };
const WITHIN_MS = 1500;

let led = 0;
let help = $state(false);

export const hotkeys = {
  get help(): boolean {
    return help;
  },
  closeHelp(): void {
    help = false;
  },
};

export const inField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

function step(by: number): void {
  const { route } = router;
  const at = sessions.all.findIndex((row) => route.name === "session" && row.id === route.id);
  const next = sessions.all[at + by];
  if (next) router.go(paths.session(sessions.projectOf(next)?.slug, next.id));
}

function nextNeed(): void {
  const { route } = router;
  const here = route.name === "session" ? route.id : "";
  const open = sessions.approvals;
  const after = open.findIndex((one) => one.sessionId === here);
  const one = open[(after + 1) % Math.max(1, open.length)];
  if (one)
    router.go(
      `${paths.session(sessions.projectOf(sessions.one(one.sessionId))?.slug, one.sessionId)}?at=${one.seq}`,
    );
}

export function startHotkeys(): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !settings.letters) return;
    if (inField(event.target) || document.querySelector("dialog[open]")) return;
    if (event.timeStamp - led < WITHIN_MS && places[event.key]) {
      led = 0;
      event.preventDefault();
      router.go(places[event.key] ?? "/");
      return;
    }
    const act: Record<string, () => void> = {
      g: () => {
        led = event.timeStamp;
      },
      c: () => router.go("/new"),
      "[": () => step(-1),
      "]": () => step(1),
      N: nextNeed,
      "?": () => {
        help = true;
      },
    };
    const found = act[event.key];
    if (!found) return;
    event.preventDefault();
    found();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}
