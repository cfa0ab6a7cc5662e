/**
 * Texts that look like credentials, as the daemon tells them beside the events
 * and lists that they are in. `parts/secret` covers them on the screen; here is
 * only what has to be known before anything is drawn.
 */
import type { Secret } from "../gen/events";

export const told: Secret[] = [];

export function learn(more: readonly Secret[] | null | undefined): void {
  if (more) told.push(...more);
}
