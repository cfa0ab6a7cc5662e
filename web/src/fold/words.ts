/** The word list: every state has one word, the same on every screen. */
import type { ApprovalKind, ApprovalResolved, EndedWork, PermissionMode, Risk } from "../gen/events";
import type { Header, Request, State, ToolRow, UserRow } from "./view";

export type Tone = "brand" | "you" | "danger" | "ok" | "plain";

export interface Word {
  readonly text: string;
  readonly tone: Tone;
}

/** A turn that failed leaves the agent idle, but nobody may take that for an answer. */
export function stateWord(state: State, status?: string, failed = false): Word {
  switch (state) {
    case "starting":
      return { text: "Starting", tone: "brand" };
    case "processing":
      return { text: "Working", tone: "brand" };
    case "waiting":
      return { text: "Needs you", tone: "you" };
    case "idle":
      return failed ? { text: "Failed", tone: "danger" } : { text: "Idle", tone: "plain" };
    default:
      if (status === "failed") return { text: "Failed", tone: "danger" };
      if (status === "asleep") return { text: "Asleep", tone: "plain" };
      return { text: status === "stopped" ? "Stopped" : "Ended", tone: "plain" };
  }
}

export const headerWord = (header: Header): Word =>
  stateWord(header.state, header.ended?.status, header.failed);

/** Nothing comes until the agent gets through. */
export const tryingWord: Word = { text: "Trying again", tone: "brand" };

interface Listed {
  readonly state: State;
  readonly status: string;
  readonly turnFailed?: boolean;
  readonly retry?: object | null;
}

/** Of a session in a list. */
export const rowWord = (row: Listed): Word =>
  row.retry && row.state === "processing" ? tryingWord : stateWord(row.state, row.status, row.turnFailed);

export const riskWord: Record<Risk, string> = { low: "Low risk", medium: "Medium risk", high: "High risk" };

export const modes: readonly {
  readonly mode: PermissionMode;
  readonly name: string;
  readonly note: string;
}[] = [
  { mode: "default", name: "Ask first", note: "Edits and commands wait for you" },
  {
    mode: "acceptEdits",
    name: "Accept edits",
    note: "Edits of files in the project run; commands wait for you",
  },
  { mode: "plan", name: "Plan", note: "Reads and plans; changes nothing until you approve" },
  { mode: "dontAsk", name: "Refuse", note: "What no rule allows is refused; nobody is asked" },
  {
    mode: "bypassPermissions",
    name: "No checks",
    note: "Everything runs unasked, but for what your rules deny or ask about",
  },
];

export const modeWord = (mode: PermissionMode | undefined): string =>
  modes.find((one) => one.mode === mode)?.name ?? (mode === "auto" ? "Automatic" : "Ask first");

/** `claude-opus-4-1-20250805` is long; people say Opus. */
export function modelWord(model: string | undefined): string {
  if (!model) return "Default";
  const family = /(opus|sonnet|haiku)/i.exec(model)?.[1];
  if (!family) return model;
  return family.charAt(0).toUpperCase() + family.slice(1).toLowerCase();
}

const outcomes = {
  answered: "Answered",
  failed: "Failed",
  stopped: "Stopped",
  unfinished: "Not finished",
} as const;

/** The agent never had it, and nothing that runs will give it to the agent. */
export const neverHad = ({ delivered, outcome }: UserRow): boolean =>
  !delivered && (outcome?.how === "failed" || outcome?.how === "unfinished");

export function receiptWord(row: UserRow): string {
  if (neverHad(row)) return "Not delivered";
  if (row.outcome) return outcomes[row.outcome.how];
  return row.delivered ? "Delivered" : "Stored";
}

export type ToolState = "waiting" | "running" | "finished" | "failed" | "stopped" | "not run";

/** A call without an end runs only if the header says so. */
export function toolState(row: ToolRow, header: Header): ToolState {
  const { agent } = row;
  // The call of a sub-agent may be over long before it is, and says nothing of how it ended.
  if (agent) {
    if (header.work.some((one) => one.id === agent.agentId)) return "running";
    if (agent.status === "failed") return "failed";
    // One without an end fell with its session.
    if (agent.status !== "completed") return "stopped";
  }
  if (row.done) {
    if (row.done.isError)
      return row.requests.some((one) => one.resolved?.decision === "deny") ? "not run" : "failed";
    return "finished";
  }
  if (row.requests.some((one) => isOpen(one, header))) return "waiting";
  return header.tools.some((one) => one.toolUseId === row.toolUseId) ? "running" : "not run";
}

export const isOpen = (request: Request, header: Header): boolean =>
  !request.resolved && header.requests.some((one) => one.id === request.id);

export const openRequest = (row: ToolRow, header: Header): Request | undefined =>
  row.requests.find((one) => isOpen(one, header));

/** Whether something in here, however deep, waits for a person. */
export function needsYou(row: ToolRow, header: Header): boolean {
  if (header.requests.length === 0) return false;
  if (openRequest(row, header)) return true;
  return row.children.some((child) => {
    if (child.kind === "tool") return needsYou(child, header);
    return child.kind === "request" && isOpen(child.request, header);
  });
}

/** Why something is asked, as the end of a sentence. */
export function becauseOf(reason: string): string {
  const plain = reason.trim().replace(/\.$/, "");
  // What is said of a command without naming it.
  if (/^(Contains|Matches|Needs|Reads|Requires|Runs|Uses|Writes)\b/.test(plain))
    return `it ${plain.charAt(0).toLowerCase()}${plain.slice(1)}`;
  return /^(A|An|Any|Each|It|No|Some|The|There|This|You|Your)\b/.test(plain)
    ? plain.charAt(0).toLowerCase() + plain.slice(1)
    : plain;
}

/** What the agent is told when a person wrote nothing; nobody said it, so nobody is quoted. */
const UNSAID = "The user denied this request.";

const ends = { running: "runs", completed: "finished", failed: "failed", stopped: "was stopped" } as const;

/** Work in the background that is over. */
export const endedWord = ({ kind, description, id, status }: EndedWork): string =>
  `${kind === "subagent" ? "Agent" : "Command"} ${description ?? id} ${ends[status]}`;

/** Why a try failed, in words; what is not known is told as it came. */
export function retryWord(reason: string): string {
  const code = / \(\d+\)$/.exec(reason)?.[0] ?? "";
  const known: Record<string, string> = {
    authentication_failed: "the sign-in was refused",
    overloaded: "the model’s service is overloaded",
    rate_limit: "too many requests",
    server_error: "the model’s service failed",
  };
  const word = known[reason.slice(0, reason.length - code.length)];
  return word ? word + code : reason;
}

/** What somebody wrote to a decision. */
export const noteOf = (end: { message?: string | null }): string | undefined =>
  end.message && end.message !== UNSAID ? end.message : undefined;

export interface Receipt {
  readonly sign: "yes" | "no" | "gone";
  readonly text: string;
}

/** Whether a client denied because it had nobody to ask; logs older than the field name only the client. */
const isUnattended = (end: ApprovalResolved): boolean =>
  end.unattended === true || (end.by === "mode" && !!end.client);

/** Who or what decided, as the end of a sentence; a person is `you` or named by the device. */
function decider(end: ApprovalResolved, me: string | undefined): string {
  const name = end.client?.name;
  switch (end.by) {
    case "rule":
      return ` by rule${end.rule ? ` ${end.rule}` : ""}`;
    case "timeout":
      return ", because nobody answered in time";
    case "mode":
      if (isUnattended(end)) return `, because nobody could be asked${name ? ` (${name})` : ""}`;
      return end.mode ? ` by the mode “${modeWord(end.mode)}”` : " by the limits of the session";
    default:
      if (!name) return "";
      return ` · ${end.client?.id === me ? "you" : name}`;
  }
}

/**
 * What became of a request, with who or what decided: the one place that says so.
 * Nobody is said to have decided who did not.
 */
export function decided(end: ApprovalResolved, kind: ApprovalKind, me: string | undefined): Receipt {
  if (end.by === "cancelled")
    return { sign: "gone", text: `Cancelled${end.message ? `, ${end.message}` : ""}` };
  const by = decider(end, me);
  if (end.decision === "deny") {
    // Only a person is quoted; what Baton told the agent stands with the call.
    const said = end.by === "user" && kind === "tool" && noteOf(end) ? ` · “${end.message}”` : "";
    return { sign: "no", text: `Denied${by}${said}` };
  }
  if (kind === "question") return { sign: "yes", text: `Answered${by}` };
  if (kind === "plan") return { sign: "yes", text: `Approved${by}` };
  if (end.by !== "user") return { sign: "yes", text: `Allowed${by}` };
  if (end.modifiedInput !== undefined && end.modifiedInput !== null)
    return { sign: "yes", text: `Allowed, changed${by.replace(" · ", " by ")}` };
  if (end.rule || end.scope)
    return { sign: "yes", text: `Allowed always${end.rule ? `, rule ${end.rule}` : ""}${by}` };
  return { sign: "yes", text: `Allowed once${by}` };
}

/** What became of a request that may have no end of its own. */
export function receipt(request: Request, me: string | undefined): Receipt {
  const end = request.resolved;
  if (!end) return { sign: "gone", text: "Cancelled, the session ended" };
  return decided(end, request.asked.kind, me);
}
