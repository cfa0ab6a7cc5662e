/** Review comments on the files of one project, which agents and people leave with the daemon. */
import type { Tone } from "../../fold/words";
import type { ReviewComment, ReviewComments } from "../../link/records";
import { Remote } from "../../store/remote.svelte";

/** As many as one answer may hold. */
const MOST = 200;

export const severityWord: Record<ReviewComment["severity"], { readonly text: string; readonly tone: Tone }> =
  {
    note: { text: "Note", tone: "plain" },
    suggestion: { text: "Suggestion", tone: "brand" },
    problem: { text: "Problem", tone: "danger" },
  };

export class Remarks {
  private readonly list = new Remote<ReviewComments>();
  private readonly counts = $derived(
    new Map(this.list.value?.files.map((one) => [one.path, one.comments] as const) ?? []),
  );

  constructor(readonly slug: string) {}

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
    void this.list.ask(`/projects/${encodeURIComponent(this.slug)}/comments?limit=${MOST}`);
  }
}

/** The line of the file as it is now under which a comment stands; none if it is about the whole file. */
export const lineOf = (one: ReviewComment): number | undefined => one.endLine ?? one.line ?? undefined;
