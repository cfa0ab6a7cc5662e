/** Keys of the timeline: walk the rows, open them, follow again, stop the turn. */
import { inField } from "../../ui/hotkeys.svelte";

const TWICE_MS = 1000;

export interface Keys {
  /** Whether keys are meant for this session: others may stand beside it. */
  mine(): boolean;
  toEnd(): void;
  hold(): void;
  stop(): void;
  /** Of a row. */
  menu(row: HTMLElement): void;
  /** Shows or hides what stands beside the timeline. */
  beside(): void;
}

export function timelineKeys(root: HTMLElement, does: Keys): (event: KeyboardEvent) => void {
  let escaped = Number.NEGATIVE_INFINITY;
  const rows = (): HTMLElement[] => [...root.querySelectorAll<HTMLElement>("[data-key]")];
  const current = (): HTMLElement | null =>
    rows().find((row) => row.contains(document.activeElement)) ?? null;

  function walk(by: number): void {
    const all = rows();
    const edge = root.getBoundingClientRect();
    const here = current();
    const at = here
      ? all.indexOf(here) + by
      : all.findLastIndex((row) => row.getBoundingClientRect().top < edge.bottom - 80);
    const next = all[at];
    if (!next) return;
    does.hold();
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  return (event) => {
    if (!does.mine() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      if (inField(event.target)) (event.target as HTMLElement).blur();
      else if (event.timeStamp - escaped < TWICE_MS) does.stop();
      escaped = event.timeStamp;
      return;
    }
    if (inField(event.target)) return;
    const row = current();
    const act: Record<string, () => void> = {
      j: () => walk(1),
      k: () => walk(-1),
      G: does.toEnd,
      End: does.toEnd,
      o: () => row?.querySelector<HTMLElement>("button[aria-expanded]")?.click(),
      ".": () => row && does.menu(row),
      "\\": does.beside,
    };
    if (event.key === "Enter" && document.activeElement === row) act.Enter = act.o ?? (() => {});
    const found = act[event.key];
    if (!found) return;
    event.preventDefault();
    found();
  };
}
