/** What this device may do, as the daemon said when it signed in. A page that offers no more is refused nothing. */
import { shared } from "../link/share";
import { device } from "./device";

let scope = $state(shared ? "observe" : device.scope());

export const access = {
  /** It sees one session, and nothing around it. */
  alone: shared !== null,
  /** It may send, answer and change; otherwise it only watches. */
  get steers(): boolean {
    return scope !== "observe";
  },
  /** It may let others in. */
  get admits(): boolean {
    return scope === undefined || scope === "admin";
  },
  learn(id: string, now: string): void {
    device.remember(id, now);
    scope = now;
  },
};
