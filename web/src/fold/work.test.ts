import { describe, expect, it } from "vitest";
import type { Envelope } from "../gen/events";
import { reduceAll } from "./reduce";
import { workWords } from "./running";
import { timeOf, wentOn } from "./took";
import { empty, type ToolRow, type View } from "./view";
import { toolState } from "./words";
import { onlyBeside } from "./work";

type Told = readonly [type: string, payload: object];

const view = (...told: Told[]): View =>
  reduceAll(
    empty,
    told.map(([type, payload], at) => ({
      kind: "event",
      event: { type, payload, seq: at + 1, ts: `2026-01-01T10:00:0${at}Z`, turn: 1 } as unknown as Envelope,
    })),
  );
const begins: Told[] = [
  ["session.state", { state: "processing" }],
  ["turn.started", { turn: 1, origin: "user" }],
];
const call: Told = ["tool.requested", { toolUseId: "t", name: "Agent", label: "", input: {} }];
const agent: Told = ["subagent.started", { agentId: "a", parentToolUseId: "t", description: "Look" }];
const returned: Told = ["tool.completed", { toolUseId: "t", name: "Agent", output: "", durationMs: 1 }];
const over: Told = ["turn.completed", { turn: 1, stopReason: "end", durationMs: 1, stats: {} }];
const stopped: Told = [
  "subagent.stopped",
  { agentId: "a", parentToolUseId: "t", status: "completed", result: "Seen." },
];
const row = (of: View): ToolRow => of.chunks[0]?.rows.find((one) => one.kind === "tool") as ToolRow;

describe("work beside the conversation", () => {
  it("goes on after its call and its turn, and the session is not idle", () => {
    const inTurn = view(...begins, call, agent);
    expect(inTurn.header.work).toMatchObject([{ id: "a", kind: "subagent" }]);
    expect(workWords(inTurn.header.work)).toBe("");
    expect(onlyBeside(inTurn)).toBe(false);
    const after = view(...begins, call, agent, returned, over);
    expect(onlyBeside(after)).toBe(true);
    expect(toolState(row(after), after.header)).toBe("running");
    expect(workWords(after.header.work)).toMatch(/^Agent Look · since \d\d?:00$/);
    const ended = view(...begins, call, agent, returned, over, stopped);
    expect(ended.header.work).toEqual([]);
    expect(onlyBeside(ended)).toBe(false);
    expect(toolState(row(ended), ended.header)).toBe("finished");
    expect(row(ended).agent?.result).toBe("Seen.");
  });

  it("ends as the sub-agent did, not as its call", () => {
    const end = (status: string): View =>
      view(...begins, call, agent, returned, over, ["subagent.stopped", { ...stopped[1], status }]);
    const state = (of: View): string => toolState(row(of), of.header);
    expect(["completed", "failed", "stopped"].map((status) => state(end(status)))).toEqual([
      "finished",
      "failed",
      "stopped",
    ]);
    // It fell with its session, before anybody told its end.
    expect(state(view(...begins, call, agent, returned, ["session.ended", { status: "failed" }]))).toBe(
      "stopped",
    );
  });

  it("takes as long as the sub-agent, which goes on after its call returned", () => {
    const now = Date.parse("2026-01-01T10:00:09Z");
    const running = row(view(...begins, call, agent, returned, over));
    expect([wentOn(running), timeOf(running, now)]).toEqual([true, 6000]);
    const ended = row(view(...begins, call, agent, returned, over, stopped));
    expect([wentOn(ended), timeOf(ended, now)]).toEqual([true, 3000]);
    const inTurn = row(view(...begins, call, agent, stopped, returned));
    expect([wentOn(inTurn), timeOf(inTurn, now)]).toEqual([false, 1000]);
  });

  it("is there once, also where a sub-agent is a task too", () => {
    const task = (id: string, status: string): Told => [
      "task.updated",
      { taskId: id, status, description: "npm run dev" },
    ];
    const both = view(...begins, agent, task("a", "running"), task("b", "running"));
    expect(both.header.work.map((one) => one.id)).toEqual(["a", "b"]);
    expect(workWords(both.header.work)).toMatch(/^Agent Look · npm run dev · since/);
    expect(view(...begins, agent, task("a", "running"), task("a", "completed")).header.work).toHaveLength(1);
    expect(view(...begins, task("b", "running"), task("b", "failed")).header.work).toEqual([]);
    expect(
      view(...begins, task("b", "running"), ["session.ended", { status: "stopped" }]).header.work,
    ).toEqual([]);
  });

  it("says why a turn began that nobody asked for", () => {
    const because = [{ id: "a", kind: "subagent", description: "Look", status: "completed" }];
    const rows = view(["turn.started", { turn: 2, origin: "agent", because }]).chunks[0]?.rows;
    expect(rows).toMatchObject([{ kind: "notice" }]);
    expect(view(...begins).chunks).toEqual([]);
  });
});
