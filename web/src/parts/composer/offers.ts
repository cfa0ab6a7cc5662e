/** Where suggestions come from: the agent's commands, and the project's files. Fetched when the first is wanted. */
import { call, Problem } from "../../link/api";
import type { SlashCommand } from "../../link/types";
import type { Hint, Suggestion } from "./suggest.svelte";

/** The commands of a session's agent. */
export const commandsOf = (id: string): (() => Promise<readonly SlashCommand[]>) =>
  once(async () => (await call("GET", "/sessions/{id}/commands", { id })).items);

export class Offers {
  constructor(private readonly commands: () => Promise<readonly SlashCommand[]>) {}

  async slash(typed: string): Promise<Suggestion[]> {
    const letters = typed.toLowerCase();
    // What was typed whole is what is meant, also if it only says why it is not sent.
    const rank = ({ name, refused }: SlashCommand): number =>
      name.toLowerCase() === letters
        ? 0
        : (refused ? 3 : 1) + (name.toLowerCase().startsWith(letters) ? 0 : 1);
    return (await this.known())
      .filter((one) => one.name.toLowerCase().includes(letters))
      .map((one, at) => ({ one, at }))
      .sort((a, b) => rank(a.one) - rank(b.one) || a.at - b.at)
      .map(({ one }) => ({
        value: `/${one.name}`,
        label: `/${one.name}`,
        beside: one.argumentHint ?? undefined,
        note: one.refused ? `Not sent: ${one.refused}` : (one.description ?? undefined),
        refused: Boolean(one.refused),
      }));
  }

  /** What may follow a command that was typed whole, and what it does. */
  async hint(name: string): Promise<Hint | undefined> {
    const one = (await this.known()).find((one) => one.name === name);
    if (!one) return undefined;
    return {
      label: `/${one.name}`,
      beside: one.argumentHint ?? undefined,
      note: one.refused ? `Not sent: ${one.refused}` : (one.description ?? undefined),
      refused: Boolean(one.refused),
    };
  }

  async files(slug: string, letters: string, signal: AbortSignal): Promise<Suggestion[]> {
    const found = await call("GET", "/projects/{slug}/files/find", { slug, query: { letters } }, signal);
    return found.items.map(({ path, kind }) => {
      const cut = path.lastIndexOf("/") + 1;
      const end = kind === "folder" ? "/" : "";
      return {
        value: `@${path}${end}`,
        label: path.slice(cut) + end,
        beside: path.slice(0, cut) || undefined,
        file: kind === "folder" ? "folder" : "file",
      };
    });
  }

  private known(): Promise<readonly SlashCommand[]> {
    return this.commands().catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      return [];
    });
  }
}

/** Asked once, as soon as there is an answer: an agent that has not come up yet has told nothing. */
export function once<T>(ask: () => Promise<readonly T[]>): () => Promise<readonly T[]> {
  let asked: Promise<readonly T[]> | undefined;
  const forget = (): void => {
    asked = undefined;
  };
  return () => {
    if (!asked) {
      asked = ask();
      asked.then((told) => told.length === 0 && forget(), forget);
    }
    return asked;
  };
}
