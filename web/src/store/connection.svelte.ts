/** What is true of the line to the daemon, in the words of the screen. */
import { onSignedOut, token } from "../link/api";
import { shared } from "../link/share";
import { Link, type LinkState } from "../link/socket";
import { forgetRead, sessions } from "./sessions.svelte";

let state = $state.raw<LinkState>({ phase: "idle" });
let signedOut = $state(token.get() === null);
/** It was not this device that ended its own sign-in. */
let revoked = $state(false);
let online = $state(true);
/** When the daemon was last heard of; only read for ages, so not reactive by itself. */
let heardAt = 0;
/** The same from before this page was opened, kept on this device. */
const HEARD = "baton.heard";
let before = $state(Number(localStorage.getItem(HEARD)) || 0);

function keepHeard(): void {
  if (heardAt === 0) return;
  before = heardAt;
  localStorage.setItem(HEARD, String(heardAt));
}

let dated = $state(0);
/** Why the last try failed; empty before the first and while there is a line. */
let failure = $state("");
const back: (() => void)[] = [];

export const link = new Link(
  (next) => {
    const was = state.phase;
    state = next;
    if (next.phase === "waiting") failure = next.reason;
    else if (next.phase !== "connecting") failure = "";
    if (next.phase === "refused") putOut();
    if (next.phase === "waiting" && was === "connected") {
      dated = heardAt;
      keepHeard();
    }
    if (next.phase === "connected") for (const told of back) told();
  },
  (rows, removed) => sessions.merge(rows, removed),
  () => {
    heardAt = Date.now();
  },
);

function signOut(): void {
  signedOut = true;
  link.close();
  // What is on this device belongs to whoever is signed in.
  if (shared) return;
  token.clear();
  localStorage.removeItem(HEARD);
  forgetRead();
}

function putOut(): void {
  revoked = true;
  signOut();
}

export type Word = "Connected" | "Connecting" | "Reconnecting" | "Offline" | "Signed out";

export const connection = {
  get signedOut(): boolean {
    return signedOut;
  },
  get revoked(): boolean {
    return revoked;
  },
  /** The line is proven: what the screen claims is claimed of now. */
  get live(): boolean {
    return state.phase === "connected";
  },
  get word(): Word {
    if (signedOut) return "Signed out";
    if (state.phase === "connected") return "Connected";
    if (!online || (state.phase === "waiting" && state.tries > 3)) return "Offline";
    if (dated > 0 || (state.phase === "waiting" && state.tries > 0)) return "Reconnecting";
    return "Connecting";
  },
  /** Why it cannot be reached, also while it is tried again; empty if it can, or was not tried yet. */
  get failure(): string {
    return failure;
  },
  get retryAt(): number | undefined {
    return state.phase === "waiting" ? state.retryAt : undefined;
  },
  /** Since when there is no contact; 0 before the first. */
  get asOf(): number {
    return state.phase === "connected" ? 0 : dated;
  },
  /** When the daemon was last heard of, also by earlier pages of this device; 0 if never. */
  get heardAt(): number {
    return before;
  },
  tryNow(): void {
    link.open();
  },
  /** Called at every connect, the first one too. */
  onBack(told: () => void): void {
    back.push(told);
  },
  signedIn(value: string): void {
    token.set(value);
    signedOut = false;
    revoked = false;
    link.open();
  },
  signOut,
};

export function startConnection(): void {
  onSignedOut(putOut);
  online = navigator.onLine;
  const wake = () => {
    online = navigator.onLine;
    if (!signedOut && online && document.visibilityState === "visible") link.open();
  };
  addEventListener("pagehide", keepHeard);
  addEventListener("online", wake);
  addEventListener("offline", () => {
    online = false;
    link.drop("no network");
  });
  addEventListener("focus", wake);
  document.addEventListener("visibilitychange", wake);
  if (!signedOut) link.open();
}
