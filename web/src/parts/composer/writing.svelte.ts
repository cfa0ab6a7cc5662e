/** What is being written: its text and files, kept as a draft, with what is offered while one types. */
import { tick } from "svelte";
import type { AttachmentBody } from "../../link/types";
import { type Draft, drop, keep, recall } from "../../store/db";
import { settings } from "../../store/settings.svelte";
import { type Ground, Suggest, type Suggestion } from "./suggest.svelte";

const LONG_PASTE = 4000;
const KEEP_MS = 300;
/** What was written when the page went, and was not kept yet. Only this can be written in that moment. */
const HASTY = "baton.hasty.";

interface Hasty {
  text: string;
  /** Files are kept elsewhere; as many belong to it. */
  files: number;
  /** What was kept before it is part of it, or was taken out of it. */
  whole: boolean;
}

function hastyOf(draft: string): Hasty | undefined {
  try {
    return JSON.parse(localStorage.getItem(HASTY + draft) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

export class Writing {
  text = $state("");
  files = $state.raw<readonly AttachmentBody[]>([]);
  /** Why a file was not taken. */
  problem = $state("");
  field = $state<HTMLTextAreaElement>();
  readonly suggest: Suggest;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Files are read one after the other: two readings at once would each forget what the other one found. */
  private attaching: Promise<void> = Promise.resolve();
  /** As it is kept, as far as that is known. */
  private known: { text: string; files: readonly AttachmentBody[] } = { text: "", files: this.files };
  /** The text that is kept for good: what is on its way there goes with the page. */
  private safe = "";

  /** `draft` names what is kept of it on this device. */
  constructor(
    private readonly draft: string,
    ground: Ground,
  ) {
    this.suggest = new Suggest(ground);
  }

  get empty(): boolean {
    return this.text.trim() === "" && this.files.length === 0;
  }

  /**
   * Takes up what was kept; what was written meanwhile goes behind it. The answer keeps what was changed:
   * a field that goes before it has taken up anything must not empty what is kept.
   */
  begin(): () => void {
    let taken = false;
    const hasty = hastyOf(this.draft);
    if (hasty) this.text = [hasty.text, this.text].filter((one) => one !== "").join("\n\n");
    const taking = recall("drafts", this.draft).then((draft) => {
      taken = true;
      this.safe = draft?.text ?? "";
      if (!hasty?.whole) {
        if (draft) this.takeUp(draft);
      } else if (draft?.attachments.length === hasty.files)
        // Where there are more of them or fewer they were sent, or taken away.
        this.files = [...draft.attachments, ...this.files];
      if (hasty) this.save();
    });
    const going = (): void => {
      // What was taken out to be sent is not lost: it stays a draft until it is kept as a message.
      if (this.text === "" || this.text === this.safe) return;
      const hasty: Hasty = { text: this.text, files: this.files.length, whole: taken };
      localStorage.setItem(HASTY + this.draft, JSON.stringify(hasty));
    };
    addEventListener("pagehide", going);
    const keepChanged = (): void => {
      if (this.text !== this.known.text || this.files !== this.known.files) this.save();
    };
    return () => {
      removeEventListener("pagehide", going);
      clearTimeout(this.timer);
      // At once, if it can be: the field that comes next asks for it in the same moment.
      if (taken) keepChanged();
      else void taking.then(keepChanged);
    };
  }

  private takeUp({ text, attachments }: Draft): void {
    const [written, added] = [this.text, this.files];
    // It is kept already, and was written on.
    if (text !== "" && written.startsWith(text)) return;
    this.text = [text, written].filter((one) => one !== "").join("\n\n");
    this.files = [...attachments, ...added];
    if (written === "" && added.length === 0) this.known = { text: this.text, files: this.files };
    else this.save();
  }

  save(): void {
    const { text, files } = this;
    this.known = { text, files };
    const kept = this.empty
      ? drop("drafts", this.draft)
      : keep("drafts", this.draft, { text, attachments: [...files] });
    void kept.then(() => {
      if (this.known.text === text) this.safe = text;
      localStorage.removeItem(HASTY + this.draft);
    });
  }

  /** After every letter. */
  changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), KEEP_MS);
    void this.suggest.look(this.text, this.field?.selectionStart ?? this.text.length);
  }

  /** Puts something behind what is written. It is kept at once: where it comes from it may be gone. */
  put(words: string, files: readonly AttachmentBody[] = []): void {
    this.text = this.text ? `${this.text.replace(/\n*$/, "\n\n")}${words}` : words;
    this.files = [...this.files, ...files];
    clearTimeout(this.timer);
    this.save();
  }

  /** What was written goes; nothing of it stays here. */
  take(): { text: string; files: AttachmentBody[] } {
    const taken = { text: this.text, files: [...this.files] };
    this.sent(this.text, this.files);
    return taken;
  }

  /** This went; what was written since stays. */
  sent(text: string, files: readonly AttachmentBody[]): void {
    if (this.text.startsWith(text)) this.text = this.text.slice(text.length).trimStart();
    this.files = this.files.filter((one) => !files.includes(one));
    this.problem = "";
    this.suggest.clear();
    clearTimeout(this.timer);
  }

  async choose(item?: Suggestion): Promise<void> {
    const caret = this.field?.selectionStart ?? this.text.length;
    const [next, at] = this.suggest.take(this.text, caret, item);
    if (next === this.text) return;
    this.text = next;
    // Before the next key: what is typed on goes behind it.
    await tick();
    this.field?.setSelectionRange(at, at);
    // The next list of a folder, or what may follow a command.
    this.changed();
  }

  /** Whether a key was for the text or what is offered for it; `send` is what Enter does. */
  key(event: KeyboardEvent, send: () => unknown): boolean {
    // Some browsers end a composition before they tell of the key that ended it.
    if (event.isComposing || event.keyCode === 229) return true;
    const { suggest } = this;
    if (suggest.open) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp")
        suggest.move(event.key === "ArrowDown" ? 1 : -1);
      else if (event.key === "Enter" || event.key === "Tab") void this.whenOffered();
      else if (event.key === "Escape") suggest.close();
      else return true;
      event.preventDefault();
      event.stopPropagation();
      return true;
    }
    if (event.key === "Escape" && suggest.vain) {
      event.stopPropagation();
      suggest.close();
      return true;
    }
    if (event.key !== "Enter" || event.shiftKey) return false;
    if (event.ctrlKey || event.metaKey || event.altKey || settings.enterSends) {
      event.preventDefault();
      if (suggest.under) void this.whenOffered(send);
      else send();
    }
    return true;
  }

  /** What is offered for the last letters is on its way: it is what the key is for, not what fitted fewer of them. */
  private async whenOffered(otherwise?: () => unknown): Promise<void> {
    const typed = this.text;
    await this.suggest.under;
    if (this.text !== typed) return;
    await (this.suggest.open ? this.choose() : otherwise?.());
  }

  attach(news: readonly File[]): Promise<void> {
    const unread = (): void => {
      this.problem = "A file could not be read. Add it again.";
    };
    if (news.length > 0) this.attaching = this.attaching.then(() => this.add(news)).catch(unread);
    return this.attaching;
  }

  private async add(news: readonly File[]): Promise<void> {
    const { add } = await import("./files");
    const before = this.files;
    const added = await add(before, news);
    // Some may have been taken off meanwhile, or sent.
    this.files = [...this.files, ...added.files.slice(before.length)];
    this.problem = added.problem;
    this.save();
  }

  detach(at: number): void {
    this.files = this.files.filter((_, index) => index !== at);
    this.save();
  }

  paste(event: ClipboardEvent): void {
    const pasted = [...(event.clipboardData?.files ?? [])];
    const long = event.clipboardData?.getData("text") ?? "";
    if (pasted.length === 0 && long.length <= LONG_PASTE) return;
    event.preventDefault();
    // Text too long to be typed goes as a file.
    void this.attach(pasted.length > 0 ? pasted : [new File([long], "pasted.txt", { type: "text/plain" })]);
  }
}
