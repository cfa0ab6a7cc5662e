/** What works beside the conversation: the same fold as the daemon's (`baton-protocol`, `work.rs`). */
import type { Envelope, RunningWork } from "../gen/events";
import { turnsOver } from "./places";
import type { View } from "./view";

const behind = (one: RunningWork): RunningWork => ({ ...one, background: true });

/** The oldest first. */
export function followWork(work: readonly RunningWork[], event: Envelope): readonly RunningWork[] {
  switch (event.type) {
    case "subagent.started": {
      const { agentId, agentType, description, parentToolUseId } = event.payload;
      const kind = "subagent" as const;
      if (work.some((one) => one.id === agentId))
        return work.map((one) => (one.id === agentId ? { ...one, kind } : one));
      const one = { id: agentId, kind, background: false, agentType, description };
      return [...work, { ...one, toolUseId: parentToolUseId, startedAt: event.ts }];
    }
    case "subagent.stopped":
      return work.filter((one) => one.id !== event.payload.agentId);
    case "task.updated": {
      const { taskId, status, description, toolUseId } = event.payload;
      // A sub-agent in the background is a task too; its own end follows.
      if (status !== "running") return work.filter((one) => one.id !== taskId || one.kind === "subagent");
      if (work.some((one) => one.id === taskId))
        return work.map((one) => (one.id === taskId ? behind(one) : one));
      const one = { id: taskId, kind: "task" as const, background: true, description, toolUseId };
      return [...work, { ...one, startedAt: event.ts }];
    }
    case "tool.completed":
      return work.map((one) => (one.toolUseId === event.payload.toolUseId ? behind(one) : one));
    case "turn.completed":
      return work.map(behind);
    case "session.ended":
      return [];
    default:
      return work;
  }
}

/** No turn runs, and still the agent is not idle. */
export const onlyBeside = ({ header, chunks }: View): boolean =>
  header.state === "processing" &&
  header.work.some((one) => one.background) &&
  turnsOver(chunks) >= header.turn;
