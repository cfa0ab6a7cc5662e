/**
 * Which request a key answers: the one that has the focus, or the only one in
 * what has it. One rule for every list, so that what has the focus, what is
 * shown and what a key answers can never be three things.
 */
import { settings } from "../../store/settings.svelte";
import { announce } from "../../ui/announce.svelte";

/** What each key does to a request, as it is now. */
export type Acts = Readonly<Record<string, () => void>>;

const KEYS = new Set(["y", "n", "e", "a", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
const NOTE_MS = 4000;
export const NO_AIM = "Keys answer the request that has the focus: J and K go there";

/** The requests on the screen, by their ids. */
const cards = new Map<string, Acts>();
let at = $state<string | undefined>();
let missed = $state(false);
let timer: ReturnType<typeof setTimeout> | undefined;

export const aim = {
  /** The request that a key would answer now. */
  get at(): string | undefined {
    return at;
  },
  /** A key was pressed that no request has a use for. */
  get missed(): boolean {
    return missed;
  },
  /** A request comes on the screen; the answer takes it away. */
  show(id: string, acts: Acts): () => void {
    if (cards.size === 0) start();
    cards.set(id, acts);
    soon();
    return () => {
      if (cards.get(id) === acts) cards.delete(id);
      if (cards.size === 0) stop();
      soon();
    };
  },
};

function start(): void {
  document.addEventListener("focusin", soon);
  document.addEventListener("focusout", soon);
  addEventListener("keydown", pressed);
}

function stop(): void {
  document.removeEventListener("focusin", soon);
  document.removeEventListener("focusout", soon);
  removeEventListener("keydown", pressed);
}

/** The focus also moves because the page is being redrawn, and then nothing may change yet. */
const soon = (): void => queueMicrotask(look);

function look(): void {
  at = settings.letters ? aimOf(document.activeElement) : undefined;
}

/** A line names its request, a card is one, and a row of a timeline has one in it or several. */
function aimOf(focused: Element | null): string | undefined {
  const named = focused?.closest<HTMLElement>("[data-aims]")?.dataset.aims;
  const inside = focused?.closest<HTMLElement>("[data-approval]")?.dataset.approval;
  const id = named ?? inside ?? onlyIn(focused);
  return id !== undefined && cards.has(id) ? id : undefined;
}

function onlyIn(row: Element | null): string | undefined {
  if (!row?.matches("[data-key], [data-item]")) return undefined;
  const found = [...row.querySelectorAll<HTMLElement>("[data-approval]")]
    .map((one) => one.dataset.approval ?? "")
    .filter((id) => cards.has(id));
  return found.length === 1 ? found[0] : undefined;
}

/** Choosing is not typing: numbers count on the circles and boxes of a question. */
const typing = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]") !== null;

function pressed(event: KeyboardEvent): void {
  if (!KEYS.has(event.key) || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey)
    return;
  if (!settings.letters || typing(event.target) || document.querySelector("dialog[open]")) return;
  look();
  const act = at === undefined ? undefined : cards.get(at)?.[event.key];
  event.preventDefault();
  // A key that is held down is one press.
  if (event.repeat) return;
  if (act) return act();
  // Numbers are for questions alone, and nobody misses them elsewhere.
  if (at !== undefined || event.key <= "9") return;
  missed = true;
  announce(`${NO_AIM}.`);
  clearTimeout(timer);
  timer = setTimeout(() => {
    missed = false;
  }, NOTE_MS);
}
