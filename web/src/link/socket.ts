/**
 * The one WebSocket of this tab: signs in, keeps subscriptions over lost
 * connections and proves by heartbeat that somebody is there. It knows nothing
 * of what events mean.
 */
import type { Envelope, LiveFrame } from "../gen/events";
import { token } from "./api";
import { backoff } from "./backoff";
import { shared } from "./share";
import type { FromServer, ProblemBody, SessionRow, ToServer, Warm } from "./types";

/** A ping goes out this often; without any word for twice as long the line is dead. */
const HEARTBEAT_MS = 5_000;

export interface Follower {
  /** The last event it has; asked again at every connect. */
  after(): number;
  event(event: Envelope): void;
  live(frame: LiveFrame): void;
  caughtUp(seq: number): void;
  lost(problem: ProblemBody): void;
}

export type LinkState =
  | { phase: "idle" }
  | { phase: "connecting"; tries: number; since: number }
  | { phase: "connected"; since: number }
  | { phase: "waiting"; tries: number; since: number; retryAt: number; reason: string }
  | { phase: "refused" };

export class Link {
  private socket: WebSocket | undefined;
  private state: LinkState = { phase: "idle" };
  private tries = 0;
  private lostAt = Date.now();
  private lastHeard = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private beat: ReturnType<typeof setInterval> | undefined;
  private readonly followers = new Map<string, Follower>();

  constructor(
    private readonly told: (state: LinkState) => void,
    private readonly changed: (rows: readonly SessionRow[], removed: readonly string[]) => void,
    private readonly heard: () => void = () => {},
  ) {}

  /** Connects now, whatever was being waited for. */
  open(): void {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    clearTimeout(this.timer);
    const known = token.get();
    if (!known) return;
    this.become({ phase: "connecting", tries: this.tries, since: this.lostAt });
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/ws`;
    const socket = new WebSocket(address);
    this.socket = socket;
    this.lastHeard = Date.now();
    socket.onopen = () => {
      this.lastHeard = Date.now();
      this.say({ type: "hello", token: known });
      this.say({ type: "ping" });
    };
    socket.onmessage = (message) => this.receive(socket, JSON.parse(String(message.data)) as FromServer);
    socket.onclose = (closed) => this.closed(socket, closed.code, closed.reason);
    clearInterval(this.beat);
    this.beat = setInterval(() => this.check(), HEARTBEAT_MS);
  }

  /** Ends it for good: signed out, or the page goes. */
  close(): void {
    clearTimeout(this.timer);
    clearInterval(this.beat);
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
    this.become({ phase: "idle" });
  }

  /** The network is said to be gone: nothing is live until a new connect proves otherwise. */
  drop(reason: string): void {
    const { socket } = this;
    if (!socket) return;
    this.closed(socket, 1006, reason);
    socket.close();
  }

  follow(sessionId: string, follower: Follower): () => void {
    this.followers.set(sessionId, follower);
    if (this.state.phase === "connected") this.say({ type: "subscribe", sessionId, after: follower.after() });
    return () => {
      if (this.followers.get(sessionId) !== follower) return;
      this.followers.delete(sessionId);
      if (this.state.phase === "connected") this.say({ type: "unsubscribe", sessionId });
    };
  }

  /** Asks for everything after what the follower has, again. */
  again(sessionId: string): void {
    const follower = this.followers.get(sessionId);
    if (!follower || this.state.phase !== "connected") return;
    this.say({ type: "unsubscribe", sessionId });
    this.say({ type: "subscribe", sessionId, after: follower.after() });
  }

  /** Has an agent ready for what is about to be begun; it goes with this line. */
  warm(payload: Warm): void {
    if (this.state.phase === "connected") this.say({ type: "command", id: "warm", command: "warm", payload });
  }

  private become(state: LinkState): void {
    this.state = state;
    this.told(state);
  }

  private say(message: ToServer): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private receive(socket: WebSocket, message: FromServer): void {
    if (socket !== this.socket) return;
    this.lastHeard = Date.now();
    // The first word proves that the token was taken, unless it says that it was not; the close that follows ends it.
    if (this.state.phase !== "connected") {
      if (message.type === "reply" && !message.ok) return;
      this.connected();
    }
    this.heard();
    switch (message.type) {
      case "event":
        return this.followers.get(message.event.sessionId)?.event(message.event);
      case "live":
        return this.followers.get(message.frame.sessionId)?.live(message.frame);
      case "caught_up":
        return this.followers.get(message.sessionId)?.caughtUp(message.seq);
      case "unsubscribed":
        if (message.problem && message.sessionId)
          this.followers.get(message.sessionId)?.lost(message.problem);
        return;
      case "sessions":
        return this.changed(message.items, message.removed ?? []);
      default:
        return;
    }
  }

  private connected(): void {
    this.tries = 0;
    this.become({ phase: "connected", since: Date.now() });
    if (!shared) this.say({ type: "subscribe" });
    for (const [sessionId, follower] of this.followers) {
      this.say({ type: "subscribe", sessionId, after: follower.after() });
    }
  }

  private check(): void {
    if (!this.socket || this.socket.readyState > WebSocket.OPEN) return;
    if (Date.now() - this.lastHeard > 2 * HEARTBEAT_MS) {
      // A dead line may take minutes to close by itself.
      const { socket } = this;
      this.closed(socket, 1006, "no answer");
      socket.close();
      return;
    }
    this.say({ type: "ping" });
  }

  private closed(socket: WebSocket, code: number, reason: string): void {
    if (socket !== this.socket) return;
    this.socket = undefined;
    clearInterval(this.beat);
    if (this.state.phase === "connected") this.lostAt = this.lastHeard;
    if (code === 4401 || code === 1008) {
      this.become({ phase: "refused" });
      return;
    }
    const delay = backoff(this.tries++);
    const why = reason || (navigator.onLine ? "connection lost" : "no network");
    const retryAt = Date.now() + delay;
    this.become({ phase: "waiting", tries: this.tries, since: this.lostAt, retryAt, reason: why });
    this.timer = setTimeout(() => this.open(), delay);
  }
}
