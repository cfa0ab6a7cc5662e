/** Something asked of the daemon: what came last, what went wrong, and when it was true. */
import { Problem } from "../link/api";

export class Remote<T> {
  value = $state.raw<T | undefined>(undefined);
  problem = $state.raw<Problem | undefined>(undefined);
  loading = $state(false);
  /** When `value` came; 0 before. */
  at = $state(0);
  private gone: AbortController | undefined;

  constructor(private readonly asked: (signal: AbortSignal) => Promise<T>) {}

  ask(): Promise<T | undefined> {
    return this.run(this.asked);
  }

  /** The newest question counts; what came before stays until there is an answer. */
  async run(asked: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.gone?.abort();
    const mine = new AbortController();
    this.gone = mine;
    this.loading = true;
    try {
      const value = await asked(mine.signal);
      if (mine.signal.aborted) return undefined;
      this.value = value;
      this.problem = undefined;
      this.at = Date.now();
      return value;
    } catch (error) {
      if (mine.signal.aborted) return undefined;
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
      return undefined;
    } finally {
      if (this.gone === mine) this.loading = false;
    }
  }

  /** For another subject: nothing of the old one may stay. */
  clear(): void {
    this.stop();
    this.value = undefined;
    this.problem = undefined;
    this.at = 0;
  }

  stop(): void {
    this.gone?.abort();
    this.gone = undefined;
    this.loading = false;
  }
}
