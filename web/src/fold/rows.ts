/** What each event does to the rows: one small handler per family. */
import type { Envelope } from "../gen/events";
import type { Draft } from "./draft";
import { outcomeOf } from "./failure";
import { requestOf } from "./header";
import { blockKey, closeAll, closeBlock } from "./live";
import { outputOf } from "./outputs";
import type { Row, ToolRow } from "./view";

type Of<T extends Envelope["type"]> = Extract<Envelope, { type: T }>;

const base = (event: Envelope, key: string) => ({ key, seq: event.seq, ts: event.ts, turn: event.turn });

/** The one switch over event types. */
export function foldRows(draft: Draft, event: Envelope): void {
  switch (event.type) {
    case "user.message":
      return userMessage(draft, event);
    case "message.delivered":
      return delivered(draft, event);
    case "checkpoint.created":
      return orMiss(draft, `u:${event.payload.checkpointId}`, (row) =>
        row.kind === "user" ? { ...row, checkpoint: true } : row,
      );
    case "assistant.message":
    case "assistant.thinking":
      return said(draft, event);
    case "tool.requested":
      return toolRequested(draft, event);
    case "tool.completed":
      return toolCompleted(draft, event);
    case "approval.requested":
      return asked(draft, event);
    case "approval.resolved":
      return resolved(draft, event);
    case "subagent.started":
    case "subagent.stopped":
      return subAgent(draft, event);
    case "task.updated":
      return task(draft, event);
    case "todo.updated":
      return todo(draft, event);
    case "image.output":
      return image(draft, event);
    case "turn.started":
      draft.begun = Math.min(draft.begun, event.payload.turn);
      // One that the agent began by itself says why.
      if ((event.payload.because ?? []).length > 0) notice(draft, event);
      return;
    case "turn.completed":
      return turnCompleted(draft, event);
    case "error":
      return draft.add({ ...base(event, `e:${event.seq}`), kind: "error", error: event.payload });
    default:
      return quiet(draft, event);
  }
}

function quiet(draft: Draft, event: Envelope): void {
  switch (event.type) {
    case "session.ended":
      closeAll(draft);
      return notice(draft, event);
    case "message.removed":
      return removed(draft, event);
    case "message.edited":
      return edited(draft, event);
    case "session.updated":
      if (event.payload.memoryLost) notice(draft, event);
      return;
    case "notification":
      // The update before it says the same, and what can be done here.
      if (event.payload.kind !== "memory") notice(draft, event);
      return;
    case "context.compacted":
    case "files.rewound":
    case "model.changed":
    case "permission_mode.changed":
    case "runtime.fallback":
    case "agent.retry":
      return notice(draft, event);
    case "session.created":
      if (event.payload.forkedFrom || event.payload.resumes) notice(draft, event);
      return;
    case "agent.unknown":
      return unknown(draft, event, event.payload.raw);
    case "session.started":
    case "session.state":
    // How messages wait is told where they stand.
    case "message.moved":
    case "queue.held":
    case "queue.released":
    case "context.usage":
    case "pty.opened":
    case "pty.resized":
    case "pty.closed":
      return;
    default:
      // A newer Baton may say more than this page knows.
      return unknown(draft, event as Envelope, (event as Envelope).payload);
  }
}

function notice(draft: Draft, event: Envelope): void {
  draft.add({ ...base(event, `e:${event.seq}`), kind: "notice", event });
}

function unknown(draft: Draft, event: Envelope, raw: unknown): void {
  draft.add({ ...base(event, `e:${event.seq}`), kind: "unknown", type: event.type, raw });
}

/** Changes a row, or remembers the event until the row is loaded. */
function orMiss(draft: Draft, key: string, change: (row: Row) => Row): void {
  if (!draft.update(key, change) && !draft.whole) draft.miss();
}

/** A queued message gets its row where the agent takes it, so that the answer follows it. */
function userMessage(draft: Draft, event: Of<"user.message">): void {
  const { messageId, text, attachments, client, queued } = event.payload;
  if (queued) {
    const one = {
      messageId,
      text,
      attachments: attachments ?? [],
      client: client ?? undefined,
      ts: event.ts,
    };
    draft.waiting = [...draft.waiting, one];
    return;
  }
  draft.add({
    ...base(event, `u:${messageId}`),
    kind: "user",
    messageId,
    text,
    attachments: attachments ?? [],
    client: client ?? undefined,
    delivered: false,
    checkpoint: false,
  });
}

function delivered(draft: Draft, event: Of<"message.delivered">): void {
  const { messageId } = event.payload;
  const key = `u:${messageId}`;
  if (draft.update(key, (row) => (row.kind === "user" ? { ...row, delivered: true } : row))) return;
  if (!fromQueue(draft, event, messageId, true) && !draft.whole) draft.miss();
}

/** Gives a message that waited its row; false if its text is not known here. */
function fromQueue(draft: Draft, event: Envelope, messageId: string, taken: boolean): boolean {
  const waiting = draft.waiting.find((one) => one.messageId === messageId);
  if (!waiting) return false;
  draft.waiting = draft.waiting.filter((one) => one !== waiting);
  const row: Row = {
    ...base(event, `u:${messageId}`),
    kind: "user",
    messageId,
    text: waiting.text,
    attachments: waiting.attachments,
    client: waiting.client,
    delivered: taken,
    checkpoint: false,
  };
  draft.add(row, false);
  return true;
}

/** What waits says something else; its row is made of that. */
function edited(draft: Draft, event: Of<"message.edited">): void {
  const { messageId, text } = event.payload;
  const known = draft.waiting.some((one) => one.messageId === messageId);
  draft.waiting = draft.waiting.map((one) => (one.messageId === messageId ? { ...one, text } : one));
  if (!known && !draft.whole && !draft.has(`u:${messageId}`)) draft.miss();
}

/** One that nobody took back keeps its words, since they can be sent again. */
function removed(draft: Draft, event: Of<"message.removed">): void {
  const { messageId, reason } = event.payload;
  const known = draft.waiting.some((one) => one.messageId === messageId);
  notice(draft, event);
  if (reason && fromQueue(draft, event, messageId, false))
    draft.update(`u:${messageId}`, (row) =>
      row.kind === "user" ? { ...row, outcome: { turn: event.turn, how: "failed" } } : row,
    );
  draft.waiting = draft.waiting.filter((one) => one.messageId !== messageId);
  if (!known && !draft.whole) draft.miss();
}

function said(draft: Draft, event: Of<"assistant.message"> | Of<"assistant.thinking">): void {
  const block = event.payload;
  closeBlock(draft, block.messageId, block.block);
  const key = blockKey(event.turn, block.messageId, block.block);
  const shared = {
    // What an agent says under a name that it has used is said all the same.
    ...base(event, draft.isOther(key, event.seq) ? `${key}:${event.seq}` : key),
    ...(block.parentToolUseId ? { parent: block.parentToolUseId } : {}),
    text: block.content,
  };
  if (event.type === "assistant.thinking") return draft.add({ ...shared, kind: "thinking" });
  draft.add({
    ...shared,
    kind: "text",
    messageId: block.messageId,
    agentUuid: block.agentUuid ?? undefined,
    model: block.model ?? undefined,
    aborted: block.aborted ?? false,
  });
}

function toolRequested(draft: Draft, event: Of<"tool.requested">): void {
  const { toolUseId, name, toolKind, subject, label, input, parentToolUseId } = event.payload;
  draft.add({
    ...base(event, `t:${toolUseId}`),
    ...(parentToolUseId ? { parent: parentToolUseId } : {}),
    kind: "tool",
    toolUseId,
    name,
    ...(toolKind ? { toolKind } : {}),
    ...(subject ? { subject } : {}),
    label,
    input,
    requests: [],
    images: [],
    children: [],
  });
}

const tool = (change: (row: ToolRow) => ToolRow) => (row: Row) => (row.kind === "tool" ? change(row) : row);

function toolCompleted(draft: Draft, event: Of<"tool.completed">): void {
  const end = event.payload;
  if (draft.progress.has(end.toolUseId)) {
    const others = new Map(draft.progress);
    others.delete(end.toolUseId);
    draft.progress = others;
  }
  const done = {
    seq: event.seq,
    ts: event.ts,
    output: outputOf(end.output, end.truncated ?? false, end.isError ?? false),
    detail: end.detail ?? undefined,
    isError: end.isError ?? false,
    durationMs: end.durationMs,
    truncated: end.truncated ?? false,
    bytes: end.bytes ?? undefined,
  };
  const key = `t:${end.toolUseId}`;
  if (
    draft.update(
      key,
      tool((row) => ({ ...row, done })),
    )
  )
    return;
  if (!draft.whole) return draft.miss();
  // Its beginning was never told, but nothing is swallowed.
  draft.add({
    ...base(event, key),
    kind: "tool",
    toolUseId: end.toolUseId,
    name: end.name,
    label: end.name,
    input: {},
    requests: [],
    images: [],
    children: [],
    done,
  });
}

function asked(draft: Draft, event: Of<"approval.requested">): void {
  const request = requestOf(event);
  const { toolUseId } = event.payload;
  // Asked again under the same id: what it says now is what would be answered.
  if (draft.updateRequest(request.id, (one) => ({ ...one, asked: request.asked }))) return;
  if (toolUseId) {
    if (draft.attach(toolUseId, request)) return;
    if (!draft.whole) return draft.miss();
  }
  draft.add({ ...base(event, `p:${request.id}`), kind: "request", request });
}

function resolved(draft: Draft, event: Of<"approval.resolved">): void {
  const end = { ...event.payload, ts: event.ts, seq: event.seq };
  const known = draft.updateRequest(end.approvalId, (one) => ({ ...one, resolved: end }));
  if (!known && !draft.whole) draft.miss();
}

function subAgent(draft: Draft, event: Of<"subagent.started"> | Of<"subagent.stopped">): void {
  const { agentId, agentType, description, parentToolUseId } = event.payload;
  if (!parentToolUseId) return;
  const over = event.type === "subagent.stopped" ? event.payload : undefined;
  orMiss(
    draft,
    `t:${parentToolUseId}`,
    tool((row) => ({
      ...row,
      agent: {
        agentId,
        agentType: agentType ?? row.agent?.agentType,
        description: description ?? row.agent?.description,
        status: over?.status ?? "running",
        result: over?.result ?? row.agent?.result,
        since: over ? (row.agent?.since ?? row.ts) : event.ts,
        until: over && event.ts,
      },
    })),
  );
}

function task(draft: Draft, event: Of<"task.updated">): void {
  const key = `k:${event.payload.taskId}`;
  const endTs = event.payload.status === "running" ? undefined : event.ts;
  const known = draft.update(key, (row) =>
    row.kind === "task" ? { ...row, task: { ...row.task, ...event.payload }, endTs } : row,
  );
  if (known) return;
  const { toolUseId } = event.payload;
  // Without the call that began it, there may be an earlier word of it.
  if (!draft.whole && !(toolUseId && draft.has(`t:${toolUseId}`))) return draft.miss();
  draft.add({ ...base(event, key), kind: "task", task: event.payload, endTs });
}

/** One living list per turn, where it was first told. */
function todo(draft: Draft, event: Of<"todo.updated">): void {
  const key = `o:${event.turn}`;
  const items = event.payload.items ?? [];
  if (draft.update(key, (row) => (row.kind === "todo" ? { ...row, items } : row))) return;
  if (event.turn < draft.begun && !draft.whole) return draft.miss();
  draft.add({ ...base(event, key), kind: "todo", items });
}

function image(draft: Draft, event: Of<"image.output">): void {
  const { toolUseId } = event.payload;
  if (toolUseId) {
    const key = `t:${toolUseId}`;
    const attached = draft.update(
      key,
      tool((row) => ({
        ...row,
        images: [...row.images.filter((one) => one.imageId !== event.payload.imageId), event.payload],
      })),
    );
    if (attached) return;
    if (!draft.whole) return draft.miss();
  }
  draft.add({ ...base(event, `i:${event.seq}`), kind: "image", image: event.payload });
}

function turnCompleted(draft: Draft, event: Of<"turn.completed">): void {
  closeAll(draft);
  const outcome = outcomeOf(event.payload);
  for (const id of event.payload.messageIds ?? []) {
    const key = `u:${id}`;
    if (!draft.has(key)) fromQueue(draft, event, id, false);
    orMiss(draft, key, (row) => (row.kind === "user" ? { ...row, outcome } : row));
  }
  draft.add({ ...base(event, `n:${event.payload.turn}`), kind: "turn", completed: event.payload });
}
