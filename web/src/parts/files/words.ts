/** What git says about a file, in a word and a tone. */
import type { Tone } from "../../fold/words";
import type { ChangeKind } from "../../link/records";
import type { Project } from "../../link/types";

export const changeWord: Record<ChangeKind, { readonly text: string; readonly tone: Tone }> = {
  added: { text: "New", tone: "ok" },
  untracked: { text: "New", tone: "ok" },
  modified: { text: "Changed", tone: "plain" },
  deleted: { text: "Deleted", tone: "danger" },
  renamed: { text: "Moved", tone: "plain" },
  copied: { text: "Copied", tone: "plain" },
  typeChanged: { text: "Other kind", tone: "plain" },
  conflicted: { text: "Conflict", tone: "danger" },
};

/** `12-20` or `12`, as addresses carry it. */
export function lineRange(given: string | undefined): readonly [number, number] | undefined {
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(given ?? "");
  if (!match) return undefined;
  const from = Number(match[1]);
  const to = Number(match[2] ?? match[1]);
  return from > 0 ? [Math.min(from, to), Math.max(from, to)] : undefined;
}

/** The folder was looked at and git says nothing about it: it lies in no repository. */
export const withoutGit = (project: Project | undefined): boolean =>
  project?.hasClaudeConfig != null && project.gitBranch == null && project.isDirty == null;
