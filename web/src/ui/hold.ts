/**
 * A long press with a finger. Moving, scrolling and a second finger end it; the
 * click that would follow is swallowed. A mouse has the button for the same.
 */
const HOLD_MS = 450;
const STILL_PX = 10;
/** Where a long press means something else: to select text, to place the caret. */
const OTHERS = "input, textarea, select, pre, code, .answer, [data-no-hold]";

export function hold(node: HTMLElement, act: (target: Element) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let held = false;
  let from = { x: 0, y: 0 };
  const gone = new AbortController();
  const { signal } = gone;
  const end = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  /** Letting go clicks on whatever is there by then, such as the ground behind a menu that just opened. */
  const swallowClick = (): void => {
    const until = new AbortController();
    const swallow = (event: Event): void => {
      event.preventDefault();
      event.stopPropagation();
      until.abort();
    };
    addEventListener("click", swallow, { capture: true, signal: until.signal });
    addEventListener("pointerdown", () => until.abort(), { capture: true, signal: until.signal });
  };
  const on = <K extends keyof HTMLElementEventMap>(
    name: K,
    does: (event: HTMLElementEventMap[K]) => void,
  ): void => node.addEventListener(name, does, { signal });

  on("pointerdown", (event) => {
    end();
    held = false;
    const { target } = event;
    if (event.pointerType !== "touch" || !event.isPrimary || !(target instanceof Element)) return;
    if (target.closest(OTHERS)) return;
    from = { x: event.clientX, y: event.clientY };
    timer = setTimeout(() => {
      timer = undefined;
      held = true;
      swallowClick();
      navigator.vibrate?.(10);
      act(target);
    }, HOLD_MS);
  });
  on("pointermove", (event) => {
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > STILL_PX) end();
  });
  on("pointerup", end);
  on("pointercancel", end);
  on("contextmenu", (event) => {
    if (timer !== undefined || held) event.preventDefault();
  });
  return () => {
    end();
    gone.abort();
  };
}
