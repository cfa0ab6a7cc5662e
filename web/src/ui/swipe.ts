/**
 * A swipe with a finger over a row, for what can be undone and is in a menu too.
 *
 * The row follows the finger and says what letting go would do. Scrolling wins
 * when the finger goes more up or down than sideways; the left edge of the
 * screen is the browser's.
 */
const EDGE_PX = 24;
const DECIDED_PX = 10;
const FAR_PX = 72;

export interface Side {
  readonly label: string;
  readonly act: () => void;
}
export interface Sides {
  /** What a swipe to the left does. */
  readonly left?: Side;
  readonly right?: Side;
}

/** What a finger means that has moved this far. */
export function meant(dx: number, dy: number): "swipe" | "scroll" | undefined {
  if (Math.max(Math.abs(dx), Math.abs(dy)) < DECIDED_PX) return undefined;
  return Math.abs(dx) > 1.5 * Math.abs(dy) ? "swipe" : "scroll";
}

/** The side whose action letting go would take. */
export const reached = (dx: number): keyof Sides | undefined =>
  Math.abs(dx) < FAR_PX ? undefined : dx < 0 ? "left" : "right";

/** `node` holds the row as its first child, and shows what is behind it. */
export function swipe(node: HTMLElement, sides: () => Sides): () => void {
  const gone = new AbortController();
  const { signal } = gone;
  let from: { x: number; y: number; id: number } | undefined;
  let moving = false;
  let swallow = false;
  const behind = document.createElement("span");
  behind.setAttribute("aria-hidden", "true");
  const front = (): HTMLElement | null => node.querySelector<HTMLElement>(":scope > :not(.behind)");

  const draw = (dx: number): void => {
    const row = front();
    if (row) row.style.transform = dx === 0 ? "" : `translateX(${dx}px)`;
    const side = dx < 0 ? "left" : "right";
    const known = sides()[side];
    if (dx === 0 || !known) return behind.remove();
    behind.textContent = known.label;
    behind.className = `behind ${side}${reached(dx) ? " ready" : ""}`;
    if (!behind.isConnected) node.append(behind);
  };
  const rest = (): void => {
    from = undefined;
    moving = false;
    draw(0);
  };

  node.addEventListener(
    "pointerdown",
    (event) => {
      swallow = false;
      if (event.pointerType !== "touch" || !event.isPrimary || event.clientX < EDGE_PX) return;
      from = { x: event.clientX, y: event.clientY, id: event.pointerId };
    },
    { signal },
  );
  node.addEventListener(
    "pointermove",
    (event) => {
      if (!from || event.pointerId !== from.id) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!moving) {
        const what = meant(dx, dy);
        if (what === "scroll") from = undefined;
        if (what !== "swipe") return;
        moving = true;
        node.setPointerCapture(event.pointerId);
      }
      draw(sides()[dx < 0 ? "left" : "right"] ? dx : 0);
    },
    { signal },
  );
  node.addEventListener(
    "pointerup",
    (event) => {
      const side = moving && from ? reached(event.clientX - from.x) : undefined;
      swallow = moving;
      rest();
      if (side) sides()[side]?.act();
    },
    { signal },
  );
  node.addEventListener("pointercancel", rest, { signal });
  // The row itself must not open when the finger lets go.
  node.addEventListener(
    "click",
    (event) => {
      if (!swallow) return;
      swallow = false;
      event.preventDefault();
      event.stopPropagation();
    },
    { signal, capture: true },
  );
  return () => {
    rest();
    gone.abort();
  };
}
