/** One session on this screen: feeds the fold, once per frame, and asks for what is missing. */
import { Gap, type Input, reduceAll } from "../fold/reduce";
import { headerOf } from "../fold/snapshot";
import { empty, type Header, startingAfter, type View } from "../fold/view";
import type { Envelope, LiveFrame, Secret } from "../gen/events";
import { call, Problem, whyNot } from "../link/api";
import { shared } from "../link/share";
import type { Follower } from "../link/socket";
import type { SessionView } from "../link/types";
import { connection, link } from "./connection.svelte";
import { forgetSession, keepSession, keptSession } from "./kept";
import { outbox } from "./outbox.svelte";
import { learn } from "./secrets";

/** Events of one page; a screen or two of a usual session. */
const PAGE = 400;
/** Opening goes on until this many rows are there. */
const ENOUGH_ROWS = 24;
const MOST_PAGES = 6;
const HIDDEN_MS = 500;
/** Between two times that what is here is kept on the device. */
const KEEP_MS = 1000;

/** What was fetched to be read, or why not; `show` puts it on the screen. */
export interface Read {
  readonly problem: string;
  show(): void;
}

export class Session implements Follower {
  view = $state.raw<View>(empty);
  /** Whether the first events are there to be drawn. */
  ready = $state(false);
  caught = $state(false);
  problem = $state.raw<Problem | undefined>(undefined);
  loadingOlder = $state(false);
  /** Of a fork: where that is which it began with, the oldest first. */
  past = $state.raw<SessionView["past"]>([]);
  /** What its agent can do; not known before it is loaded. */
  can = $state.raw<SessionView["capabilities"] | undefined>(undefined);
  /** When that was which is shown, if it is what this device kept; the daemon cannot be asked. */
  keptAt = $state(0);
  /** Turns up to this one are drawn folded. */
  settledTo = 0;
  /** Runs after each batch was folded: the screen scrolls and announces here. */
  onbatch: ((before: View, after: View, replay: boolean) => void) | undefined;

  private buffer: Input[] = [];
  private frame: number | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private unfollow: (() => void) | undefined;
  /** The newest events, as they came. */
  private tail: Envelope[] = [];
  private secrets: Secret[] = [];
  private keeping: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly id: string) {}

  get header(): Header {
    return this.view.header;
  }

  /** Loads the tail, then follows. */
  async open(): Promise<void> {
    this.problem = undefined;
    try {
      if (!this.ready || this.keptAt > 0) await this.load();
      this.unfollow?.();
      this.unfollow = link.follow(this.id, this);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.passing && !this.ready && !shared) await this.restore();
      if (error.status === 404 && !shared) this.gone();
      this.problem = error;
    }
  }

  /** Shows what this device kept. */
  private async restore(): Promise<void> {
    const kept = await keptSession(this.id).catch(() => undefined);
    const first = kept?.events[0]?.seq;
    if (!kept || first === undefined || this.ready) return;
    learn(kept.secrets);
    for (const event of kept.events) learnOf(event);
    const inputs: Input[] = kept.events.map((event) => ({ kind: "event", event }));
    this.view = reduceAll(startingAfter(first - 1), [{ kind: "snapshot", header: kept.header }, ...inputs]);
    this.keptAt = kept.at;
    this.ready = true;
  }

  /** It was deleted: nothing of it is shown or kept. */
  private gone(): void {
    this.ready = false;
    this.keptAt = 0;
    this.tail = [];
    void forgetSession(this.id).catch(() => undefined);
  }

  private keepSoon(): void {
    if (shared) return;
    this.keeping ??= setTimeout(() => {
      this.keeping = undefined;
      const { header, seq } = this.view;
      const events = this.tail.filter((one) => one.seq <= seq);
      if (connection.signedOut || events.at(-1)?.seq !== seq) return;
      const { id, secrets } = this;
      // A device without room for it only shows less after a reload.
      void keepSession({ id, at: Date.now(), header, events, secrets }).catch(() => undefined);
    }, KEEP_MS);
  }

  private follow(event: Envelope): void {
    const last = this.tail.at(-1)?.seq;
    if (last !== undefined && event.seq <= last) return;
    if (last !== undefined && event.seq > last + 1) this.tail = [];
    this.tail.push(event);
    if (this.tail.length > 2 * PAGE) this.tail = this.tail.slice(-PAGE);
  }

  close(): void {
    this.unfollow?.();
    this.unfollow = undefined;
    this.caught = false;
    this.flush();
  }

  after(): number {
    return this.view.seq + this.pendingEvents();
  }

  event(event: Envelope): void {
    learnOf(event);
    this.follow(event);
    this.push({ kind: "event", event });
  }

  live(frame: LiveFrame): void {
    this.push({ kind: "live", frame });
  }

  caughtUp(): void {
    this.flush();
    this.caught = true;
  }

  lost(): void {
    this.caught = false;
  }

  /** The page before what is here; false when there is none. */
  async older(): Promise<boolean> {
    if (this.loadingOlder || this.view.first <= 1) return false;
    this.loadingOlder = true;
    try {
      const { first } = this.view;
      const after = Math.max(0, first - 1 - PAGE);
      const page = await this.page(after, first - 1 - after);
      this.view = reduceAll(this.view, [{ kind: "older", events: page }]);
      return true;
    } catch (error) {
      if (error instanceof Problem || error instanceof Gap) return false;
      throw error;
    } finally {
      this.loadingOlder = false;
    }
  }

  /** Fetches the end of what there was up to an event, only to be read: nothing is followed. */
  async readUpTo(seq: number): Promise<Read> {
    const after = Math.max(0, seq - PAGE);
    return this.read(after, seq - after, (events) =>
      reduceAll(
        after === 0 ? empty : startingAfter(after),
        events.map((event) => ({ kind: "event", event })),
      ),
    );
  }

  /** The same for the page before. */
  async readOlder(): Promise<Read> {
    const { first } = this.view;
    const after = Math.max(0, first - 1 - PAGE);
    return this.read(after, first - 1 - after, (events) => reduceAll(this.view, [{ kind: "older", events }]));
  }

  private async read(after: number, limit: number, fold: (events: Envelope[]) => View): Promise<Read> {
    let view = this.view;
    const problem = await whyNot(async () => {
      view = fold(await this.page(after, limit));
    });
    const show = (): void => {
      this.view = view;
      this.ready ||= problem === "";
    };
    return { problem, show };
  }

  private async load(): Promise<void> {
    const row = await call("GET", "/sessions/{id}", { id: this.id });
    learn(row.secrets);
    this.past = shared ? [] : (row.past ?? []);
    this.can = row.capabilities;
    const after = Math.max(0, row.eventCount - PAGE);
    const events = await this.page(after, PAGE);
    const inputs: Input[] = events.map((event) => ({ kind: "event", event }));
    let view =
      after === 0
        ? reduceAll(empty, inputs)
        : reduceAll(startingAfter(after), [{ kind: "snapshot", header: headerOf(row) }, ...inputs]);
    // A long run of one sub-agent is one row, and a message may wait for its text.
    for (let page = 1; page < MOST_PAGES && view.first > 1 && !enough(view); page++) {
      const from = Math.max(0, view.first - 1 - PAGE);
      const more = await this.page(from, view.first - 1 - from);
      view = reduceAll(view, [{ kind: "older", events: more }]);
    }
    this.tail = events;
    this.secrets = row.secrets ?? [];
    this.view = view;
    this.keptAt = 0;
    this.ready = true;
    this.keepSoon();
  }

  private async page(after: number, limit: number): Promise<Envelope[]> {
    const { id } = this;
    const page = await call("GET", "/sessions/{id}/events", { id, query: { after, limit } });
    for (const event of page.events) {
      learnOf(event);
      note(event);
    }
    return page.events;
  }

  private pendingEvents(): number {
    return this.buffer.filter((input) => input.kind === "event" && input.event.seq > this.view.seq).length;
  }

  private push(input: Input): void {
    this.buffer.push(input);
    if (document.visibilityState === "hidden") this.timer ??= setTimeout(() => this.flush(), HIDDEN_MS);
    else this.frame ??= requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = undefined;
    this.timer = undefined;
    const inputs = this.buffer;
    if (inputs.length === 0) return;
    this.buffer = [];
    const before = this.view;
    try {
      const after = reduceAll(before, inputs);
      if (after === before) return;
      this.view = after;
      for (const input of inputs) if (input.kind === "event") note(input.event);
      this.onbatch?.(before, after, !this.caught);
      this.keepSoon();
    } catch (error) {
      if (!(error instanceof Gap)) throw error;
      link.again(this.id);
    }
  }
}

/** Before it is drawn. */
function learnOf(event: Envelope): void {
  if ("secrets" in event) learn(event.secrets);
}

/** What the log has need not be sent any more, and a choice in it may let something go. */
function note(event: Envelope): void {
  if (event.type === "user.message") outbox.seen(event.payload.messageId);
  if (event.type !== "session.updated") return;
  const { memoryLost } = event.payload;
  if (memoryLost && memoryLost.remedy !== "refuse") outbox.release(event.sessionId);
}

function enough(view: View): boolean {
  const rows = view.chunks.reduce((sum, chunk) => sum + chunk.rows.length, 0);
  return rows >= ENOUGH_ROWS && !view.orphans.some((one) => one.event.type === "message.delivered");
}

/** Sessions that were shown lately keep what they have, so that going back is instant. */
const KEPT = 4;
const kept = new Map<string, Session>();

export function sessionOf(id: string): Session {
  const known = kept.get(id) ?? new Session(id);
  kept.delete(id);
  kept.set(id, known);
  for (const [oldest] of kept) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return known;
}
