/**
 * The newest events of sessions that were opened lately on this device, so that a reload
 * shows what was there though the daemon is gone. They are never taken for what is: as soon
 * as the daemon can be asked, it is.
 */
import type { DBSchema, IDBPDatabase } from "idb";
import type { Header } from "../fold/view";
import type { Envelope, Secret } from "../gen/events";

export interface KeptSession {
  readonly id: string;
  /** When the daemon was last heard of with it, in milliseconds since 1970. */
  readonly at: number;
  /** After the last of the events. */
  readonly header: Header;
  /** Without a gap, the oldest first. */
  readonly events: readonly Envelope[];
  readonly secrets: readonly Secret[];
}

const MOST_SESSIONS = 8;
/** Of one session, counted as its text. */
const MOST_CHARACTERS = 1_000_000;

/** The newest that fit. */
export function fitting(events: readonly Envelope[], most = MOST_CHARACTERS): readonly Envelope[] {
  let room = most;
  let from = events.length;
  for (; from > 0; from--) {
    room -= JSON.stringify(events[from - 1]).length;
    if (room < 0) break;
  }
  return events.slice(from);
}

interface Kept extends DBSchema {
  sessions: { key: string; value: KeptSession };
}
const STORE = "sessions";

/** Apart from drafts and messages, whose place an older page may have open in another tab. */
async function open(): Promise<IDBPDatabase<Kept>> {
  const { openDB } = await import("idb");
  return openDB<Kept>("baton-sessions", 1, {
    upgrade: (db) => void db.createObjectStore(STORE),
    // Whoever signs out, in whichever tab, leaves nothing of it behind.
    blocking(_current, _wanted, event) {
      opened = undefined;
      (event.target as IDBDatabase).close();
    },
  });
}
let opened: Promise<IDBPDatabase<Kept>> | undefined;
const place = (): Promise<IDBPDatabase<Kept>> => {
  opened ??= open();
  return opened;
};

export async function keepSession(session: KeptSession): Promise<void> {
  const events = fitting(session.events);
  if (events.length === 0) return;
  const db = await place();
  await db.put(STORE, { ...session, events }, session.id);
  // Most of the time it is one that was there: reading all of them is not for every second.
  if ((await db.count(STORE)) <= MOST_SESSIONS) return;
  const all = await db.getAll(STORE);
  const old = all.sort((a, b) => b.at - a.at).slice(MOST_SESSIONS);
  await Promise.all(old.map((one) => db.delete(STORE, one.id)));
}

export const keptSession = async (id: string): Promise<KeptSession | undefined> =>
  (await place()).get(STORE, id);

export const forgetSession = async (id: string): Promise<void> => (await place()).delete(STORE, id);
