/** Where this tab is: the address, and the layers that cover the screen. */
import { match, type Route } from "../routes";

let route = $state.raw<Route>(match(new URL(location.href)));
let path = $state(location.pathname + location.search);
/** What closes each covering layer, the topmost last. */
const layers: (() => void)[] = [];
/** History entries of layers that are gone; taken back a moment later unless something needs an entry. */
let surplus = 0;
/** While the browser goes back, which takes a moment: layers that still want an entry, and where to go then. */
let leaving = false;
let owed = 0;
let wanted: string | undefined;

function arrived(): void {
  path = location.pathname + location.search;
  route = match(new URL(location.href));
}

function closeDownTo(depth: number): void {
  while (layers.length > depth) {
    if (owed > 0) owed -= 1;
    else surplus += 1;
    layers.pop()?.();
  }
}

function takeBack(): void {
  if (surplus === 0 || leaving) return;
  leaving = true;
  history.go(-surplus);
  surplus = 0;
}

function push(depth: number): void {
  history.pushState({ ...(history.state as object | null), layer: depth }, "", location.href);
}

function popped(event: PopStateEvent): void {
  if (leaving) {
    leaving = false;
    for (; owed > 0; owed--) push(layers.length - owed + 1);
    const to = wanted;
    wanted = undefined;
    arrived();
    if (to !== undefined) router.go(to);
    else if (surplus > 0) takeBack();
    return;
  }
  closeDownTo((event.state as { layer?: number } | null)?.layer ?? 0);
  surplus = 0;
  arrived();
}

export const router = {
  get route(): Route {
    return route;
  },
  get path(): string {
    return path;
  },
  go(to: string): void {
    if (leaving) {
      wanted = to;
      return;
    }
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
    if (leaving) owed += 1;
    else if (surplus > 0) surplus -= 1;
    else push(layers.length);
    return () => {
      const at = layers.indexOf(close);
      if (at < 0) return;
      layers.splice(at, 1);
      if (owed > 0) owed -= 1;
      else surplus += 1;
      setTimeout(takeBack);
    };
  },
};

export function startRouter(): void {
  addEventListener("popstate", popped);
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
