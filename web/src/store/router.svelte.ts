/** Where this tab is: the address, and the layers that cover the screen. */
import { match, type Route } from "../routes";

let route = $state.raw<Route>(match(new URL(location.href)));
let path = $state(location.pathname + location.search);
/** What closes each covering layer, the topmost last. */
const layers: (() => void)[] = [];
/** History entries of layers that are gone; taken back a moment later unless something needs an entry. */
let surplus = 0;

function arrived(): void {
  path = location.pathname + location.search;
  route = match(new URL(location.href));
}

function closeDownTo(depth: number): void {
  while (layers.length > depth) {
    surplus += 1;
    layers.pop()?.();
  }
}

function takeBack(): void {
  if (surplus === 0) return;
  history.go(-surplus);
  surplus = 0;
}

export const router = {
  get route(): Route {
    return route;
  },
  get path(): string {
    return path;
  },
  go(to: string): void {
    // The entry of an open layer becomes the new screen, so that Back leads to what was under it.
    closeDownTo(0);
    if (surplus > 0 || to === path) history.replaceState({ inside: true }, "", to);
    else history.pushState({ inside: true }, "", to);
    surplus = 0;
    arrived();
  },
  replace(to: string): void {
    closeDownTo(0);
    surplus = 0;
    history.replaceState(history.state, "", to);
    arrived();
  },
  /** One up: the entry before, if it is ours, else `fallback`. */
  up(fallback: string): void {
    if ((history.state as { inside?: boolean } | null)?.inside) history.back();
    else this.replace(fallback);
  },
  /** Covers the screen; Back closes it. The answer takes it away again. */
  cover(close: () => void): () => void {
    layers.push(close);
    const state = { ...(history.state as object | null), layer: layers.length };
    if (surplus > 0) {
      surplus -= 1;
      history.replaceState(state, "", location.href);
    } else history.pushState(state, "", location.href);
    return () => {
      const at = layers.indexOf(close);
      if (at < 0) return;
      layers.splice(at, 1);
      surplus += 1;
      setTimeout(takeBack);
    };
  },
};

export function startRouter(): void {
  addEventListener("popstate", (event) => {
    const depth = (event.state as { layer?: number } | null)?.layer ?? 0;
    closeDownTo(depth);
    surplus = 0;
    arrived();
  });
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const link = (event.target as Element | null)?.closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || link.target || link.origin !== location.origin) return;
    if (link.hasAttribute("download") || link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    if (link.dataset.replace === undefined) router.go(link.pathname + link.search);
    else router.replace(link.pathname + link.search);
  });
}
