/** Shorter than anybody reads: the second half of a double press. */
const UNREAD_MS = 400;

/** A press that counts only the second time, and only for what it was pressed on. */
export class Sure {
  #what = $state<string | undefined>();
  #ready = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Whether `what` was pressed once. */
  asked(what: string): boolean {
    return this.#what === what;
  }

  /** Whether there was time to read what the first press has brought. */
  get ready(): boolean {
    return this.#ready;
  }

  /** True at the second press on the same. */
  press(what: string): boolean {
    if (this.#what === what) return this.#ready;
    this.#what = what;
    this.#ready = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#ready = true;
    }, UNREAD_MS);
    return false;
  }
}
