/** Which rows came while nobody looked: from when this device left the session, or while it was hidden or read further up. */
import { type Seen, seen } from "../../store/seen";

export class Unread {
  /** Everything after it is new; it stays until the session is left. */
  line = $state.raw<Seen | undefined>(undefined);
  private looking = true;
  /** Set when looking away, and of no use if nothing came meanwhile. */
  private tentative = false;
  private last: Seen;

  constructor(
    private readonly sessionId: string,
    seq: number,
    now: number,
    turns = 0,
  ) {
    const before = seen.of(sessionId);
    if (before && before.seq < seq) this.line = before;
    this.last = { seq, at: now, turns };
  }

  /** Call whenever something came or the view changed: `looks` while the end is before a person's eyes. */
  update(looks: boolean, seq: number, now: number, turns = 0): void {
    if (looks) {
      if (!this.looking && this.tentative && this.line && this.line.seq >= seq) this.line = undefined;
      this.tentative = false;
      this.last = { seq, at: now, turns };
    } else if (this.looking && !this.line) {
      this.line = this.last;
      this.tentative = true;
    }
    this.looking = looks;
  }

  leave(): void {
    seen.note(this.sessionId, this.last);
  }
}
