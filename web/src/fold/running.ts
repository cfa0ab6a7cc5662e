/** What goes on in the background, in a line; apart, since the first screen has it too. */
import type { RunningWork } from "../gen/events";
import { plural, time } from "./format";

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
