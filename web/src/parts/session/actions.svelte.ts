/** What a person can do to a session. Nothing here claims success: the log does. */
import { getContext, setContext } from "svelte";
import type { PermissionMode } from "../../gen/events";
import { call, Problem } from "../../link/api";
import type { SessionRow } from "../../link/types";
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

  private async act<T>(
    what: NonNullable<Actions["under"]>,
    path: string,
    body: unknown = {},
  ): Promise<T | undefined> {
    this.under = what;
    this.problem = "";
    try {
      return await call<T>("POST", `/sessions/${this.id}/${path}`, body);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error.message;
      return undefined;
    } finally {
      if (this.under === what) this.under = undefined;
    }
  }

  /** Ends the turn, not the session. */
  stop = (): Promise<unknown> => this.act("stop", "interrupt");
  end = (): Promise<unknown> => this.act("end", "stop");
  resume = (): Promise<unknown> => this.act("resume", "resume");
  setModel = (model: string): Promise<unknown> => this.act("model", "model", { model });
  setMode = (mode: PermissionMode): Promise<unknown> => this.act("mode", "permission-mode", { mode });

  /** In US dollars, over the session's whole life; none is as the settings say. */
  setBudget = (maxBudgetUsd: number | undefined): Promise<unknown> =>
    this.act("budget", "budget", maxBudgetUsd === undefined ? {} : { maxBudgetUsd });

  async fork(at?: string): Promise<void> {
    const made = await this.act<SessionRow>("fork", "fork", at ? { at } : {});
    if (!made) return;
    sessions.merge([made]);
    router.go(paths.session(sessions.projectOf(made)?.slug, made.id));
  }

  async rename(title: string): Promise<void> {
    this.under = "title";
    try {
      await call("PATCH", `/sessions/${this.id}`, { title });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error.message;
    } finally {
      this.under = undefined;
    }
  }

  /** First only asks which files would change. */
  async askRewind(checkpointId: string): Promise<void> {
    const body = { checkpointId, dryRun: true };
    const found = await this.act<{ filesChanged?: string[] }>("rewind", "rewind", body);
    if (found) this.rewind = { checkpointId, files: found.filesChanged ?? [] };
  }

  async doRewind(): Promise<void> {
    const { rewind } = this;
    if (!rewind) return;
    this.rewind = undefined;
    await this.act("rewind", "rewind", { checkpointId: rewind.checkpointId, dryRun: false });
  }
}

export const provideActions = (id: string): Actions => setContext(KEY, new Actions(id));
export const useActions = (): Actions => getContext<Actions>(KEY);
