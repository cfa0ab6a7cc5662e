/** What a person does here: what of it is under way, and why the last of it failed. */
import { type Problem, whyNot } from "../link/api";

export class Act<What extends string = string> {
  under = $state<What | undefined>();
  problem = $state("");

  constructor(private readonly words?: (problem: Problem) => string) {}

  get busy(): boolean {
    return this.under !== undefined;
  }

  async run(what: What, done: () => Promise<unknown>): Promise<void> {
    this.under = what;
    this.problem = "";
    try {
      this.problem = await whyNot(done, this.words);
    } finally {
      if (this.under === what) this.under = undefined;
    }
  }
}
