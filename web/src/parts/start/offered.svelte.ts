/** What an agent offers for a session in a project. Nothing of another project or agent is taken for it. */
import type { AgentChoices, SlashCommand } from "../../link/types";
import { Remote } from "../../store/remote.svelte";

type Ask = (slug: string, agent: string, signal: AbortSignal) => Promise<AgentChoices>;

export class Offered {
  private slug = "";
  private agent = $state("");
  /** Whose the answer is. */
  private of = $state("");
  private looking: Promise<unknown> = Promise.resolve();
  private readonly told: Remote<AgentChoices>;

  constructor(ask: Ask) {
    this.told = new Remote((signal) => ask(this.slug, this.agent, signal));
  }

  /** An empty agent is the default one. */
  look(slug: string, agent: string): void {
    if (slug !== this.slug) this.told.clear();
    [this.slug, this.agent] = [slug, agent];
    this.looking = this.told.ask().then((answer) => {
      if (answer) this.of = agent;
    });
  }

  private get mine(): AgentChoices | undefined {
    return this.of === this.agent ? this.told.value : undefined;
  }

  get models(): AgentChoices["models"] {
    return this.mine?.models ?? [];
  }

  /** How sessions of the project began, whichever agent they had. */
  get prompts(): readonly string[] {
    return this.told.value?.prompts ?? [];
  }

  /** Also while they are being asked for. */
  async commands(): Promise<readonly SlashCommand[]> {
    await this.looking;
    return this.mine?.commands ?? [];
  }
}
