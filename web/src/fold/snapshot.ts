/** Where a screen begins: a session as the daemon tells it, without the events before. */
import type { SessionView } from "../link/types";
import { empty, type Header } from "./view";

export function headerOf(row: SessionView): Header {
  const { facts } = row;
  return {
    ...empty.header,
    seq: facts.seq,
    state: row.state,
    title: row.title ?? undefined,
    agent: row.agent,
    cwd: row.cwd ?? undefined,
    model: row.model ?? undefined,
    permissionMode: row.permissionMode ?? "default",
    runtime: row.runtime,
    context: facts.context ?? undefined,
    costUsd: row.costUsd ?? 0,
    turn: row.turnCount,
    failed: row.turnFailed ?? false,
    ts: row.lastActivityAt,
    ...(row.state === "ended" && row.status !== "running"
      ? { ended: { status: row.status, ts: row.endedAt ?? row.lastActivityAt } }
      : {}),
    requests: facts.approvals.map((asked) => ({
      id: asked.approvalId,
      seq: asked.seq,
      ts: asked.requestedAt,
      asked,
    })),
    queue: facts.queue.map((one) => ({ ...one, ts: one.queuedAt })),
    todo: facts.todo,
    tools: facts.tools.map((one) => ({ toolUseId: one.toolUseId, label: one.label, since: one.startedAt })),
    work: facts.work,
  };
}
