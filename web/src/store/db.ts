/** What this device keeps: drafts and messages that are not stored yet. Memory stands in where there is no IndexedDB. */
import type { DBSchema, IDBPDatabase } from "idb";
import type { AttachmentBody } from "../link/types";

export interface OutboxItem {
  messageId: string;
  sessionId: string;
  text: string;
  attachments: AttachmentBody[];
  createdAt: number;
}

export interface Draft {
  text: string;
  attachments: AttachmentBody[];
}

interface Kept extends DBSchema {
  outbox: { key: string; value: OutboxItem };
  drafts: { key: string; value: Draft };
  /** Half-filled answers, by approval. */
  answers: { key: string; value: unknown };
}

type Store = "outbox" | "drafts" | "answers";

const memory: Record<Store, Map<string, unknown>> = {
  outbox: new Map(),
  drafts: new Map(),
  answers: new Map(),
};

/** Fetched apart: the first paint needs nothing of it. */
async function open(): Promise<IDBPDatabase<Kept>> {
  const { openDB } = await import("idb");
  return openDB<Kept>("baton", 1, {
    upgrade(db) {
      db.createObjectStore("outbox");
      db.createObjectStore("drafts");
      db.createObjectStore("answers");
    },
  });
}

const opened: Promise<IDBPDatabase<Kept> | undefined> = open().catch(() => undefined);

export async function keep<S extends Store>(store: S, key: string, value: Kept[S]["value"]): Promise<void> {
  memory[store].set(key, value);
  const db = await opened;
  await db?.put(store, value, key);
}

/** A draft becomes a message in one step, so that no crash leaves both or none. */
export async function keepSent(item: OutboxItem): Promise<void> {
  memory.outbox.set(item.messageId, item);
  memory.drafts.delete(item.sessionId);
  const both = (await opened)?.transaction(["outbox", "drafts"], "readwrite");
  if (!both) return;
  await Promise.all([
    both.objectStore("outbox").put(item, item.messageId),
    both.objectStore("drafts").delete(item.sessionId),
    both.done,
  ]);
}

export async function recall<S extends Store>(store: S, key: string): Promise<Kept[S]["value"] | undefined> {
  // As it is now: what is kept after this was called is not what was asked for.
  const here = memory[store].get(key) as Kept[S]["value"] | undefined;
  const db = await opened;
  return db ? (db.get(store, key) as Promise<Kept[S]["value"] | undefined>) : here;
}

export async function recallAll<S extends Store>(store: S): Promise<Kept[S]["value"][]> {
  const db = await opened;
  if (!db) return [...memory[store].values()] as Kept[S]["value"][];
  return db.getAll(store) as Promise<Kept[S]["value"][]>;
}

export async function drop(store: Store, key: string): Promise<void> {
  memory[store].delete(key);
  const db = await opened;
  await db?.delete(store, key);
}
