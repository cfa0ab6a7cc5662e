/**
 * Has the daemon keep an agent up for a session that is about to be begun, for
 * as long as somebody looks at the page that would begin it.
 */
import type { Warm } from "./types";

/** The daemon lets go after 60 s without a word. */
const AGAIN_MS = 20_000;
/** Who goes through the choices is not followed at every step. */
const SETTLED_MS = 400;

export class Ready {
  private wanted: Warm | undefined;
  private told: Warm | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly say: (wanted: Warm) => void) {}

  /** What would be begun now; nothing where none can be. */
  want(wanted: Warm | undefined): void {
    if (JSON.stringify(wanted) === JSON.stringify(this.wanted)) return;
    this.wanted = wanted;
    this.after(SETTLED_MS);
  }

  /** Somebody looks again, or there is a line again: it may have been let go of. */
  again(): void {
    if (this.wanted) this.after(0);
  }

  /** Nothing is about to be begun any more. */
  leave(): void {
    clearTimeout(this.timer);
    this.wanted = undefined;
    this.tell();
  }

  private after(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), ms);
  }

  private tell(): void {
    const { wanted, told } = this;
    if (!wanted) {
      this.told = undefined;
      if (told) this.say({ project: told.project });
      return;
    }
    // A page that nobody sees begins nothing.
    if (document.visibilityState === "visible") {
      this.told = wanted;
      this.say(wanted);
    }
    this.after(AGAIN_MS);
  }
}
