/** Watches until the whole of an element was in view, however it was brought there. */
import { cover, firstGap, type Stretch } from "./covered";

/** What comes is laid out and moved more than once before it rests; what passed by in that time was not read. */
const REST_MS = 250;

export interface Whole {
  /** Brings the first part into view that was not there yet. */
  showRest(): void;
  end(): void;
}

export function watchWhole(element: HTMLElement, done: () => void): Whole {
  let covered: readonly Stretch[] = [];
  let height = 0;
  let frame: number | undefined;
  let place = "";
  let since = 0;
  let rested = false;
  let again: ReturnType<typeof setTimeout> | undefined;

  /** Whether it has been where it is for a moment; from then on whatever comes into view counts. */
  function rests(where: string): boolean {
    if (rested) return true;
    const now = performance.now();
    if (where !== place) since = now;
    place = where;
    rested = now - since >= REST_MS;
    clearTimeout(again);
    if (!rested) again = setTimeout(soon, since + REST_MS - now);
    return rested;
  }

  function look(): void {
    frame = undefined;
    if (document.visibilityState !== "visible" || isCovered(element)) return;
    const now = element.getBoundingClientRect().height;
    // What was laid out anew is somewhere else.
    if (Math.abs(now - height) > 1) covered = [];
    height = now;
    const part = visiblePart(element);
    if (!rests(`${part} ${height}`)) return;
    covered = cover(covered, part);
    if (height > 0 && firstGap(covered, height) === undefined) {
      end();
      done();
    }
  }

  const soon = (): void => {
    frame ??= requestAnimationFrame(look);
  };
  const gone = new AbortController();
  const { signal } = gone;
  // Scrolling does not bubble, but every box that scrolls is passed on the way down.
  document.addEventListener("scroll", soon, { capture: true, passive: true, signal });
  document.addEventListener("visibilitychange", soon, { signal });
  document.addEventListener("close", soon, { capture: true, signal });
  addEventListener("resize", soon, { signal });
  visualViewport?.addEventListener("scroll", soon, { signal });
  visualViewport?.addEventListener("resize", soon, { signal });
  const sized = new ResizeObserver(soon);
  sized.observe(element);
  const seen = new IntersectionObserver(soon, { threshold: [0, 0.25, 0.5, 0.75, 1] });
  seen.observe(element);

  function end(): void {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(again);
    gone.abort();
    sized.disconnect();
    seen.disconnect();
  }

  return {
    end,
    showRest(): void {
      const mark = document.createElement("span");
      mark.style.position = "absolute";
      mark.style.top = `${firstGap(covered, height) ?? 0}px`;
      element.append(mark);
      mark.scrollIntoView({ block: "start" });
      mark.remove();
      soon();
    },
  };
}

/** A layer lies over it. */
const isCovered = (element: Element): boolean =>
  [...document.querySelectorAll("dialog[open]")].some((dialog) => !dialog.contains(element));

/** From its own top: what no box around it and no edge of the window cuts off. */
function visiblePart(element: HTMLElement): Stretch {
  const own = element.getBoundingClientRect();
  let { top, bottom } = own;
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY === "visible") continue;
    const edge = around.getBoundingClientRect().top + around.clientTop;
    top = Math.max(top, edge);
    bottom = Math.min(bottom, edge + around.clientHeight);
  }
  const view = visualViewport;
  top = Math.max(top, view?.offsetTop ?? 0);
  bottom = Math.min(bottom, (view?.offsetTop ?? 0) + (view?.height ?? innerHeight));
  return [top - own.top, bottom - own.top];
}
