/** Review comments on the files of one project, which agents and people leave with the daemon. */
import type { Tone } from "../../fold/words";
import { call } from "../../link/api";
import type { ReviewComment } from "../../link/records";
import { Act } from "../../store/act.svelte";
import { Remote } from "../../store/remote.svelte";
import { linesWord } from "./comment";

/** As many as one answer may hold. */
const MOST = 200;

export const severityWord: Record<ReviewComment["severity"], { readonly text: string; readonly tone: Tone }> =
  {
    note: { text: "Note", tone: "plain" },
    suggestion: { text: "Suggestion", tone: "brand" },
    problem: { text: "Problem", tone: "danger" },
  };

export class Remarks extends Act {
  private readonly list = new Remote((signal) =>
    call("GET", "/projects/{slug}/comments", { slug: this.slug, query: { limit: MOST } }, signal),
  );
  private readonly counts = $derived(
    new Map(this.list.value?.files.map((one) => [one.path, one.comments] as const) ?? []),
  );

  /** Which of them was to be changed last; a problem is about it. */
  changed = $state("");

  constructor(readonly slug: string) {
    super();
  }

  /** Files that have any, with how many. */
  get files(): ReadonlyMap<string, number> {
    return this.counts;
  }

  /** There are more than could be listed. */
  get cut(): boolean {
    return this.list.value?.truncated ?? false;
  }

  of(path: string): readonly ReviewComment[] {
    return this.list.value?.comments.filter((one) => one.path === path) ?? [];
  }

  count(path: string): number {
    return this.counts.get(path) ?? 0;
  }

  refresh(): void {
    void this.list.ask();
  }

  /** Settles one, or opens it again. */
  resolve(id: string, resolved: boolean): Promise<void> {
    const given = { slug: this.slug, commentId: id, body: { resolved } };
    return this.change(id, () => call("PATCH", "/projects/{slug}/comments/{commentId}", given));
  }

  /** For good. */
  remove(id: string): Promise<void> {
    const given = { slug: this.slug, commentId: id };
    return this.change(id, () => call("DELETE", "/projects/{slug}/comments/{commentId}", given));
  }

  private change(id: string, done: () => Promise<unknown>): Promise<void> {
    this.changed = id;
    return this.run(id, async () => {
      await done();
      await this.list.ask();
    });
  }
}

/** The line of the file as it is now under which a comment stands; none if it is about the whole file, or about lines that are gone. */
export const lineOf = (one: ReviewComment): number | undefined =>
  one.outdated ? undefined : (one.endLine ?? one.line ?? undefined);

/** What it is about, in words. */
export function placeOf(one: ReviewComment): string {
  if (one.line == null) return one.outdated ? "a file that is gone" : "the file";
  const lines = linesWord({ from: one.line, to: one.endLine ?? one.line, side: "new" });
  return one.outdated ? `what was ${lines}` : lines;
}
