/** The facts above the timeline: one small object, folded beside the rows. */
import type { Envelope } from "../gen/events";
import type { Header, QueuedMessage, Request } from "./view";
import { followWork } from "./work";

/** Events the header already knows change nothing: it may come from a snapshot. */
export function foldHeader(header: Header, event: Envelope): Header {
  if (event.seq <= header.seq) return header;
  const next = change(header, event);
  return { ...next, work: followWork(header.work, event), seq: event.seq, ts: event.ts };
}

function change(header: Header, event: Envelope): Header {
  switch (event.type) {
    case "session.created": {
      const { agent, cwd, runtime, title, options } = event.payload;
      return {
        ...header,
        agent,
        cwd,
        runtime,
        title: title ?? header.title,
        model: options.model ?? header.model,
        permissionMode: options.permissionMode ?? "default",
      };
    }
    case "session.started": {
      const { model, permissionMode, slashCommands, agentVersion } = event.payload;
      return {
        ...header,
        model: model ?? header.model,
        permissionMode: permissionMode ?? header.permissionMode,
        slashCommands: slashCommands ?? header.slashCommands,
        agentVersion: agentVersion ?? header.agentVersion,
      };
    }
    case "session.state": {
      const { state } = event.payload;
      return { ...header, state, ended: state === "ended" ? header.ended : undefined };
    }
    case "session.updated": {
      const { title, moved, options, budgetOnly } = event.payload;
      const inside = moved && `${header.cwd}/`.startsWith(`${moved.from}/`);
      const cwd = inside ? `${moved.to}${header.cwd?.slice(moved.from.length)}` : header.cwd;
      const next = { ...header, title: title ?? header.title, cwd };
      if (!options || budgetOnly) return next;
      const { model, permissionMode } = options;
      return { ...next, model: model ?? undefined, permissionMode: permissionMode ?? "default" };
    }
    case "session.ended": {
      const ended = { status: event.payload.status, ts: event.ts };
      return { ...header, state: "ended", ended, requests: [], tools: [], turnSince: undefined };
    }
    case "turn.started": {
      const { turn, origin, messageId } = event.payload;
      // It takes the message that it names, else the oldest, unless the agent began it.
      const taken = messageId ?? (origin === "agent" ? undefined : header.queue[0]?.messageId);
      const queue = without(header.queue, (one) => one.messageId === taken);
      return { ...header, turn, turnSince: event.ts, failed: false, queue };
    }
    case "turn.completed":
      return {
        ...header,
        turnSince: undefined,
        failed: event.payload.isError ?? false,
        costUsd: header.costUsd + (event.payload.costUsd ?? 0),
      };
    default:
      return lists(header, event);
  }
}

/** What waits, runs and is open. */
function lists(header: Header, event: Envelope): Header {
  switch (event.type) {
    case "user.message": {
      const { messageId, text, attachments, client, queued } = event.payload;
      const title = header.title ?? firstLine(text);
      if (!queued) return { ...header, title };
      const one = {
        messageId,
        text,
        attachments: attachments ?? [],
        client: client ?? undefined,
        ts: event.ts,
      };
      return { ...header, title, queue: [...header.queue, one] };
    }
    case "message.delivered":
    case "message.removed": {
      const id = event.payload.messageId;
      return { ...header, queue: without(header.queue, (one) => one.messageId === id) };
    }
    case "message.edited":
    case "message.moved":
    case "queue.held":
    case "queue.released":
      return { ...header, queue: reordered(header.queue, event) };
    case "tool.requested": {
      const { toolUseId, label } = event.payload;
      return { ...header, tools: [...header.tools, { toolUseId, label, since: event.ts }] };
    }
    case "tool.completed": {
      const id = event.payload.toolUseId;
      return { ...header, tools: without(header.tools, (one) => one.toolUseId === id) };
    }
    case "approval.requested": {
      const request = requestOf(event);
      // What is asked again is asked as it was put last.
      const others = header.requests.filter((one) => one.id !== request.id);
      return { ...header, requests: [...others, request] };
    }
    case "approval.resolved": {
      const id = event.payload.approvalId;
      return { ...header, requests: without(header.requests, (one) => one.id === id) };
    }
    case "todo.updated":
      return { ...header, todo: event.payload.items ?? [] };
    case "context.usage":
      return { ...header, context: event.payload };
    case "context.compacted":
      // What is left is told by the next `context.usage`.
      return { ...header, context: undefined };
    case "model.changed":
      return { ...header, model: event.payload.model ?? undefined };
    case "permission_mode.changed":
      return { ...header, permissionMode: event.payload.mode };
    case "runtime.fallback":
      // Another process for one turn changes nothing for the next.
      return event.payload.textOutput ? { ...header, runtime: event.payload.to } : header;
    default:
      return header;
  }
}

type OfQueue = Extract<
  Envelope,
  { type: "message.edited" | "message.moved" | "queue.held" | "queue.released" }
>;

/** What waits, after somebody has changed, ordered, held or released it. */
function reordered(queue: readonly QueuedMessage[], event: OfQueue): readonly QueuedMessage[] {
  if (event.type === "queue.held") return queue.map((one) => ({ ...one, held: true }));
  const id = event.payload.messageId;
  const named = queue.find((one) => one.messageId === id);
  const others = queue.filter((one) => one !== named);
  switch (event.type) {
    case "message.edited": {
      const { text } = event.payload;
      return queue.map((one) => (one === named ? { ...one, text } : one));
    }
    case "message.moved": {
      const { before } = event.payload;
      const at = others.findIndex((one) => one.messageId === before);
      return named ? others.toSpliced(at < 0 ? others.length : at, 0, named) : queue;
    }
    case "queue.released":
      if (id == null) return queue.map((one) => ({ ...one, held: false }));
      return named ? [{ ...named, held: false }, ...others] : queue;
  }
}

export function requestOf(event: Envelope & { type: "approval.requested" }): Request {
  return { id: event.payload.approvalId, seq: event.seq, ts: event.ts, asked: event.payload };
}

/** The same list when nothing goes. */
function without<T>(list: readonly T[], gone: (one: T) => boolean): readonly T[] {
  return list.some(gone) ? list.filter((one) => !gone(one)) : list;
}

/** As the daemon makes a title of a message. */
function firstLine(text: string): string | undefined {
  const line = text.split("\n").find((one) => one.trim());
  return line && [...line.trim()].slice(0, 80).join("");
}
