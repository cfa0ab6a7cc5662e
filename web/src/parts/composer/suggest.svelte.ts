/** What to offer for a `/` at the beginning or an `@` before a word, and how taking it changes the text. */
import { call, Problem } from "../../link/api";
import type { FileList } from "../../link/records";

export interface Suggestion {
  value: string;
  label: string;
  note?: string;
  refused?: boolean;
}

interface Trigger {
  kind: "/" | "@";
  from: number;
  typed: string;
}

const MOST = 40;

export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const slash = /^\/([\w:.-]*)$/.exec(before);
  if (slash) return { kind: "/", from: 0, typed: slash[1] ?? "" };
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention) return { kind: "@", from: caret - (mention[1] ?? "").length - 1, typed: mention[1] ?? "" };
  return undefined;
}

interface Command {
  name: string;
  refused?: string | null;
}

export class Suggest {
  items = $state.raw<readonly Suggestion[]>([]);
  active = $state(0);
  private trigger: Trigger | undefined;
  private commands: Promise<Command[]> | undefined;
  private asked = 0;

  constructor(
    private readonly sessionId: string,
    private readonly slug: () => string | undefined,
  ) {}

  get open(): boolean {
    return this.items.length > 0;
  }

  close(): void {
    this.items = [];
    this.trigger = undefined;
  }

  async look(text: string, caret: number): Promise<void> {
    const trigger = triggerAt(text, caret);
    if (!trigger) return this.close();
    const ticket = ++this.asked;
    const found = trigger.kind === "/" ? await this.slash(trigger.typed) : await this.files(trigger.typed);
    // Somebody typed on meanwhile.
    if (ticket !== this.asked) return;
    this.trigger = trigger;
    this.items = found.slice(0, MOST);
    this.active = 0;
  }

  move(step: number): void {
    const count = this.items.length;
    if (count > 0) this.active = (this.active + step + count) % count;
  }

  /** The text with the suggestion in it, and where the caret goes. */
  take(
    text: string,
    caret: number,
    item: Suggestion = this.items[this.active] ?? { value: "", label: "" },
  ): [string, number] {
    const { trigger } = this;
    this.close();
    if (!trigger || item.value === "" || item.refused) return [text, caret];
    const put = item.value.endsWith("/") ? item.value : `${item.value} `;
    return [
      text.slice(0, trigger.from) + put + text.slice(caret).replace(/^ /, ""),
      trigger.from + put.length,
    ];
  }

  private async slash(typed: string): Promise<Suggestion[]> {
    this.commands ??= call<{ items: Command[] }>("GET", `/sessions/${this.sessionId}/commands`)
      .then((found) => found.items)
      .catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        this.commands = undefined;
        return [];
      });
    const all = await this.commands;
    return all
      .filter((one) => one.name.toLowerCase().includes(typed.toLowerCase()))
      .map((one) => ({
        value: `/${one.name}`,
        label: `/${one.name}`,
        note: one.refused ?? undefined,
        refused: Boolean(one.refused),
      }));
  }

  private async files(typed: string): Promise<Suggestion[]> {
    const slug = this.slug();
    if (!slug) return [];
    const folder = typed.includes("/") ? typed.slice(0, typed.lastIndexOf("/")) : "";
    const name = typed.slice(folder === "" ? 0 : folder.length + 1).toLowerCase();
    try {
      const path = encodeURIComponent(folder);
      const found = await call<FileList>("GET", `/projects/${slug}/files?path=${path}`);
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
