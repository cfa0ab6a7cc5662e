/**
 * Who moves the timeline: the stream or the person.
 *
 * Every write of ours is remembered, so that a scroll event can be told from
 * one that a person made; no timer guesses. While following, the end stays in
 * view. While a person reads, the row they look at stays where it is, whatever
 * happens above or below.
 */
export type Mode = "follow" | "read";

/** Upward movement of this much is a person's. */
const LEAVE_PX = 3;
/** This near to the end counts as the end. */
const NEAR_PX = 40;
/** Room above a message that was just sent. */
const LEAD_PX = 16;
/** Room below the last row. */
const END_PX = 4;

export interface Anchor {
  readonly key: string;
  readonly top: number;
}

interface Pressed {
  readonly element: Element;
  readonly row: Element;
  readonly top: number;
  readonly height: number;
}

export class Follow {
  mode: Mode = "follow";
  private written = -1;
  private last = 0;
  private target: string | undefined;
  /** What was asked for, until a person does something here. */
  private shown: { readonly key: string; readonly approvalId?: string } | undefined;
  /** The open request with its end in view, where its buttons are. */
  private asking: Element | undefined;
  private height = 0;
  /** What was pressed last, and where it stood: what opens or folds by it leaves it there. */
  private pressed: Pressed | undefined;

  constructor(
    private readonly scroller: HTMLElement,
    private readonly spacer: HTMLElement,
    private readonly changed: (mode: Mode) => void,
  ) {
    const letGo = (): void => {
      this.shown = undefined;
      this.pressed = undefined;
    };
    for (const done of ["pointerdown", "keydown"])
      scroller.addEventListener(done, letGo, { capture: true, passive: true });
    scroller.addEventListener("click", (event) => this.press(event), { capture: true, passive: true });
  }

  get gap(): number {
    const { scrollHeight, clientHeight, scrollTop } = this.scroller;
    return scrollHeight - clientHeight - scrollTop;
  }

  /** Whether there are rows below what is in view. */
  get more(): boolean {
    return this.spacer.getBoundingClientRect().top > this.bottom + NEAR_PX;
  }

  /** Call for every scroll event. */
  scrolled(): void {
    const top = this.scroller.scrollTop;
    const mine = Math.abs(top - this.written) <= 1;
    const { last } = this;
    this.last = top;
    this.asking = this.lowestAsking();
    // Nobody's: what is below has become shorter.
    const cut = top < last && this.gap <= 1;
    if (mine || cut) return;
    this.written = -1;
    this.shown = undefined;
    this.pressed = undefined;
    if (this.gap <= NEAR_PX && top >= last - LEAVE_PX) this.become("follow");
    else if (top < last - LEAVE_PX && this.gap > 1) this.become("read");
  }

  become(mode: Mode): void {
    if (mode === "follow") {
      this.shown = undefined;
      this.pressed = undefined;
    }
    if (this.mode === mode) return;
    this.mode = mode;
    this.changed(mode);
  }

  /** A message that this device sent shall stand at the top until its answer fills the screen. */
  lead(messageId: string): void {
    this.target = messageId;
    this.become("follow");
  }

  toEnd(): void {
    this.become("follow");
    this.settle(undefined);
  }

  /** The first row in view and where it stands; undefined while following. */
  anchor(): Anchor | undefined {
    if (this.mode === "follow") return undefined;
    const edge = this.scroller.getBoundingClientRect().top;
    for (const row of this.scroller.querySelectorAll<HTMLElement>("[data-key]")) {
      const box = row.getBoundingClientRect();
      if (box.bottom > edge && row.dataset.key) return { key: row.dataset.key, top: box.top };
    }
    return undefined;
  }

  /** After the page has changed: the end, or the same row, where it was. */
  settle(anchor: Anchor | undefined): void {
    // A person may have moved it since it was last heard of, and must not be overruled.
    if (this.mode === "follow" && this.scroller.scrollTop < this.last - LEAVE_PX && this.gap > 1)
      return this.become("read");
    this.size();
    if (this.mode === "follow") {
      this.write(this.scroller.scrollHeight - this.scroller.clientHeight);
      return;
    }
    if (!anchor) return;
    const row = this.row(anchor.key);
    if (!row) return;
    const moved = row.getBoundingClientRect().top - anchor.top;
    if (Math.abs(moved) >= 0.5) this.write(this.scroller.scrollTop + moved);
  }

  /** Brings a row, or a request in it, to a third of the height; higher where it would not be seen whole. */
  show(key: string, approvalId?: string): void {
    this.become("read");
    this.shown = { key, approvalId };
    this.place();
  }

  /** Rows have another height, or there is another for them. What takes room away takes no buttons of a request. */
  resized(): void {
    const shrunk = this.scroller.clientHeight < this.height;
    this.height = this.scroller.clientHeight;
    if (this.keep()) return;
    if (this.mode === "follow") this.settle(undefined);
    else if (this.shown) this.place();
    else if (shrunk && this.asking?.isConnected) {
      const under = this.asking.getBoundingClientRect().bottom - this.bottom;
      if (under > 0) this.write(this.scroller.scrollTop + under);
    }
    this.asking = this.lowestAsking();
  }

  private press(event: MouseEvent): void {
    const element = (event.target as Element | null)?.closest("button, summary");
    const row = element?.closest("[data-key]");
    // An answer under way grows by itself.
    if (!element || !row || row.querySelector(".block.open")) return;
    const { top } = element.getBoundingClientRect();
    this.pressed = { element, row, top, height: row.getBoundingClientRect().height };
    // Before it is painted.
    requestAnimationFrame(() => this.keep());
  }

  /** Puts what was pressed back where it stood, if something opened or folded by it. */
  private keep(): boolean {
    const { pressed } = this;
    if (!pressed?.row.isConnected) return false;
    if (Math.abs(pressed.row.getBoundingClientRect().height - pressed.height) >= 1) this.become("read");
    if (this.mode === "follow" || !pressed.element.isConnected) return false;
    const moved = pressed.element.getBoundingClientRect().top - pressed.top;
    if (Math.abs(moved) < 0.5) return true;
    // What folds at the end leaves its room, or all would come down.
    const missing = moved - this.gap;
    if (missing > 0) this.spacer.style.height = `${this.spacer.offsetHeight + Math.ceil(missing)}px`;
    this.write(this.scroller.scrollTop + moved);
    return true;
  }

  private place(): void {
    const row = this.shown && this.row(this.shown.key);
    if (!row) return;
    const approval = this.shown?.approvalId;
    const part = approval && row.querySelector(`[data-approval="${CSS.escape(approval)}"]`);
    const { top, height } = (part || row).getBoundingClientRect();
    const { clientHeight, scrollTop } = this.scroller;
    const above = Math.max(0, Math.min(clientHeight / 4, 120, clientHeight - height - LEAD_PX));
    this.write(scrollTop + top - this.scroller.getBoundingClientRect().top - above);
  }

  private get bottom(): number {
    return this.scroller.getBoundingClientRect().top + this.scroller.clientHeight;
  }

  private lowestAsking(): Element | undefined {
    const { bottom } = this;
    return [...this.scroller.querySelectorAll("[data-approval]:not(.receipt)")].findLast((one) => {
      const end = one.getBoundingClientRect().bottom;
      return end > bottom - this.scroller.clientHeight && end <= bottom + 1;
    });
  }

  row(key: string): HTMLElement | null {
    return this.scroller.querySelector(`[data-key="${CSS.escape(key)}"]`);
  }

  private write(top: number): void {
    this.scroller.scrollTop = top;
    this.written = this.scroller.scrollTop;
    this.last = this.written;
  }

  private size(): void {
    const had = this.spacer.offsetHeight;
    let height = END_PX;
    const sent = this.target && this.scroller.querySelector(`[data-message="${CSS.escape(this.target)}"]`);
    if (sent) {
      const below = this.spacer.getBoundingClientRect().top - sent.getBoundingClientRect().top;
      height = Math.max(END_PX, this.scroller.clientHeight - LEAD_PX - below);
      if (height === END_PX) this.target = undefined;
    }
    // Room that a reader sees is taken away when they are past it.
    if (this.mode === "read") height = Math.max(height, had - Math.max(0, this.gap));
    const wanted = `${Math.round(height)}px`;
    // Written again, even the same would have everything laid out once more.
    if (this.spacer.style.height !== wanted) this.spacer.style.height = wanted;
  }
}
