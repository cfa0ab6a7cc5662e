/** What the parts of a session's screen share: the session, what is unfolded, and a few things to ask of the timeline. */
import { getContext, setContext } from "svelte";
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { type Retry, retryOf } from "../../fold/failure";
import type { Shown } from "../../fold/groups";
import type { Header } from "../../fold/view";
import { onlyBeside } from "../../fold/work";
import type { AttachmentBody } from "../../link/types";
import type { Beside } from "../../routes";
import { access } from "../../store/access.svelte";
import type { Session } from "../../store/session.svelte";

const KEY = Symbol("screen");

export class Screen {
  /** Which rows a person has opened or folded; kept while chunks come and go. */
  private readonly folds = new SvelteMap<string, boolean>();
  private readonly visible = new SvelteSet<string>();
  finding = $state(false);
  /** The event that is shown as the log has it. */
  raw = $state<number | undefined>();
  /** Set by the timeline: stop following because a person looks at something. */
  hold: () => void = () => {};
  /** Set by the timeline: go to the end and follow. */
  toEnd: () => void = () => {};
  /** Set by the timeline: bring the row of an event into view. */
  reveal: (seq: number) => void = () => {};
  /** Set by the timeline: what can be done with a row. */
  menu: (row: Shown, anchor: Element) => void = () => {};
  /** Set by the timeline: the same for the row that an element is of. */
  menuOf: (element: Element) => void = () => {};
  /** Set by the view: what stands beside the timeline. */
  beside: (which: Beside | undefined) => void = () => {};
  /** Set by the composer: put text into it, and files. */
  quote: (text: string, files?: readonly AttachmentBody[]) => void = () => {};
  /** Set by the timeline: keep a message that was just sent in view. */
  sent: (messageId: string) => void = () => {};

  constructor(
    readonly session: Session,
    /** May this device steer, or only watch. */
    readonly steer: boolean,
  ) {}

  get header(): Header {
    return this.session.view.header;
  }

  /** Nothing is known to run: the agent said that a try failed, and when it tries again. */
  get retry(): Retry | undefined {
    const { header, live, chunks } = this.session.view;
    if (header.state !== "processing" || header.tools.length > 0 || live.length > 0) return undefined;
    return retryOf(chunks);
  }

  /** No turn runs, and still the agent is not idle. */
  get onlyBeside(): boolean {
    return onlyBeside(this.session.view);
  }

  inView(approvalId: string, visible: boolean): void {
    if (visible) this.visible.add(approvalId);
    else this.visible.delete(approvalId);
  }

  sees(approvalId: string): boolean {
    return this.visible.has(approvalId);
  }

  /** An open request is in view: nothing may lie over it. */
  get asks(): boolean {
    return this.visible.size > 0;
  }

  isOpen(key: string, otherwise: boolean): boolean {
    return this.folds.get(key) ?? otherwise;
  }

  open(key: string): void {
    this.folds.set(key, true);
  }

  toggle(key: string, otherwise: boolean): void {
    this.hold();
    this.folds.set(key, !this.isOpen(key, otherwise));
  }
}

export const provideScreen = (session: Session, steer = access.steers): Screen =>
  setContext(KEY, new Screen(session, steer));
export const useScreen = (): Screen => getContext<Screen>(KEY);
