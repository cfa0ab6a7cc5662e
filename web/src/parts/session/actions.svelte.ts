/** What a person can do to a session. Nothing here claims success: the log does. */
import { getContext, setContext } from "svelte";
import type { TextRow, UserRow } from "../../fold/view";
import type { PermissionMode } from "../../gen/events";
import { call } from "../../link/api";
import { paths } from "../../routes";
import { Act } from "../../store/act.svelte";
import { keep } from "../../store/db";
import { router } from "../../store/router.svelte";
import { sessions } from "../../store/sessions.svelte";

const KEY = Symbol("actions");

type What = "stop" | "end" | "model" | "mode" | "budget" | "title" | "fork" | "resume";

export class Actions extends Act<What> {
  /** The message to which somebody wants to go back. */
  back = $state.raw<UserRow | TextRow | undefined>(undefined);

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

  /** Goes to a new session that begins with what this one has up to `at`; `again` is put into its composer. */
  async fork(at?: string, again?: UserRow): Promise<void> {
    await this.run("fork", async () => {
      const draft = again && (await (await import("./again")).draftOf(this.id, again));
      const made = await call("POST", "/sessions/{id}/fork", { id: this.id, body: { at } });
      if (draft) await keep("drafts", made.id, draft);
      this.back = undefined;
      sessions.merge([made]);
      router.go(paths.session(sessions.projectOf(made)?.slug, made.id));
    });
  }
}

export const provideActions = (id: string): Actions => setContext(KEY, new Actions(id));
export const useActions = (): Actions => getContext<Actions>(KEY);
