/** What the HTTP API and the WebSocket say beside events. */
import type {
  ApprovalRequested,
  Attachment,
  Envelope,
  LiveFrame,
  PermissionMode,
  Risk,
  SessionStateChanged,
  TaskUpdated,
  TodoItem,
  Usage,
} from "../gen/events";

export interface SessionRow {
  id: string;
  projectId: string;
  agent: string;
  mode: "structured" | "terminal";
  runtime: string;
  state: SessionStateChanged["state"];
  status: "running" | "completed" | "stopped" | "failed";
  title?: string | null;
  cwd?: string | null;
  startedAt: string;
  lastActivityAt: string;
  endedAt?: string | null;
  eventCount: number;
  turnCount: number;
  error?: string | null;
  costUsd?: number | null;
  usage?: Usage | null;
  model?: string | null;
  permissionMode?: PermissionMode | null;
  lastLabel?: string | null;
  openApprovals: number;
  highestRisk?: Risk | null;
  contextShare?: number | null;
  forkedFrom?: string | null;
}

/** A session with what is needed to open it at its tail, true as of `facts.seq`. */
export interface SessionView extends SessionRow {
  facts: {
    seq: number;
    approvals: ApprovalRequested[];
    queue: { messageId: string; text: string; attachments?: Attachment[] }[];
    todo: TodoItem[];
    tools: { toolUseId: string; label: string; startedAt: string }[];
    tasks: TaskUpdated[];
  };
}

export interface OpenApproval {
  sessionId: string;
  seq: number;
  requestedAt: string;
  approval: ApprovalRequested;
}

export interface Project {
  id: string;
  slug: string;
  title: string;
  name?: string;
  path: string;
  gitBranch?: string | null;
  isDirty?: boolean | null;
  ahead?: number | null;
  behind?: number | null;
  trusted?: boolean;
  gitRemote?: string | null;
  hasClaudeConfig?: boolean;
  /** The folder is there. */
  exists?: boolean;
  lastUsedAt?: string | null;
}

export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface EventPage {
  events: Envelope[];
  nextAfter: number;
  done: boolean;
}

export interface AttachmentBody {
  name: string;
  mediaType: string;
  /** base64 */
  data: string;
}

export interface ProblemBody {
  status?: number;
  code?: string;
  title?: string;
  detail?: string;
  errors?: { field: string; message: string }[];
  /** Of an approval that was answered already. */
  winner?: { decision: string; by: string; client?: { name: string } | null };
  retryAfter?: number;
}

export type FromServer =
  | { type: "welcome"; version?: string }
  | { type: "event"; event: Envelope }
  | { type: "live"; frame: LiveFrame }
  | { type: "caught_up"; sessionId: string; seq: number }
  | { type: "sessions"; items?: SessionRow[]; removed?: string[] }
  | { type: "reply"; id: string; ok: boolean; result?: unknown; problem?: ProblemBody }
  | { type: "unsubscribed"; sessionId: string; problem?: ProblemBody }
  | { type: "goodbye" }
  | { type: "pong" };
