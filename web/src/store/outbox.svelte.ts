/**
 * Messages that this device has sent and the log does not have yet.
 *
 * A message is kept on disk before the first try and leaves only when its
 * `user.message` was seen. Every try carries the same id, so that it runs once.
 */
import { call, Problem, whyNot } from "../link/api";
import { backoff } from "../link/backoff";
import type { AttachmentBody } from "../link/types";
import { uuid } from "../link/uuid";
import { connection } from "./connection.svelte";
import { drop, keep, keepSent, type OutboxItem, recallAll } from "./db";

export interface Waiting extends OutboxItem {
  readonly state: "waiting" | "sending" | "stored" | "refused";
  /** From an earlier life of this page: the log may have it already. */
  readonly recalled?: boolean;
  readonly problem?: string;
  /** Of what was refused. */
  readonly code?: string;
}

let items = $state.raw<readonly Waiting[]>([]);
let timer: ReturnType<typeof setTimeout> | undefined;
let tries = 0;
/** Messages that the log was seen to have, whether or not they were here. The newest are enough. */
const logged = new Set<string>();
const MOST_LOGGED = 1000;

function change(messageId: string, news: Partial<Waiting>): void {
  items = items.map((one) => (one.messageId === messageId ? { ...one, ...news } : one));
}

/** One after the other per session, so that the order of writing is the order of sending. */
function flush(): void {
  clearTimeout(timer);
  if (!connection.live) return;
  const busy = new Set(items.filter((one) => one.state === "sending").map((one) => one.sessionId));
  for (const one of items) {
    if (one.state !== "waiting" || busy.has(one.sessionId)) continue;
    busy.add(one.sessionId);
    void send(one);
  }
}

async function send(item: Waiting): Promise<void> {
  const { messageId, sessionId, text, attachments } = item;
  change(messageId, { state: "sending" });
  try {
    // Queueing starts a turn at once when nothing runs, and never loses the race against one that just began.
    const body = { messageId, text, attachments, queue: true };
    await call("POST", "/sessions/{id}/messages", { id: sessionId, body });
    tries = 0;
    // An event that came before this page did will not come again.
    if (item.recalled || logged.has(messageId)) remove(messageId);
    else change(messageId, { state: "stored" });
    flush();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // A message to an ended session continues it; only once, or it would go round and round.
    if (error.code === "session_ended" && (await resumed(sessionId))) {
      change(messageId, { state: "waiting" });
      flush();
    } else if (error.passing || error.status === 401) {
      change(messageId, { state: "waiting" });
      // Without a line the next connect tries again.
      if (connection.live) timer = setTimeout(flush, backoff(tries++));
    } else change(messageId, { state: "refused", problem: error.message, code: error.code });
  }
}

function remove(messageId: string): void {
  items = items.filter((one) => one.messageId !== messageId);
  void drop("outbox", messageId);
}

async function resumed(sessionId: string): Promise<boolean> {
  return (await whyNot(() => call("POST", "/sessions/{id}/resume", { id: sessionId }))) === "";
}

export const outbox = {
  of: (sessionId: string): readonly Waiting[] => items.filter((one) => one.sessionId === sessionId),
  get count(): number {
    return items.filter((one) => one.state !== "stored").length;
  },
  /**
   * Keeps a message and sends it; `drafted` if it was the draft of its session, which ends with it,
   * and `messageId` if it has its name already.
   */
  async send(
    sessionId: string,
    text: string,
    attachments: AttachmentBody[],
    { drafted = false, messageId = uuid() } = {},
  ): Promise<string> {
    const item = { messageId, sessionId, text, attachments, createdAt: Date.now() };
    // It waits already, or the log has it.
    if (logged.has(messageId) || items.some((one) => one.messageId === messageId)) return messageId;
    await (drafted ? keepSent(item) : keep("outbox", item.messageId, item));
    items = [...items, { ...item, state: "waiting" }];
    flush();
    return item.messageId;
  },
  /** The log has it. */
  seen(messageId: string): void {
    logged.add(messageId);
    const [oldest] = logged;
    if (logged.size > MOST_LOGGED && oldest !== undefined) logged.delete(oldest);
    if (!items.some((one) => one.messageId === messageId)) return;
    remove(messageId);
    flush();
  },
  discard(messageId: string): Waiting | undefined {
    const item = items.find((one) => one.messageId === messageId);
    remove(messageId);
    return item;
  },
  again(messageId: string): void {
    change(messageId, { state: "waiting", problem: undefined, code: undefined });
    flush();
  },
  /** Somebody has chosen what is done about a past that the agent lacks. */
  release(sessionId: string): void {
    for (const one of items)
      if (one.sessionId === sessionId && one.code === "memory_lost") outbox.again(one.messageId);
  },
};

export async function startOutbox(): Promise<void> {
  const kept = (await recallAll("outbox")).sort((a, b) => a.createdAt - b.createdAt);
  const old = kept.map((one) => ({ ...one, state: "waiting" as const, recalled: true }));
  // Something may have been written while the disk was read.
  items = [...old.filter((one) => !items.some((other) => other.messageId === one.messageId)), ...items];
  for (const one of old) if (logged.has(one.messageId)) remove(one.messageId);
  const again = (): void => {
    tries = 0;
    flush();
  };
  connection.onBack(again);
  // It may be connected already.
  again();
}
