import { describe, expect, it } from "vitest";
import type { ApprovalResolved } from "../gen/events";
import { longWait, ownTime, timeOf, waited, waitsOf } from "./took";
import type { Request, ToolRow } from "./view";

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

const request = (from: number, to?: number): Request => ({
  id: `apr_${from}`,
  seq: 1,
  ts: at(from),
  asked: { approvalId: `apr_${from}`, kind: "tool", toolName: "Bash", input: {}, risk: "low" },
  resolved:
    to === undefined
      ? undefined
      : { ...({ approvalId: `apr_${from}`, decision: "allow", by: "user" } as ApprovalResolved), ts: at(to) },
});

const tool = (over: Partial<ToolRow>): ToolRow => ({
  kind: "tool",
  key: "t:1",
  seq: 1,
  ts: at(0),
  turn: 1,
  toolUseId: "1",
  name: "Bash",
  label: "",
  input: {},
  requests: [],
  images: [],
  children: [],
  ...over,
});

describe("the time of a tool", () => {
  it("is what is left without the wait for its approval", () => {
    expect(ownTime(tool({ requests: [request(1, 379)] }), 380_000)).toBe(2000);
  });

  it("does not hold what its sub-agents waited for, and two waits at once count once", () => {
    const one = tool({ requests: [request(10, 40)] });
    const two = tool({ requests: [request(20, 50)] });
    expect(ownTime(tool({ children: [one, two] }), 60_000)).toBe(20_000);
  });

  it("is all of it while nothing was answered, and never less than nothing", () => {
    expect(ownTime(tool({ requests: [request(1)] }), 5000)).toBe(5000);
    expect(ownTime(tool({ requests: [request(1, 100)] }), 5000)).toBe(0);
    expect(waited([])).toBe(0);
  });

  it("of a sub-agent begins with it and ends with it, without what it waited for", () => {
    const done = { ts: at(2), output: "", isError: false, durationMs: 200, truncated: false };
    const agent = { agentId: "a", status: "completed", since: at(1), until: at(31) } as const;
    const asks = tool({ requests: [request(5, 15)] });
    const row = tool({ requests: [request(0, 1)], done, agent, children: [asks] });
    expect(timeOf(row, 0)).toBe(20_000);
    // Nobody else waited with it: its call had returned.
    expect(waitsOf(row)).toHaveLength(1);
    expect(timeOf(tool({ done }), 0)).toBe(200);
  });

  it("is told apart only from a wait that was long", () => {
    expect(longWait(request(0, 3))).toBeUndefined();
    expect(longWait(request(0, 90))).toBe(90_000);
    expect(longWait(request(0))).toBeUndefined();
  });
});
