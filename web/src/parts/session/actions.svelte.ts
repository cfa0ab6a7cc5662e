/** What a person can do to a session. Nothing here claims success: the log does. */
import { getContext, setContext } from "svelte";
import type { PermissionMode } from "../../gen/events";
import { call, Problem } from "../../link/api";
import { paths } from "../../routes";
import { router } from "../../store/router.svelte";
import { sessions } from "../../store/sessions.svelte";

const KEY = Symbol("actions");

export interface Rewind {
  checkpointId: string;
  files: string[];
}

export class Actions {
  /** What is under way, so that its button can say so. */
  under = $state<
    "stop" | "end" | "model" | "mode" | "budget" | "title" | "fork" | "resume" | "rewind" | undefined
  >();
  problem = $state("");
  rewind = $state.raw<Rewind | undefined>(undefined);

  constructor(readonly id: string) {}

  private async act<T>(what: NonNullable<Actions["under"]>, done: () => Promise<T>): Promise<T | undefined> {
    this.under = what;
    this.problem = "";
    try {
      return await done();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error.message;
      return undefined;
    } finally {
      if (this.under === what) this.under = undefined;
    }
  }

  /** Ends the turn, not the session. */
  stop = (): Promise<unknown> =>
    this.act("stop", () => call("POST", "/sessions/{id}/interrupt", { id: this.id }));
  end = (): Promise<unknown> => this.act("end", () => call("POST", "/sessions/{id}/stop", { id: this.id }));
  resume = (): Promise<unknown> =>
    this.act("resume", () => call("POST", "/sessions/{id}/resume", { id: this.id }));
  setModel = (model: string): Promise<unknown> =>
    this.act("model", () => call("POST", "/sessions/{id}/model", { id: this.id, body: { model } }));
  setMode = (mode: PermissionMode): Promise<unknown> =>
    this.act("mode", () => call("POST", "/sessions/{id}/permission-mode", { id: this.id, body: { mode } }));
  rename = (title: string): Promise<unknown> =>
    this.act("title", () => call("PATCH", "/sessions/{id}", { id: this.id, body: { title } }));

  /** In US dollars, over the session's whole life; none is as the settings say. */
  setBudget = (maxBudgetUsd: number | undefined): Promise<unknown> =>
    this.act("budget", () => call("POST", "/sessions/{id}/budget", { id: this.id, body: { maxBudgetUsd } }));

  async fork(at?: string): Promise<void> {
    const made = await this.act("fork", () =>
      call("POST", "/sessions/{id}/fork", { id: this.id, body: { at } }),
    );
    if (!made) return;
    sessions.merge([made]);
    router.go(paths.session(sessions.projectOf(made)?.slug, made.id));
  }

  /** First only asks which files would change. */
  async askRewind(checkpointId: string): Promise<void> {
    const found = await this.rewound(checkpointId, true);
    // The document does not say what is in it: it is the agent's own answer.
    if (found)
      this.rewind = { checkpointId, files: (found as { filesChanged?: string[] }).filesChanged ?? [] };
  }

  async doRewind(): Promise<void> {
    const { rewind } = this;
    if (!rewind) return;
    this.rewind = undefined;
    await this.rewound(rewind.checkpointId, false);
  }

  private rewound(checkpointId: string, dryRun: boolean): Promise<unknown> {
    const body = { checkpointId, dryRun };
    return this.act("rewind", () => call("POST", "/sessions/{id}/rewind", { id: this.id, body }));
  }
}

export const provideActions = (id: string): Actions => setContext(KEY, new Actions(id));
export const useActions = (): Actions => getContext<Actions>(KEY);
