// Generated from schema/events.schema.json by `npm run gen`; do not edit.

/**
 * One JSON object per line. Readers ignore unknown types and fields.
 */
export type Line = Envelope | LiveFrame;
export type Envelope =
  | SessionCreatedEvent
  | SessionStartedEvent
  | SessionStateEvent
  | SessionUpdatedEvent
  | SessionEndedEvent
  | TurnStartedEvent
  | TurnCompletedEvent
  | UserMessageEvent
  | MessageDeliveredEvent
  | MessageRemovedEvent
  | MessageEditedEvent
  | MessageMovedEvent
  | QueueHeldEvent
  | QueueReleasedEvent
  | AssistantMessageEvent
  | AssistantThinkingEvent
  | ToolRequestedEvent
  | ToolCompletedEvent
  | ApprovalRequestedEvent
  | ApprovalResolvedEvent
  | SubagentStartedEvent
  | SubagentStoppedEvent
  | TaskUpdatedEvent
  | TodoUpdatedEvent
  | ImageOutputEvent
  | ContextUsageEvent
  | ContextCompactedEvent
  | CheckpointCreatedEvent
  | FilesRewoundEvent
  | ModelChangedEvent
  | PermissionModeChangedEvent
  | NotificationEvent
  | RuntimeFallbackEvent
  | AgentRetryEvent
  | AgentUnknownEvent
  | ErrorEvent
  | PtyOpenedEvent
  | PtyResizedEvent
  | PtyClosedEvent;
export type SessionId = string;
/**
 * How a session is driven.
 */
export type Mode = "structured" | "terminal";
export type Json = unknown;
/**
 * What the agent may do without asking.
 */
export type PermissionMode = "default" | "acceptEdits" | "plan" | "dontAsk" | "bypassPermissions" | "auto";
/**
 * How the agent's processes relate to turns.
 */
export type Runtime = "streaming" | "resume";
export type ProjectId = string;
export type RunnerId = string;
/**
 * An event's number within its session: 1, 2, 3 … without gap or repeat.
 * As a cursor, 0 stands before the first event.
 */
export type Seq = number;
export type Timestamp = string;
/**
 * A turn's number within its session; 0 stands for "before the first turn".
 */
export type Turn = number;
/**
 * Where a session stands.
 */
export type SessionState = ("starting" | "processing" | "idle" | "ended") | "waiting";
/**
 * How an agent came to lack a part of a session's past.
 */
export type MemoryLoss = "gone" | "behind" | "torn";
/**
 * What is done about a past that the agent lacks.
 */
export type Remedy = "log" | "none" | "refuse";
/**
 * How a session ended.
 */
export type EndStatus = ("completed" | "failed") | "stopped" | "asleep";
/**
 * What works beside the conversation.
 */
export type WorkKind = "subagent" | "task";
export type TaskStatus = "running" | "completed" | "failed" | "stopped";
export type MessageId = string;
/**
 * Who began a turn.
 */
export type Origin = "user" | "agent" | "schedule";
/**
 * Why a turn ended.
 */
export type StopReason = "end" | "interrupted" | "timeout" | "max_turns" | "budget" | "error";
export type BlobId = string;
/**
 * What a text that looks like a credential seems to be.
 */
export type SecretKind = ("password" | "private_key") | "token";
export type ApprovalId = string;
export type ApprovalKind = "tool" | "question" | "plan" | "other";
/**
 * Which side of a change a line is on.
 */
export type LineKind = "same" | "added" | "removed";
/**
 * How much harm a tool call could do; the warnings beside it say why.
 */
export type Risk = "low" | "medium" | "high";
/**
 * How far a remembered decision reaches.
 */
export type Scope = "session" | "project" | "user";
/**
 * What ended an approval.
 */
export type DecidedBy = "user" | "rule" | "mode" | "timeout" | "cancelled";
export type Decision = "allow" | "deny";
export type RuleId = string;
export type TodoStatus = "pending" | "in_progress" | "completed";
/**
 * What kind of trouble an `error` event tells of.
 */
export type ErrorCode =
  | (
      | "rate_limit"
      | "overloaded"
      | "model_not_found"
      | "invalid_request"
      | "network"
      | "timeout"
      | "budget"
      | "internal"
    )
  | "auth"
  | "agent_missing"
  | "agent_exited"
  | "agent_lost"
  | "agent_garbled"
  | "agent_silent"
  | "agent_refused"
  | "turn_limit"
  | "session_limit";
export type LiveFrame = AssistantDeltaFrame | ThinkingDeltaFrame | ToolProgressFrame | PtyDataFrame;

export interface SessionCreatedEvent {
  agentId: string | null;
  payload: SessionCreated;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "session.created";
}
/**
 * `session.created`
 */
export interface SessionCreated {
  /**
   * Which agent runs it: `claude`, `demo`.
   */
  agent: string;
  cwd: string;
  /**
   * The message or agent row it was cut at; `end` for a whole copy of a
   * conversation that was begun outside Baton.
   */
  forkedAt?: string | null;
  forkedFrom?: SessionId | null;
  mode: Mode;
  options: SessionOptions;
  /**
   * The folder of its project, where that is not `cwd` but around it.
   */
  project?: string | null;
  /**
   * The agent's own session that it takes up, begun outside Baton.
   */
  resumes?: string | null;
  runtime: Runtime;
  title?: string | null;
}
/**
 * What a session was asked to run with. Absent means the default.
 */
export interface SessionOptions {
  addDirs?: string[] | null;
  appendSystemPrompt?: string | null;
  betas?: string[] | null;
  checkpointing?: boolean | null;
  debugFile?: string | null;
  /**
   * How hard the model tries, in a word of the agent's.
   */
  effort?: string | null;
  /**
   * Variables of its agents beside those that all have. Their values are
   * kept apart from the log, which has the names and a mask for each value.
   */
  env?: {
    [k: string]: string;
  } | null;
  fallbackModel?: string | null;
  maxBudgetUsd?: number | null;
  maxThinkingTokens?: number | null;
  maxTurns?: number | null;
  mcpServers?: Json | null;
  model?: string | null;
  outputSchema?: Json | null;
  permissionMode?: PermissionMode | null;
  settingSources?: string[] | null;
  strictMcpConfig?: boolean | null;
  toolPreset?: string | null;
  tools?: string[] | null;
}
export interface SessionStartedEvent {
  agentId: string | null;
  payload: SessionStarted;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "session.started";
}
/**
 * `session.started`: each time a process takes the session up.
 */
export interface SessionStarted {
  agentSessionId?: string | null;
  agentVersion?: string | null;
  mcpServers?: McpServerState[];
  model?: string | null;
  permissionMode?: PermissionMode | null;
  pid?: number | null;
  slashCommands?: string[];
  tools?: string[];
}
/**
 * An MCP server as the agent sees it at start.
 */
export interface McpServerState {
  name: string;
  status: string;
}
export interface SessionStateEvent {
  agentId: string | null;
  payload: SessionStateChanged;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "session.state";
}
/**
 * `session.state`
 */
export interface SessionStateChanged {
  reason?: string | null;
  state: SessionState;
}
export interface SessionUpdatedEvent {
  agentId: string | null;
  payload: SessionUpdated;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "session.updated";
}
/**
 * `session.updated`: only what changed.
 */
export interface SessionUpdated {
  agentSessionId?: string | null;
  /**
   * Of `options`: only the budget among them is another. The model and the
   * permission mode stay what they have been changed to since.
   */
  budgetOnly?: boolean;
  /**
   * What the project's own files leave of the tools from here on. They take
   * away at once and give nothing back before a person has accepted them.
   */
  folderTools?: FolderTools | null;
  /**
   * The agent was found to lack a part of the past, before it was given a
   * message.
   */
  memoryLost?: MemoryLost | null;
  /**
   * Its project's folder is another from here on.
   */
  moved?: Moved | null;
  /**
   * All that it runs with from its next process on, instead of what it was
   * made with.
   */
  options?: SessionOptions | null;
  title?: string | null;
}
/**
 * What a project's own files leave of a session's tools.
 */
export interface FolderTools {
  /**
   * Those that ask.
   */
  ask?: string[];
  /**
   * Rules of `.claude/settings.json` and `settings.local.json` that deny.
   */
  deny?: string[];
  /**
   * What `.baton/permissions.json` leaves; absent, it takes none away.
   */
  only?: string[] | null;
}
/**
 * A past that the agent lacks, and what is done about it.
 */
export interface MemoryLost {
  /**
   * An event's number within its session: 1, 2, 3 … without gap or repeat.
   * As a cursor, 0 stands before the first event.
   */
  after: number;
  reason: MemoryLoss;
  remedy: Remedy;
}
/**
 * A folder that is somewhere else than before.
 */
export interface Moved {
  /**
   * The folder of the project as it was.
   */
  from: string;
  /**
   * The project as it is called since; the events after this one name it.
   */
  projectId: string;
  to: string;
}
export interface SessionEndedEvent {
  agentId: string | null;
  payload: SessionEnded;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "session.ended";
}
/**
 * `session.ended`
 */
export interface SessionEnded {
  error?: string | null;
  exitCode?: number | null;
  reason?: string | null;
  status: EndStatus;
}
export interface TurnStartedEvent {
  agentId: string | null;
  payload: TurnStarted;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "turn.started";
}
/**
 * `turn.started`
 */
export interface TurnStarted {
  /**
   * Why the agent began it by itself: what ended beside the conversation.
   * Empty where it did not say.
   */
  because?: EndedWork[];
  /**
   * The message that began it. Absent where it is the oldest that waits, and
   * where the agent began it.
   */
  messageId?: MessageId | null;
  origin: Origin;
  turn: Turn;
}
/**
 * Work beside the conversation that has ended.
 */
export interface EndedWork {
  description?: string | null;
  id: string;
  kind: WorkKind;
  status: TaskStatus;
}
export interface TurnCompletedEvent {
  agentId: string | null;
  payload: TurnCompleted;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "turn.completed";
}
/**
 * `turn.completed`
 */
export interface TurnCompleted {
  /**
   * This turn's price, not the process's.
   */
  costUsd?: number | null;
  durationMs: number;
  /**
   * Set when the turn ended because the process did.
   */
  exitCode?: number | null;
  isError?: boolean;
  /**
   * The messages this turn answered.
   */
  messageIds?: MessageId[];
  /**
   * The agent's final answer, or the error's text.
   */
  result?: string | null;
  stats: TurnStats;
  /**
   * What goes on in the background though the turn is over. The session is
   * not idle before it has ended.
   */
  stillRunning?: RunningWork[];
  stopReason: StopReason;
  /**
   * The answer as data, when a schema was asked for.
   */
  structuredOutput?: Json | null;
  turn: Turn;
  usage?: Usage | null;
}
/**
 * What a turn did, counted from its events.
 */
export interface TurnStats {
  bashCommands?: number;
  filesRead?: number;
  filesWritten?: number;
  subAgents?: number;
  toolCalls?: number;
  toolsByType?: {
    [k: string]: number;
  };
  totalToolDurationMs?: number;
  webSearches?: number;
}
/**
 * A sub-agent or a background command at work.
 */
export interface RunningWork {
  /**
   * Of a sub-agent.
   */
  agentType?: string | null;
  /**
   * The conversation goes on without it. A sub-agent that its turn waits
   * for is not in the background.
   */
  background?: boolean;
  description?: string | null;
  /**
   * The sub-agent's or the task's; `stop-task` takes it.
   */
  id: string;
  kind: WorkKind;
  startedAt: Timestamp;
  /**
   * The call that began it.
   */
  toolUseId?: string | null;
}
/**
 * Tokens counted by the model's provider.
 */
export interface Usage {
  cacheCreationInputTokens?: number;
  cacheReadInputTokens?: number;
  inputTokens?: number;
  outputTokens?: number;
}
export interface UserMessageEvent {
  agentId: string | null;
  payload: UserMessage;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "user.message";
}
/**
 * `user.message`
 */
export interface UserMessage {
  attachments?: Attachment[];
  client?: ClientRef | null;
  messageId: MessageId;
  queued?: boolean;
  text: string;
}
/**
 * A file or image that came with a message.
 */
export interface Attachment {
  blobId?: BlobId | null;
  bytes: number;
  mediaType: string;
  name: string;
}
/**
 * Who did something: the screen it came from.
 */
export interface ClientRef {
  id: string;
  name: string;
}
export interface MessageDeliveredEvent {
  agentId: string | null;
  payload: MessageDelivered;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "message.delivered";
}
/**
 * `message.delivered`
 */
export interface MessageDelivered {
  messageId: MessageId;
}
export interface MessageRemovedEvent {
  agentId: string | null;
  payload: MessageRemoved;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "message.removed";
}
/**
 * `message.removed`
 */
export interface MessageRemoved {
  client?: ClientRef | null;
  messageId: MessageId;
  /**
   * Why, where nobody took it back: the session ended before its turn came.
   */
  reason?: string | null;
}
export interface MessageEditedEvent {
  agentId: string | null;
  payload: MessageEdited;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "message.edited";
}
/**
 * `message.edited`
 */
export interface MessageEdited {
  client?: ClientRef | null;
  messageId: MessageId;
  /**
   * What the agent gets instead; its files stay.
   */
  text: string;
}
export interface MessageMovedEvent {
  agentId: string | null;
  payload: MessageMoved;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "message.moved";
}
/**
 * `message.moved`
 */
export interface MessageMoved {
  /**
   * The one that it stands before now; absent: it is the last.
   */
  before?: MessageId | null;
  client?: ClientRef | null;
  messageId: MessageId;
}
export interface QueueHeldEvent {
  agentId: string | null;
  payload: QueueHeld;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "queue.held";
}
/**
 * `queue.held`
 */
export interface QueueHeld {
  client?: ClientRef | null;
  /**
   * Why, where nobody asked for it.
   */
  reason?: string | null;
}
export interface QueueReleasedEvent {
  agentId: string | null;
  payload: QueueReleased;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "queue.released";
}
/**
 * `queue.released`
 */
export interface QueueReleased {
  client?: ClientRef | null;
  /**
   * Only this one goes on, before all others; absent: all of them do.
   */
  messageId?: MessageId | null;
}
export interface AssistantMessageEvent {
  agentId: string | null;
  payload: AssistantMessage;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "assistant.message";
}
/**
 * `assistant.message`
 */
export interface AssistantMessage {
  /**
   * Cut short by an interrupt.
   */
  aborted?: boolean;
  /**
   * The agent's own row id.
   */
  agentUuid?: string | null;
  block: number;
  content: string;
  /**
   * The model API's id, shared by the blocks of one answer.
   */
  messageId: string;
  model?: string | null;
  parentToolUseId?: string | null;
  /**
   * Provisional; `turn.completed` counts.
   */
  usage?: Usage | null;
}
export interface AssistantThinkingEvent {
  agentId: string | null;
  payload: AssistantThinking;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "assistant.thinking";
}
/**
 * `assistant.thinking`
 */
export interface AssistantThinking {
  /**
   * Cut short by an interrupt.
   */
  aborted?: boolean;
  /**
   * The agent's own row id.
   */
  agentUuid?: string | null;
  block: number;
  content: string;
  /**
   * The model API's id, shared by the blocks of one answer.
   */
  messageId: string;
  model?: string | null;
  parentToolUseId?: string | null;
  /**
   * Provisional; `turn.completed` counts.
   */
  usage?: Usage | null;
}
export interface ToolRequestedEvent {
  agentId: string | null;
  payload: ToolRequested;
  projectId: ProjectId;
  runnerId: RunnerId;
  /**
   * Texts in the payload that look like credentials, for screens to cover. Found when it is read, and never in the log.
   */
  secrets?: Secret[];
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "tool.requested";
}
/**
 * `tool.requested`
 */
export interface ToolRequested {
  input: Json;
  /**
   * In words: `Reading …/file.rs`.
   */
  label: string;
  /**
   * The tool as its agent calls it.
   */
  name: string;
  parentToolUseId?: string | null;
  subject?: ToolSubject;
  /**
   * What the call is, whatever its agent calls it.
   */
  toolKind?:
    | "shell"
    | "read"
    | "search"
    | "edit"
    | "write"
    | "fetch"
    | "agent"
    | "message"
    | "question"
    | "plan"
    | "todo"
    | "inner"
    | "schedule"
    | "skill"
    | "mcp"
    | "other";
  toolUseId: string;
}
/**
 * What a call is about. Which of these it has depends on its kind.
 */
export interface ToolSubject {
  /**
   * The command line.
   */
  command?: string | null;
  /**
   * It goes on by itself while the agent does something else.
   */
  inBackground?: boolean;
  /**
   * The command's language, where it is not the POSIX shell's.
   */
  language?: string | null;
  /**
   * The file, or the folder that is searched.
   */
  path?: string | null;
  /**
   * The names of files that are looked for, with wildcards.
   */
  pattern?: string | null;
  /**
   * The words that are looked for, in files or in the web.
   */
  query?: string | null;
  /**
   * The MCP server.
   */
  server?: string | null;
  /**
   * The skill, or what a sub-agent is to do, in a few words.
   */
  text?: string | null;
  /**
   * The server's own name for the tool. Without one, the call is about what
   * the server has to read.
   */
  tool?: string | null;
  url?: string | null;
}
/**
 * A text that looks like a credential, pointed out to whoever may see it, so
 * that a screen can cover it until it is asked for.
 */
export interface Secret {
  /**
   * What stands right before it, of a short one: elsewhere the same letters
   * are no secret.
   */
  before?: string | null;
  kind: SecretKind;
  /**
   * One line of it.
   */
  text: string;
}
export interface ToolCompletedEvent {
  agentId: string | null;
  payload: ToolCompleted;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "tool.completed";
}
/**
 * `tool.completed`
 */
export interface ToolCompleted {
  bytes?: number | null;
  /**
   * What the tool tells a screen beyond its text, such as the patch of an edit.
   */
  detail?: Json | null;
  durationMs: number;
  images?: BlobId[];
  isError?: boolean;
  name: string;
  /**
   * What the model sees, as text.
   */
  output: string;
  outputBlob?: BlobId | null;
  parentToolUseId?: string | null;
  toolUseId: string;
  /**
   * The whole output is longer; `bytes` says how long.
   */
  truncated?: boolean;
}
export interface ApprovalRequestedEvent {
  agentId: string | null;
  payload: ApprovalRequested;
  projectId: ProjectId;
  runnerId: RunnerId;
  /**
   * Texts in the payload that look like credentials, for screens to cover. Found when it is read, and never in the log.
   */
  secrets?: Secret[];
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "approval.requested";
}
/**
 * `approval.requested`
 */
export interface ApprovalRequested {
  /**
   * The sub-agent that asks.
   */
  agentId?: string | null;
  approvalId: ApprovalId;
  expiresAt?: Timestamp | null;
  input: Json;
  kind: ApprovalKind;
  /**
   * For edits: the change against the file on disk.
   */
  preview?: DiffPreview | null;
  /**
   * Why it is asked.
   */
  reason?: string | null;
  risk: Risk;
  subject?: ToolSubject;
  suggestions?: Suggestion[];
  /**
   * What the call is, whatever its agent calls it.
   */
  toolKind?:
    | "shell"
    | "read"
    | "search"
    | "edit"
    | "write"
    | "fetch"
    | "agent"
    | "message"
    | "question"
    | "plan"
    | "todo"
    | "inner"
    | "schedule"
    | "skill"
    | "mcp"
    | "other";
  /**
   * The tool as its agent calls it.
   */
  toolName: string;
  toolUseId?: string | null;
  warnings?: Warning[];
}
/**
 * A change to one file, as hunks.
 */
export interface DiffPreview {
  hunks?: Hunk[];
  path: string;
  truncated?: boolean;
}
/**
 * Lines that change together, with a little around them.
 */
export interface Hunk {
  lines?: DiffLine[];
  newStart: number;
  oldStart: number;
}
/**
 * One line of a hunk.
 */
export interface DiffLine {
  kind: LineKind;
  text: string;
}
/**
 * A rule that would answer this and similar questions.
 */
export interface Suggestion {
  rule: string;
  scope: Scope;
}
/**
 * Something a person should see before deciding.
 */
export interface Warning {
  kind: string;
  message: string;
}
export interface ApprovalResolvedEvent {
  agentId: string | null;
  payload: ApprovalResolved;
  projectId: ProjectId;
  runnerId: RunnerId;
  /**
   * Texts in the payload that look like credentials, for screens to cover. Found when it is read, and never in the log.
   */
  secrets?: Secret[];
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "approval.resolved";
}
/**
 * `approval.resolved`
 */
export interface ApprovalResolved {
  approvalId: ApprovalId;
  by: DecidedBy;
  client?: ClientRef | null;
  decision: Decision;
  interrupt?: boolean;
  /**
   * Said to the agent with a denial, or why the question went away.
   */
  message?: string | null;
  /**
   * Of `by: "mode"`: the permission mode that decided. Where it is left out,
   * another limit of the session did, such as its tools.
   */
  mode?: PermissionMode | null;
  modifiedInput?: Json | null;
  modifiedSubject?: ToolSubject1;
  rule?: string | null;
  ruleId?: RuleId | null;
  scope?: Scope | null;
  /**
   * `client` denied because it had nobody to ask: no person and no mode
   * decided, though `by` is `mode`.
   */
  unattended?: boolean;
}
/**
 * What a call is about. Which of these it has depends on its kind.
 */
export interface ToolSubject1 {
  /**
   * The command line.
   */
  command?: string | null;
  /**
   * It goes on by itself while the agent does something else.
   */
  inBackground?: boolean;
  /**
   * The command's language, where it is not the POSIX shell's.
   */
  language?: string | null;
  /**
   * The file, or the folder that is searched.
   */
  path?: string | null;
  /**
   * The names of files that are looked for, with wildcards.
   */
  pattern?: string | null;
  /**
   * The words that are looked for, in files or in the web.
   */
  query?: string | null;
  /**
   * The MCP server.
   */
  server?: string | null;
  /**
   * The skill, or what a sub-agent is to do, in a few words.
   */
  text?: string | null;
  /**
   * The server's own name for the tool. Without one, the call is about what
   * the server has to read.
   */
  tool?: string | null;
  url?: string | null;
}
export interface SubagentStartedEvent {
  agentId: string | null;
  payload: SubagentStarted;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "subagent.started";
}
/**
 * `subagent.started`
 */
export interface SubagentStarted {
  agentId: string;
  agentType?: string | null;
  description?: string | null;
  parentToolUseId?: string | null;
}
export interface SubagentStoppedEvent {
  agentId: string | null;
  payload: SubagentStopped;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "subagent.stopped";
}
/**
 * `subagent.stopped`
 */
export interface SubagentStopped {
  agentId: string;
  agentType?: string | null;
  description?: string | null;
  parentToolUseId?: string | null;
  /**
   * The last that it said: its answer, where it came to one. One that is too
   * long is cut; whole it is in its own `assistant.message`.
   */
  result?: string | null;
  status: TaskStatus;
}
export interface TaskUpdatedEvent {
  agentId: string | null;
  payload: TaskUpdated;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "task.updated";
}
/**
 * `task.updated`
 */
export interface TaskUpdated {
  description?: string | null;
  status: TaskStatus;
  summary?: string | null;
  taskId: string;
  toolUseId?: string | null;
}
export interface TodoUpdatedEvent {
  agentId: string | null;
  payload: TodoUpdated;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "todo.updated";
}
/**
 * `todo.updated`: the whole list.
 */
export interface TodoUpdated {
  items?: TodoItem[];
}
/**
 * One line of the agent's list.
 */
export interface TodoItem {
  /**
   * What to show while it is being done.
   */
  activeForm?: string | null;
  content: string;
  id?: string | null;
  status: TodoStatus;
}
export interface ImageOutputEvent {
  agentId: string | null;
  payload: ImageOutput;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "image.output";
}
/**
 * `image.output`
 */
export interface ImageOutput {
  bytes: number;
  height?: number | null;
  imageId: BlobId;
  mediaType: string;
  toolUseId?: string | null;
  width?: number | null;
}
export interface ContextUsageEvent {
  agentId: string | null;
  payload: ContextUsage;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "context.usage";
}
/**
 * `context.usage`
 */
export interface ContextUsage {
  tokens: number;
  window: number;
}
export interface ContextCompactedEvent {
  agentId: string | null;
  payload: ContextCompacted;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "context.compacted";
}
/**
 * `context.compacted`
 */
export interface ContextCompacted {
  tokensAfter?: number | null;
  tokensBefore?: number | null;
  trigger: string;
}
export interface CheckpointCreatedEvent {
  agentId: string | null;
  payload: CheckpointCreated;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "checkpoint.created";
}
/**
 * `checkpoint.created`: only messages that began a turn have one.
 */
export interface CheckpointCreated {
  checkpointId: MessageId;
}
export interface FilesRewoundEvent {
  agentId: string | null;
  payload: FilesRewound;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "files.rewound";
}
/**
 * `files.rewound`: edits by file tools only, not what shell commands did.
 */
export interface FilesRewound {
  checkpointId: MessageId;
  files?: string[];
}
export interface ModelChangedEvent {
  agentId: string | null;
  payload: ModelChanged;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "model.changed";
}
/**
 * `model.changed`
 */
export interface ModelChanged {
  model?: string | null;
  reason?: string | null;
}
export interface PermissionModeChangedEvent {
  agentId: string | null;
  payload: PermissionModeChanged;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "permission_mode.changed";
}
/**
 * `permission_mode.changed`
 */
export interface PermissionModeChanged {
  /**
   * `user`, `agent` or `plan`.
   */
  by: string;
  mode: PermissionMode;
}
export interface NotificationEvent {
  agentId: string | null;
  payload: Notification;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "notification";
}
/**
 * `notification`
 */
export interface Notification {
  kind: string;
  message: string;
  title?: string | null;
}
export interface RuntimeFallbackEvent {
  agentId: string | null;
  payload: RuntimeFallback;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "runtime.fallback";
}
/**
 * `runtime.fallback`
 */
export interface RuntimeFallback {
  continuedBy?: MessageId | null;
  /**
   * What the turn has cost so far, where the lost process told it.
   * `turn.completed` counts it in.
   */
  costUsd?: number | null;
  from: Runtime;
  reason: string;
  /**
   * From here on the agent answers in plain text: it asks nobody anything,
   * and only reads unless the session is in bypass.
   */
  textOutput?: boolean;
  to: Runtime;
  usage?: Usage | null;
}
export interface AgentRetryEvent {
  agentId: string | null;
  payload: AgentRetry;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "agent.retry";
}
/**
 * `agent.retry`
 */
export interface AgentRetry {
  attempt: number;
  delayMs: number;
  maxAttempts?: number | null;
  reason: string;
}
export interface AgentUnknownEvent {
  agentId: string | null;
  payload: AgentUnknown;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "agent.unknown";
}
/**
 * `agent.unknown`
 */
export interface AgentUnknown {
  /**
   * What the agent said; a line that is no JSON is a string.
   */
  raw: unknown;
}
export interface ErrorEvent {
  agentId: string | null;
  payload: ErrorRaised;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "error";
}
/**
 * `error`
 */
export interface ErrorRaised {
  code: ErrorCode;
  /**
   * The technical words, for a closer look.
   */
  detail?: string | null;
  /**
   * What to do about it.
   */
  hint?: string | null;
  message: string;
  retryAt?: Timestamp | null;
  retryable?: boolean;
}
export interface PtyOpenedEvent {
  agentId: string | null;
  payload: PtyOpened;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "pty.opened";
}
/**
 * `pty.opened`
 */
export interface PtyOpened {
  cols: number;
  rows: number;
  useTmux?: boolean;
}
export interface PtyResizedEvent {
  agentId: string | null;
  payload: PtyResized;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "pty.resized";
}
/**
 * `pty.resized`
 */
export interface PtyResized {
  cols: number;
  rows: number;
}
export interface PtyClosedEvent {
  agentId: string | null;
  payload: PtyClosed;
  projectId: ProjectId;
  runnerId: RunnerId;
  seq: Seq;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "pty.closed";
}
/**
 * `pty.closed`
 */
export interface PtyClosed {
  exitCode?: number | null;
  signal?: number | null;
}
export interface AssistantDeltaFrame {
  after: Seq;
  payload: TextDelta;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "assistant.delta";
}
/**
 * More text of a block that is being written.
 */
export interface TextDelta {
  block: number;
  messageId: string;
  /**
   * Where `text` begins within the block, in UTF-16 code units.
   */
  offset: number;
  text: string;
}
export interface ThinkingDeltaFrame {
  after: Seq;
  payload: TextDelta;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "thinking.delta";
}
export interface ToolProgressFrame {
  after: Seq;
  payload: ToolProgress;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "tool.progress";
}
/**
 * A tool is still running.
 */
export interface ToolProgress {
  elapsedMs: number;
  toolUseId: string;
}
export interface PtyDataFrame {
  after: Seq;
  payload: PtyData;
  sessionId: SessionId;
  ts: Timestamp;
  turn: Turn;
  type: "pty.data";
}
/**
 * Bytes of a terminal, base64.
 */
export interface PtyData {
  data: string;
}
