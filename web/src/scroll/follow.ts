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

export interface Anchor {
  readonly key: string;
  readonly top: number;
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

  constructor(
    private readonly scroller: HTMLElement,
    private readonly spacer: HTMLElement,
    private readonly changed: (mode: Mode) => void,
  ) {
    const letGo = (): void => {
      this.shown = undefined;
    };
    for (const done of ["pointerdown", "keydown"])
      scroller.addEventListener(done, letGo, { capture: true, passive: true });
  }

  get gap(): number {
    const { scrollHeight, clientHeight, scrollTop } = this.scroller;
    return scrollHeight - clientHeight - scrollTop;
  }

  /** Call for every scroll event. */
  scrolled(): void {
    const top = this.scroller.scrollTop;
    const mine = Math.abs(top - this.written) <= 1;
    const { last } = this;
    this.last = top;
    this.asking = this.lowestAsking();
    if (mine) return;
    this.written = -1;
    this.shown = undefined;
    if (this.gap <= NEAR_PX && top >= last - LEAVE_PX) this.become("follow");
    else if (top < last - LEAVE_PX && this.gap > 1) this.become("read");
  }

  become(mode: Mode): void {
    if (mode === "follow") this.shown = undefined;
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
    if (this.mode === "follow") this.settle(undefined);
    else if (this.shown) this.place();
    else if (shrunk && this.asking?.isConnected) {
      const under = this.asking.getBoundingClientRect().bottom - this.bottom;
      if (under > 0) this.write(this.scroller.scrollTop + under);
    }
    this.asking = this.lowestAsking();
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
    let height = LEAD_PX;
    const sent = this.target && this.scroller.querySelector(`[data-message="${CSS.escape(this.target)}"]`);
    if (sent) {
      const below = this.spacer.getBoundingClientRect().top - sent.getBoundingClientRect().top;
      height = Math.max(LEAD_PX, this.scroller.clientHeight - LEAD_PX - below);
      if (height === LEAD_PX) this.target = undefined;
    }
    const wanted = `${Math.round(height)}px`;
    // Written again, even the same would have everything laid out once more.
    if (this.spacer.style.height !== wanted) this.spacer.style.height = wanted;
  }
}
