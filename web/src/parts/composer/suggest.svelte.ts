/** What to offer for a `/` at the beginning or an `@` before a word, and how taking it changes the text. */
import type { SlashCommand } from "../../link/types";
import type { Offers } from "./offers";

/** What stands in a row: a name, what may follow it or where it is, and what it does. */
export interface Hint {
  label: string;
  beside?: string;
  note?: string;
  refused?: boolean;
}

export interface Suggestion extends Hint {
  value: string;
  file?: "file" | "folder";
}

/** What a text is written for; a session need not be there yet. */
export interface Ground {
  /** The project whose files are offered. */
  readonly slug: () => string | undefined;
  /** The agent's commands, asked for when the first is wanted. */
  readonly commands: () => Promise<readonly SlashCommand[]>;
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

/** The command whose arguments are being written. */
export const commandOf = (text: string): string | undefined => /^\/([\w:.-]+)\s/.exec(text)?.[1];

export class Suggest {
  items = $state.raw<readonly Suggestion[]>([]);
  active = $state(0);
  /** Nothing fits what was typed. */
  vain = $state(false);
  /** Of the command whose arguments are being written. */
  hint = $state.raw<Hint>();
  private trigger: Trigger | undefined;
  private offers: Offers | undefined;
  private asked: AbortController | undefined;
  private looking: Promise<void> | undefined;

  constructor(private readonly ground: Ground) {}

  get open(): boolean {
    return this.items.length > 0;
  }

  /** An answer is under way; it resolves when there is one. */
  get under(): Promise<void> | undefined {
    return this.looking;
  }

  close(): void {
    this.asked?.abort();
    this.items = [];
    this.vain = false;
    this.trigger = this.looking = undefined;
  }

  /** Also what stood beside a text that is gone. */
  clear(): void {
    this.close();
    this.hint = undefined;
  }

  look(text: string, caret: number): Promise<void> {
    const trigger = triggerAt(text, caret);
    if (trigger) this.asked?.abort();
    else this.close();
    const asked = new AbortController();
    this.asked = asked;
    const looking = this.answer(trigger, commandOf(text), asked.signal).finally(() => {
      if (this.looking === looking) this.looking = undefined;
    });
    this.looking = trigger ? looking : undefined;
    return looking;
  }

  move(step: number): void {
    const count = this.items.length;
    if (count > 0) this.active = (this.active + step + count) % count;
  }

  /** The text with the suggestion in it, and where the caret goes. One that is not sent is not taken, and says why. */
  take(
    text: string,
    caret: number,
    item: Suggestion = this.items[this.active] ?? { value: "", label: "" },
  ): [string, number] {
    if (item.refused) return [text, caret];
    const { trigger } = this;
    this.close();
    if (!trigger || item.value === "") return [text, caret];
    const put = item.value.endsWith("/") ? item.value : `${item.value} `;
    return [
      text.slice(0, trigger.from) + put + text.slice(caret).replace(/^ /, ""),
      trigger.from + put.length,
    ];
  }

  private async answer(
    trigger: Trigger | undefined,
    command: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (!command) this.hint = undefined;
    if (!trigger && !command) return;
    // Nothing while the part of the page for it cannot be had.
    const offers = await this.offered().catch(() => undefined);
    const hint = command && (await offers?.hint(command).catch(() => undefined));
    const found =
      trigger && offers ? await this.fitting(offers, trigger, signal).catch(() => undefined) : undefined;
    // Somebody typed on meanwhile.
    if (signal.aborted) return;
    this.hint = hint || undefined;
    if (!trigger) return;
    this.trigger = trigger;
    this.items = (found ?? []).slice(0, MOST);
    // Without an answer nobody knows.
    this.vain = found?.length === 0 && trigger.kind === "@" && trigger.typed !== "";
    this.active = 0;
  }

  private async offered(): Promise<Offers> {
    this.offers ??= new (await import("./offers")).Offers(this.ground.commands);
    return this.offers;
  }

  private async fitting(
    offers: Offers,
    { kind, typed }: Trigger,
    signal: AbortSignal,
  ): Promise<readonly Suggestion[] | undefined> {
    if (kind === "/") return offers.slash(typed);
    const slug = this.ground.slug();
    return slug ? offers.files(slug, typed, signal) : undefined;
  }
}
