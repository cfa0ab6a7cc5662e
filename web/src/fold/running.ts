/** What goes on in the background, in a line; apart, since the first screen has it too. */
import type { RunningWork } from "../gen/events";
import type { Retry } from "./failure";
import { plural, span, time } from "./format";
import { retryWord } from "./words";

/** Why nothing comes, and until when: the same words on every screen. */
export function tryingWords({ attempt, most, reason, due }: Retry, now: number): string {
  const count = `${attempt}${most ? ` of ${most}` : ""}`;
  const when = due > now ? `Next try (${count}) in ${span(due - now)}` : `Trying again (${count})`;
  return `${when}: ${retryWord(reason)}`;
}

interface Listed {
  readonly retry?: {
    readonly attempt: number;
    readonly maxAttempts?: number | null;
    readonly reason: string;
    readonly due: string;
  } | null;
  readonly lastLabel?: string | null;
  readonly work: readonly RunningWork[];
}

/** What a session in a list does: a try to come, a call that runs, else what goes on in the background. */
export function doingWords(row: Listed, now: number): string {
  if (!row.retry) return row.lastLabel || workWords(row.work);
  const { attempt, maxAttempts, reason, due } = row.retry;
  return tryingWords({ attempt, most: maxAttempts ?? undefined, reason, due: Date.parse(due) }, now);
}

/** `2 agents · npm run dev · since 14:02` */
export function workWords(work: readonly RunningWork[]): string {
  const beside = work.filter((one) => one.background);
  const [first] = beside;
  if (!first) return "";
  const agents = beside.filter((one) => one.kind === "subagent");
  const tasks = beside.filter((one) => one.kind === "task");
  const named = (list: readonly RunningWork[], one: string): string | undefined =>
    list.length === 1
      ? (list[0]?.description ?? one)
      : list.length > 1
        ? plural(list.length, one)
        : undefined;
  return [
    agents.length === 1 ? `Agent ${agents[0]?.description ?? ""}`.trim() : named(agents, "agent"),
    named(tasks, "command"),
    `since ${time(first.startedAt)}`,
  ]
    .filter(Boolean)
    .join(" · ");
}
