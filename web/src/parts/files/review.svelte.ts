/** Lines that are chosen and comments that wait on this device, of one project. */
import { call } from "../../link/api";
import type { SessionRow } from "../../link/types";
import { uuid } from "../../link/uuid";
import { Act } from "../../store/act.svelte";
import { drop, keep, recall } from "../../store/db";
import { outbox } from "../../store/outbox.svelte";
import { seen } from "../../store/seen";
import { sessions } from "../../store/sessions.svelte";
import { type Comment, commentText } from "./comment";
import { Remarks } from "./remarks.svelte";

/** One line on the screen that can be commented on. */
export interface CodeRow {
  readonly kind: "same" | "added" | "removed";
  readonly old?: number | null;
  readonly new?: number | null;
  readonly text: string;
  readonly marks?: readonly (readonly [number, number])[];
  readonly noNewline?: boolean;
}

interface Chosen {
  readonly path: string;
  /** Places in the list of rows. */
  readonly from: number;
  readonly to: number;
}

export const NEW = "new";

export class Review extends Act {
  chosen = $state.raw<Chosen | undefined>(undefined);
  kept = $state.raw<readonly Comment[]>([]);
  text = $state("");
  target = $state("");
  /** Lines are still being chosen: nothing may appear under the pointer. */
  dragging = $state(false);
  sent = $state.raw<{ sessionId: string; messageId?: string } | undefined>(undefined);
  /** What others, mostly agents, have said about these files. */
  readonly remarks: Remarks;
  private anchor = 0;
  /** What stood at the places when they were chosen: the list may be read anew while somebody writes. */
  private meant: { readonly of: Chosen; readonly rows: readonly CodeRow[] } | undefined;

  /** `looked` is the session that is on the screen, if one is. */
  constructor(
    readonly slug: string,
    private readonly looked = "",
  ) {
    super();
    this.remarks = new Remarks(slug);
    void recall("drafts", this.key).then((draft) => {
      if (!draft) return;
      const begun = this.kept;
      const before = (JSON.parse(draft.text) as Comment[]).filter(
        ({ id }) => !begun.some((one) => one.id === id),
      );
      if (begun.length === 0) this.kept = before;
      else this.save([...before, ...begun]);
    });
  }

  private get key(): string {
    return `review:${this.slug}`;
  }

  /**
   * Sessions that a comment can go to: the one that is looked at, which goes
   * on for it if it has ended, then as this device looked at them last.
   */
  get targets(): readonly SessionRow[] {
    const project = sessions.project(this.slug);
    const looked = (row: SessionRow): number =>
      row.id === this.looked ? Number.POSITIVE_INFINITY : (seen.of(row.id)?.at ?? 0);
    return sessions.all
      .filter((row) => row.projectId === project?.id && (row.state !== "ended" || row.id === this.looked))
      .toSorted((a, b) => looked(b) - looked(a) || 0);
  }

  get to(): string {
    const known = this.target === NEW || this.targets.some((row) => row.id === this.target);
    return known ? this.target : (this.targets[0]?.id ?? NEW);
  }

  covers(path: string, at: number): boolean {
    const { chosen } = this;
    return chosen !== undefined && chosen.path === path && chosen.from <= at && at <= chosen.to;
  }

  ends(path: string, at: number): boolean {
    return !this.dragging && this.chosen?.path === path && this.chosen.to === at;
  }

  /** The lines that are chosen, as they were then. */
  lines(rows: readonly CodeRow[]): readonly CodeRow[] {
    const { chosen } = this;
    if (!chosen) return [];
    if (this.meant?.of !== chosen) this.meant = { of: chosen, rows: rows.slice(chosen.from, chosen.to + 1) };
    return this.meant.rows;
  }

  start(path: string, at: number): void {
    this.anchor = at;
    this.sent = undefined;
    this.chosen = { path, from: at, to: at };
  }

  extend(path: string, at: number): void {
    if (this.chosen?.path !== path) this.start(path, at);
    this.chosen = { path, from: Math.min(this.anchor, at), to: Math.max(this.anchor, at) };
  }

  /** Whether what is chosen can go so many lines further, of a list that ends at `last`. */
  canMove(step: number, last: number): boolean {
    const { chosen } = this;
    return chosen !== undefined && chosen.from + step >= 0 && chosen.to + step <= last;
  }

  move(step: number): void {
    const { chosen } = this;
    if (!chosen) return;
    this.anchor = chosen.from + step;
    this.chosen = { ...chosen, from: chosen.from + step, to: chosen.to + step };
  }

  more(): void {
    if (this.chosen) this.chosen = { ...this.chosen, to: this.chosen.to + 1 };
  }

  discard(): void {
    this.chosen = undefined;
    this.text = "";
    this.problem = "";
  }

  /** Takes what is written as a comment, to be sent with others. */
  keep(rows: readonly CodeRow[]): void {
    const { chosen } = this;
    if (!chosen || this.text.trim() === "") return;
    this.save([...this.kept, commentOn(chosen.path, this.lines(rows), this.text)]);
    this.discard();
  }

  remove(id: string): void {
    this.save(this.kept.filter((one) => one.id !== id));
  }

  async send(rows?: readonly CodeRow[]): Promise<void> {
    if (this.busy) return;
    const { chosen, text } = this;
    const all = [...this.kept];
    if (rows && chosen && text.trim() !== "") all.push(commentOn(chosen.path, this.lines(rows), text));
    if (all.length === 0) return;
    await this.run("send", async () => {
      this.sent = await this.deliver(commentText(all));
      // What was written or kept meanwhile did not go with it.
      if (this.chosen === chosen && this.text === text) this.discard();
      this.save(this.kept.filter((one) => !all.includes(one)));
    });
  }

  private async deliver(text: string): Promise<{ sessionId: string; messageId?: string }> {
    const sessionId = this.to;
    if (sessionId !== NEW) return { sessionId, messageId: await outbox.send(sessionId, text, []) };
    const body = { prompt: text, messageId: uuid() };
    const made = await call("POST", "/projects/{slug}/sessions", { slug: this.slug, body });
    sessions.merge([made]);
    return { sessionId: made.id };
  }

  private save(list: readonly Comment[]): void {
    this.kept = list;
    if (list.length === 0) void drop("drafts", this.key);
    else void keep("drafts", this.key, { text: JSON.stringify(list), attachments: [] });
  }
}

function commentOn(path: string, lines: readonly CodeRow[], text: string): Comment {
  const side = lines.every((line) => line.kind === "removed") ? "old" : "new";
  const numbers = lines.map((line) => line[side]).filter((one) => one !== undefined);
  return {
    id: uuid(),
    path,
    from: numbers[0] ?? 1,
    to: numbers.at(-1) ?? 1,
    side,
    code: lines.map((line) => line.text).join("\n"),
    text,
  };
}
