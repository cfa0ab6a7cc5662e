/** Where suggestions come from: the agent's commands, and the project's files. Fetched when the first is wanted. */
import { call, Problem } from "../../link/api";
import type { Reply } from "../../link/paths";
import type { Suggestion } from "./suggest.svelte";

export class Offers {
  private commands: Promise<Reply<"GET", "/sessions/{id}/commands">["items"]> | undefined;

  async slash(sessionId: string, typed: string): Promise<Suggestion[]> {
    this.commands ??= call("GET", "/sessions/{id}/commands", { id: sessionId })
      .then((found) => found.items)
      .catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        this.commands = undefined;
        return [];
      });
    return (await this.commands)
      .filter((one) => one.name.toLowerCase().includes(typed.toLowerCase()))
      .map((one) => ({
        value: `/${one.name}`,
        label: `/${one.name}`,
        note: one.refused ?? undefined,
        refused: Boolean(one.refused),
      }));
  }

  async files(slug: string, typed: string): Promise<Suggestion[]> {
    const folder = typed.includes("/") ? typed.slice(0, typed.lastIndexOf("/")) : "";
    const name = typed.slice(folder === "" ? 0 : folder.length + 1).toLowerCase();
    try {
      const found = await call("GET", "/projects/{slug}/files", { slug, query: { path: folder } });
      return found.items
        .filter((one) => one.name.toLowerCase().includes(name))
        .map((one) => {
          const whole = `${folder ? `${folder}/` : ""}${one.name}${one.kind === "folder" ? "/" : ""}`;
          return { value: `@${whole}`, label: whole };
        });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return [];
    }
  }
}
