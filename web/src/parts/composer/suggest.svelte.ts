/** What to offer for a `/` at the beginning or an `@` before a word, and how taking it changes the text. */
import type { Offers } from "./offers";

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

export class Suggest {
  items = $state.raw<readonly Suggestion[]>([]);
  active = $state(0);
  private trigger: Trigger | undefined;
  private offers: Offers | undefined;
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
    const found = await this.offered(trigger).catch(() => []);
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

  /** Nothing while the part of the page for it cannot be had. */
  private async offered({ kind, typed }: Trigger): Promise<readonly Suggestion[]> {
    this.offers ??= new (await import("./offers")).Offers();
    const slug = this.slug();
    if (kind === "/") return this.offers.slash(this.sessionId, typed);
    return slug ? this.offers.files(slug, typed) : [];
  }
}
