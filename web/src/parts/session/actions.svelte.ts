/** What a person can do to a session. Nothing here claims success: the log does. */
import { getContext, setContext } from "svelte";
import type { PermissionMode } from "../../gen/events";
import { call } from "../../link/api";
import { paths } from "../../routes";
import { Act } from "../../store/act.svelte";
import { router } from "../../store/router.svelte";
import { sessions } from "../../store/sessions.svelte";

const KEY = Symbol("actions");

export interface Rewind {
  checkpointId: string;
  files: string[];
}

type What = "stop" | "end" | "model" | "mode" | "budget" | "title" | "fork" | "resume" | "rewind";

export class Actions extends Act<What> {
  rewind = $state.raw<Rewind | undefined>(undefined);

  constructor(readonly id: string) {
    super();
  }

  /** Ends the turn, not the session. */
  stop = (): Promise<void> =>
    this.run("stop", () => call("POST", "/sessions/{id}/interrupt", { id: this.id }));
  end = (): Promise<void> => this.run("end", () => call("POST", "/sessions/{id}/stop", { id: this.id }));
  resume = (): Promise<void> =>
    this.run("resume", () => call("POST", "/sessions/{id}/resume", { id: this.id }));
  setModel = (model: string): Promise<void> =>
    this.run("model", () => call("POST", "/sessions/{id}/model", { id: this.id, body: { model } }));
  setMode = (mode: PermissionMode): Promise<void> =>
    this.run("mode", () => call("POST", "/sessions/{id}/permission-mode", { id: this.id, body: { mode } }));
  rename = (title: string): Promise<void> =>
    this.run("title", () => call("PATCH", "/sessions/{id}", { id: this.id, body: { title } }));

  /** In US dollars, over the session's whole life; none is as the settings say. */
  setBudget = (maxBudgetUsd: number | undefined): Promise<void> =>
    this.run("budget", () => call("POST", "/sessions/{id}/budget", { id: this.id, body: { maxBudgetUsd } }));

  async fork(at?: string): Promise<void> {
    await this.run("fork", async () => {
      const made = await call("POST", "/sessions/{id}/fork", { id: this.id, body: { at } });
      sessions.merge([made]);
      router.go(paths.session(sessions.projectOf(made)?.slug, made.id));
    });
  }

  /** First only asks which files would change. */
  askRewind = (checkpointId: string): Promise<void> =>
    this.run("rewind", async () => {
      const { filesChanged } = await this.rewound(checkpointId, true);
      this.rewind = { checkpointId, files: filesChanged };
    });

  async doRewind(): Promise<void> {
    const { rewind } = this;
    if (!rewind) return;
    this.rewind = undefined;
    await this.run("rewind", () => this.rewound(rewind.checkpointId, false));
  }

  private rewound(checkpointId: string, dryRun: boolean) {
    return call("POST", "/sessions/{id}/rewind", { id: this.id, body: { checkpointId, dryRun } });
  }
}

export const provideActions = (id: string): Actions => setContext(KEY, new Actions(id));
export const useActions = (): Actions => getContext<Actions>(KEY);
