/**
 * What a screen shows of one session, as plain data.
 *
 * Everything here is made by `reduce` from events and live frames and never
 * changed in place: what is the same object is the same fact. It knows nothing
 * of the outbox, the connection or the clock.
 */
import type {
  ApprovalRequested,
  ApprovalResolved,
  Attachment,
  ClientRef,
  EndStatus,
  Envelope,
  ErrorRaised,
  ImageOutput,
  PermissionMode,
  RunningWork,
  SessionStateChanged,
  TaskUpdated,
  TodoItem,
  ToolRequested,
  TurnCompleted,
} from "../gen/events";

export type State = SessionStateChanged["state"];

interface Base {
  /** Stable for the life of the row, so that the screen can follow it. */
  readonly key: string;
  /** Of the event that made the row; rows stand in this order. */
  readonly seq: number;
  readonly ts: string;
  readonly turn: number;
  /** The tool call whose sub-agent this belongs to. */
  readonly parent?: string;
}

export interface UserRow extends Base {
  readonly kind: "user";
  readonly messageId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly client?: ClientRef;
  readonly delivered: boolean;
  /** Of the turn that took it, once that is over. */
  readonly outcome?: Outcome;
  /** Files can be put back to how they were when it came. */
  readonly checkpoint: boolean;
}

export interface Outcome {
  readonly turn: number;
  readonly how: "answered" | "failed" | "stopped" | "unfinished";
}

export interface TextRow extends Base {
  readonly kind: "text";
  readonly text: string;
  readonly messageId: string;
  readonly agentUuid?: string;
  readonly model?: string;
  readonly aborted: boolean;
  /** Still being written: only live frames know it. */
  readonly live?: true;
}

export interface ThinkingRow extends Base {
  readonly kind: "thinking";
  readonly text: string;
  readonly live?: true;
}

/** Something a person has to decide, and what became of it. */
export interface Request {
  readonly id: string;
  readonly seq: number;
  readonly ts: string;
  readonly asked: ApprovalRequested;
  readonly resolved?: ApprovalResolved & { readonly ts: string; readonly seq?: number };
}

export interface ToolRow extends Base {
  readonly kind: "tool";
  readonly toolUseId: string;
  readonly name: string;
  /** What the call is, whatever its agent calls it. */
  readonly toolKind?: ToolRequested["toolKind"];
  readonly subject?: ToolRequested["subject"];
  readonly label: string;
  readonly input: unknown;
  readonly requests: readonly Request[];
  readonly images: readonly ImageOutput[];
  readonly done?: ToolEnd;
  /** Of a call that began a sub-agent. */
  readonly agent?: SubAgent;
  readonly children: readonly Row[];
}

export interface ToolEnd {
  /** Of the event that told it. */
  readonly seq?: number;
  readonly ts: string;
  readonly output: string;
  readonly detail?: unknown;
  readonly isError: boolean;
  readonly durationMs: number;
  readonly truncated: boolean;
  readonly bytes?: number;
}

export interface SubAgent {
  /** The last that it said. */
  readonly result?: string;
  readonly agentId: string;
  readonly agentType?: string;
  readonly description?: string;
  readonly status: "running" | "completed" | "failed" | "stopped";
  /** When it began; its call may have waited for permission before. */
  readonly since: string;
  /** When it was over; its call may have been over long before. */
  readonly until?: string;
}

/** A request that no tool call on the screen belongs to. */
export interface RequestRow extends Base {
  readonly kind: "request";
  readonly request: Request;
}

export interface TodoRow extends Base {
  readonly kind: "todo";
  readonly items: readonly TodoItem[];
}

export interface TaskRow extends Base {
  readonly kind: "task";
  readonly task: TaskUpdated;
  readonly endTs?: string;
}

export interface ImageRow extends Base {
  readonly kind: "image";
  readonly image: ImageOutput;
}

export interface TurnRow extends Base {
  readonly kind: "turn";
  readonly completed: TurnCompleted;
}

/** Quiet facts. The event is kept whole; words are chosen when it is drawn. */
export interface NoticeRow extends Base {
  readonly kind: "notice";
  readonly event: Envelope;
}

export interface ErrorRow extends Base {
  readonly kind: "error";
  readonly error: ErrorRaised;
}

/** An event of a type this version does not know, or that the agent said and Baton does not know. */
export interface UnknownRow extends Base {
  readonly kind: "unknown";
  readonly type: string;
  readonly raw: unknown;
}

export type Row =
  | UserRow
  | TextRow
  | ThinkingRow
  | ToolRow
  | RequestRow
  | TodoRow
  | TaskRow
  | ImageRow
  | TurnRow
  | NoticeRow
  | ErrorRow
  | UnknownRow;

/** A stretch of rows that is mounted and released as one. */
export interface Chunk {
  readonly key: string;
  readonly rows: readonly Row[];
  /** Where to find a row, nested ones by the row they are in. */
  readonly at: ReadonlyMap<string, number>;
}

export interface QueuedMessage {
  readonly messageId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly client?: ClientRef;
  readonly ts: string;
  /** It is not begun before somebody lets it go on. */
  readonly held?: boolean;
}

export interface RunningTool {
  readonly toolUseId: string;
  readonly label: string;
  readonly since: string;
}

/** What is true of the session as of `seq`. */
export interface Header {
  readonly seq: number;
  readonly state: State;
  readonly ended?: { readonly status: EndStatus; readonly ts: string };
  readonly title?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly runtime?: string;
  readonly agentVersion?: string;
  readonly slashCommands: readonly string[];
  readonly context?: { readonly tokens: number; readonly window: number };
  readonly costUsd: number;
  readonly turn: number;
  readonly turnSince?: string;
  /** The last turn failed, and none has begun since. */
  readonly failed: boolean;
  /** Of the last event. */
  readonly ts?: string;
  readonly requests: readonly Request[];
  readonly queue: readonly QueuedMessage[];
  readonly todo: readonly TodoItem[];
  readonly tools: readonly RunningTool[];
  /** Sub-agents and commands at work, those of the turn too; the oldest first. */
  readonly work: readonly RunningWork[];
}

/** Text under way, known from live frames alone. */
export interface LiveBlock {
  readonly messageId: string;
  readonly block: number;
  readonly thinking: boolean;
  readonly text: string;
  readonly ts: string;
  readonly turn: number;
}

export interface View {
  /** The last event folded in. */
  readonly seq: number;
  /** The first event folded in; 1 when the beginning is loaded. */
  readonly first: number;
  readonly header: Header;
  readonly chunks: readonly Chunk[];
  readonly live: readonly LiveBlock[];
  /** Milliseconds that running tools told of. */
  readonly progress: ReadonlyMap<string, number>;
  /** Messages told of that have no row yet, because they wait for a turn. */
  readonly waiting: readonly QueuedMessage[];
  /** The first turn whose beginning is folded in; those after it are too. */
  readonly begun: number;
  /** Events about rows that are not loaded yet, in order. */
  readonly orphans: readonly Orphan[];
}

export interface Orphan {
  readonly event: Envelope;
  /** The event has made its own row already; only what it says of others is missing. */
  readonly added: boolean;
}

export const CHUNK = 50;

export const emptyHeader: Header = {
  seq: 0,
  state: "starting",
  slashCommands: [],
  costUsd: 0,
  turn: 0,
  failed: false,
  requests: [],
  queue: [],
  todo: [],
  tools: [],
  work: [],
};

export const empty: View = {
  seq: 0,
  first: 1,
  header: emptyHeader,
  chunks: [],
  live: [],
  progress: new Map(),
  waiting: [],
  begun: Number.POSITIVE_INFINITY,
  orphans: [],
};

/** Messages whose turn has begun, though the agent does not have them yet. */
export const underWay = ({ waiting, header }: View): readonly QueuedMessage[] =>
  waiting.filter((one) => !header.queue.some((other) => other.messageId === one.messageId));

/** A view that begins after `seq`, for opening a session at its tail. */
export function startingAfter(seq: number, header: Header = emptyHeader): View {
  return { ...empty, seq, first: seq + 1, header };
}
