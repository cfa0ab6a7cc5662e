import { describe, expect, it } from "vitest";
import type { ApprovalRequested } from "../gen/events";
import { ruleWidths } from "../parts/approval/rules";
import { age, money, span } from "./format";
import { shown } from "./groups";
import { look } from "./labels";
import { emptyHeader, type Request, type Row, type ToolRow } from "./view";
import { becauseOf, modelWord, needsYou, receipt, rowWord, stateWord, toolState } from "./words";

const tool = (over: Partial<ToolRow>): ToolRow => ({
  kind: "tool",
  key: `t:${over.toolUseId ?? "1"}`,
  seq: 1,
  ts: "2026-01-01T00:00:00Z",
  turn: 1,
  toolUseId: "1",
  name: "Read",
  toolKind: "read",
  subject: { path: "a.rs" },
  label: "",
  input: { file_path: "a.rs" },
  requests: [],
  images: [],
  children: [],
  ...over,
});
const done = { ts: "", output: "", isError: false, durationMs: 100, truncated: false };
const asked: ApprovalRequested = {
  approvalId: "apr_1",
  kind: "tool",
  toolName: "Bash",
  toolKind: "shell",
  subject: { command: "git push origin" },
  input: { command: "git push origin" },
  risk: "high",
};
const request: Request = { id: "apr_1", seq: 2, ts: "", asked };
const open = { ...emptyHeader, requests: [request] };

describe("words", () => {
  it("for states", () => {
    expect(stateWord("waiting")).toEqual({ text: "Needs you", tone: "you" });
    expect(stateWord("ended", "failed").text).toBe("Failed");
    expect(stateWord("ended", "stopped").text).toBe("Stopped");
    expect(rowWord({ state: "processing", status: "running", retry: {} }).text).toBe("Trying again");
    expect(rowWord({ state: "processing", status: "running", retry: null }).text).toBe("Working");
    expect(rowWord({ state: "waiting", status: "running", retry: {} }).text).toBe("Needs you");
    expect(modelWord("claude-opus-4-1-20250805")).toBe("Opus");
    expect(modelWord(undefined)).toBe("Default");
  });

  it("for tools: only the header knows whether one runs", () => {
    const running = { ...emptyHeader, tools: [{ toolUseId: "1", label: "", since: "" }] };
    expect(toolState(tool({}), running)).toBe("running");
    expect(toolState(tool({}), emptyHeader)).toBe("not run");
    expect(toolState(tool({ requests: [request] }), open)).toBe("waiting");
    expect(toolState(tool({ done }), running)).toBe("finished");
    expect(toolState(tool({ done: { ...done, isError: true } }), running)).toBe("failed");
    const denied: Request = {
      ...request,
      resolved: { approvalId: "apr_1", decision: "deny", by: "user", ts: "" },
    };
    expect(toolState(tool({ requests: [denied], done: { ...done, isError: true } }), running)).toBe(
      "not run",
    );
  });

  it("lift a waiting child to its parent", () => {
    const child = tool({ toolUseId: "2", requests: [request] });
    expect(needsYou(tool({ children: [tool({ toolUseId: "3", children: [child] })] }), open)).toBe(true);
    expect(needsYou(tool({ children: [child] }), emptyHeader)).toBe(false);
  });

  it("for receipts name who decided and how", () => {
    const end = { approvalId: "apr_1", ts: "" };
    const by = (resolved: Partial<NonNullable<Request["resolved"]>>) =>
      receipt({ ...request, resolved: { ...end, decision: "allow", by: "user", ...resolved } }, "me").text;
    expect(by({ client: { id: "me", name: "Pixel" } })).toBe("Allowed once · you");
    expect(by({ client: { id: "other", name: "iPad" } })).toBe("Allowed once · iPad");
    expect(by({ modifiedInput: {} })).toBe("Allowed, changed");
    expect(by({ modifiedInput: {}, client: { id: "me", name: "Pixel" } })).toBe("Allowed, changed by you");
    expect(by({ by: "rule", rule: "Bash(ls)" })).toBe("Allowed by rule Bash(ls)");
    expect(by({ decision: "deny", message: "no" })).toBe("Denied · “no”");
    expect(by({ decision: "deny", message: "The user denied this request." })).toBe("Denied");
    expect(by({ decision: "deny", by: "timeout" })).toBe("Denied, because nobody answered in time");
    expect(by({ decision: "deny", client: { id: "x", name: "iPad" } })).toBe("Denied · iPad");
    expect(by({ decision: "deny", by: "cancelled", message: "the turn ended" })).toBe(
      "Cancelled, the turn ended",
    );
    expect(receipt(request, "me").text).toBe("Cancelled, the session ended");
  });

  it("name nobody and no mode where nobody could be asked", () => {
    const client = { id: "me", name: "baton run" };
    const end = {
      approvalId: "apr_1",
      ts: "",
      decision: "deny",
      by: "mode",
      message: "Denied: nobody",
    } as const;
    const by = (more: Partial<NonNullable<Request["resolved"]>>) =>
      receipt({ ...request, resolved: { ...end, ...more } }, "me").text;
    expect(by({ client, unattended: true })).toBe("Denied, because nobody could be asked (baton run)");
    expect(by({ client })).toBe("Denied, because nobody could be asked (baton run)");
    expect(by({ mode: "dontAsk" })).toBe("Denied by the mode “Refuse”");
    expect(by({})).toBe("Denied by the limits of the session");
    expect(by({ by: "rule", rule: "Bash(rm:*)" })).toBe("Denied by rule Bash(rm:*)");
    expect(by({ decision: "allow", mode: "acceptEdits" })).toBe("Allowed by the mode “Accept edits”");
  });

  it("for money and time", () => {
    expect([money(0.27), money(0.004), money(0)]).toEqual(["$0.27", "$0.004", "$0.00"]);
    expect([span(40), span(4100), span(12_000), span(192_000), span(3_840_000)]).toEqual([
      "0.1 s",
      "4.1 s",
      "12 s",
      "3 m 12 s",
      "1 h 04 m",
    ]);
    expect(age(0, 30_000)).toBe("now");
    expect(age(0, 180_000)).toBe("3 min");
  });

  it("for tools nobody knows", () => {
    expect(
      look({
        name: "mcp__linear__create_issue",
        toolKind: "mcp",
        subject: { server: "linear", tool: "create_issue" },
      }).ask,
    ).toBe("Use linear: create_issue?");
    expect(look({ name: "Frobnicate" }).ask).toBe("Use Frobnicate?");
    expect(look({ name: "Edit", toolKind: "edit", subject: { path: "/w/src/post.rs" } }, "/w")).toMatchObject(
      {
        ask: "Edit post.rs?",
        object: "src/post.rs",
      },
    );
  });

  it("offer rules from narrow to wide", () => {
    const rules = ruleWidths(asked).map((one) => one.rule);
    expect(rules).toEqual(["Bash(git push:*)", "Bash(git push origin)", "Bash"]);
    const suggested = ruleWidths({
      ...asked,
      suggestions: [{ rule: "Bash(git push origin)", scope: "session" }],
    });
    expect(suggested[0]).toMatchObject({ name: "Exactly this", rule: "Bash(git push origin)" });
  });
});

describe("groups", () => {
  const read = (id: string, over: Partial<ToolRow> = {}) =>
    tool({ toolUseId: id, key: `t:${id}`, done, ...over });

  it("take in neighbouring reads that went well, and keep the place of the first", () => {
    const rows: Row[] = [
      read("1"),
      read("2", { subject: { path: "b.rs" } }),
      read("3", { name: "Grep", toolKind: "search", subject: { query: "x" } }),
    ];
    const [only, ...rest] = shown(rows);
    expect(rest).toEqual([]);
    expect(only).toMatchObject({ kind: "group", key: "t:1", text: "2 files, 1 search" });
    expect(shown(rows)).toBe(shown(rows));
  });

  it("never hide a failure, an edit, a command or anything that was asked", () => {
    const odd = [
      read("2", { done: { ...done, isError: true } }),
      read("2", { name: "Edit", toolKind: "edit" }),
      read("2", { name: "Bash", toolKind: "shell", subject: { command: "ls" } }),
      read("2", { requests: [request] }),
      tool({ toolUseId: "2", key: "t:2" }),
    ];
    for (const one of odd)
      expect(shown([read("1"), one, read("3")]).map((row) => row.key)).toEqual(["t:1", "t:2", "t:3"]);
  });
});

describe("a reason", () => {
  it("ends a sentence, whoever wrote it", () => {
    expect(becauseOf("A variable in this command can't be checked.")).toBe(
      "a variable in this command can't be checked",
    );
    expect(becauseOf("Contains Unicode whitespace.")).toBe("it contains Unicode whitespace");
    expect(becauseOf("writing a file needs your approval")).toBe("writing a file needs your approval");
    expect(becauseOf("Bash is not allowed here")).toBe("Bash is not allowed here");
  });
});
