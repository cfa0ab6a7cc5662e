/** What the HTTP API says about projects, their files, search, usage, rules and who may sign in. */
import type { ApprovalRequested, ApprovalResolved, Usage } from "../gen/events";

export interface PastSession {
  agentSessionId: string;
  title?: string | null;
  cwd: string;
  startedAt?: string | null;
  lastActivityAt: string;
  /** The process that runs it now. */
  live?: { pid: number; entrypoint?: string | null } | null;
  /** The session it is here. */
  importedAs?: string | null;
}

export interface TrustItem {
  kind: string;
  file: string;
  name: string;
  detail: string;
  link?: string | null;
}

export interface TrustFolder {
  path: string;
  trusted: boolean;
  changed: boolean;
  items: TrustItem[];
  notes: string[];
  complete: boolean;
  digest: string;
}

export type ChangeKind =
  | "added"
  | "modified"
  | "deleted"
  | "renamed"
  | "copied"
  | "typeChanged"
  | "untracked"
  | "conflicted";

export interface FileEntry {
  name: string;
  /** None if its name is not Unicode. */
  path: string | null;
  kind: "file" | "folder" | "link" | "other";
  size: number | null;
  modifiedAt: string | null;
  ignored: boolean;
  gitStatus: ChangeKind | null;
}

export interface FileList {
  path: string;
  items: FileEntry[];
  next: string | null;
  truncated: boolean;
  gitAsked: boolean;
}

export interface FileView {
  path: string;
  kind: "text" | "image" | "binary";
  mediaType: string;
  size: number;
  modifiedAt: string | null;
  etag: string;
  encoding: string | null;
  text: string | null;
  from: number | null;
  lines: number | null;
  totalLines: number | null;
  /** An image, in Base64. */
  data: string | null;
  truncated: boolean;
}

export interface DiffRow {
  kind: "same" | "added" | "removed";
  old?: number;
  new?: number;
  text: string;
  marks?: [number, number][];
  noNewline?: boolean;
}

export interface DiffHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: DiffRow[];
}

export interface FileDiff {
  path: string;
  oldPath?: string;
  status: ChangeKind;
  kind: "text" | "binary" | "submodule";
  oldMode?: string;
  newMode?: string;
  additions: number | null;
  deletions: number | null;
  hunks: DiffHunk[];
  truncated: boolean;
}

export interface Diff {
  base: string | null;
  files: FileDiff[];
  additions: number;
  deletions: number;
  truncated: boolean;
}

export interface SearchHit {
  sessionId: string;
  projectId: string;
  title: string | null;
  seq: number;
  snippet: string;
  marks: [number, number][];
}

export interface UsageItem {
  /** In UTC, such as `2026-11-15`. */
  day: string;
  projectId: string;
  project: string | null;
  model: string | null;
  costUsd: number;
  usage: Usage;
  turns: number;
}

export interface UsageReport {
  items: UsageItem[];
  totalCostUsd: number;
  totalTurns: number;
}

export type RuleDecision = "allow" | "deny" | "ask";
export type RuleScope = "session" | "project" | "user";

export interface Rule {
  id: string;
  rule: string;
  decision: RuleDecision;
  scope: RuleScope;
  scopeId?: string;
  /** The folder of a project. */
  project?: string;
  words: string;
  createdAt: string;
  client?: { id: string; name: string };
}

/** A past request and what a rule would have said to it. */
export interface Tried {
  sessionId: string;
  requestedAt: string;
  request: ApprovalRequested;
  resolved?: ApprovalResolved | null;
  decision?: RuleDecision | null;
  reason?: string | null;
}

/** A request and how it was answered. */
export interface PastApproval {
  sessionId: string;
  projectId: string;
  requestedAt: string;
  seq: number;
  approval: ApprovalRequested;
  resolvedAt: string;
  resolvedSeq: number;
  resolved: ApprovalResolved;
}

export type AccessScope = "observe" | "operate" | "admin";

export interface Device {
  id: string;
  name: string;
  scope: AccessScope;
  via: "pin" | "token" | "link";
  letInBy?: string;
  createdAt: string;
  lastUsedAt: string;
  current: boolean;
}

export interface OneTimeLink {
  link: string;
  url?: string;
  scope: AccessScope;
  expiresAt: string;
}

export interface AgentFound {
  name: string;
  version?: string | null;
}

export interface DoctorCheck {
  name: string;
  verdict: "ok" | "warning" | "problem";
  finding: string;
  remedy?: string;
}

export interface DoctorReport {
  ok: boolean;
  checks: DoctorCheck[];
}

export interface Status {
  version: string;
  pid: number;
  startedAt: string;
  uptimeS: number;
  url: string | null;
  sessions: Record<string, number>;
  pendingApprovals: number;
  projects: number;
  clients: number;
  agents: AgentFound[];
  stopping: boolean;
}
