/** Where a person was reading in each session, so that coming back shows the same. */
import type { Anchor } from "./follow";

const MOST = 50;
const known = new Map<string, Anchor>();

export function remember(sessionId: string, anchor: Anchor | undefined): void {
  known.delete(sessionId);
  if (!anchor) return;
  known.set(sessionId, anchor);
  const [oldest] = known.keys();
  if (known.size > MOST && oldest !== undefined) known.delete(oldest);
}

export const remembered = (sessionId: string): Anchor | undefined => known.get(sessionId);
