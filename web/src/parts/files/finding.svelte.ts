/** Words looked for in a project's files. What is here was found for the words that stand there now, or nothing is. */
import type { SearchedFiles } from "../../link/types";
import { Remote } from "../../store/remote.svelte";

export interface Wanted {
  readonly text: string;
  readonly regex: boolean;
  readonly exactCase: boolean;
}

/** A word is typed in pieces; each of them need not be looked for. */
const PAUSE_MS = 250;

export class Finding extends Remote<SearchedFiles> {
  constructor(
    private readonly asks: (wanted: Wanted, signal: AbortSignal) => Promise<SearchedFiles>,
    private readonly pause = PAUSE_MS,
  ) {
    super((signal) => asks({ text: "", regex: false, exactCase: false }, signal));
  }

  /** What is looked for changed: nothing of the last answer stays. The answer to this ends it. */
  look(wanted: Wanted, then: (found: SearchedFiles) => void = () => {}): () => void {
    this.clear();
    if (wanted.text === "") return () => {};
    const soon = setTimeout(async () => {
      const found = await this.run((signal) => this.asks(wanted, signal));
      if (found) then(found);
    }, this.pause);
    return () => {
      clearTimeout(soon);
      this.stop();
    };
  }
}
