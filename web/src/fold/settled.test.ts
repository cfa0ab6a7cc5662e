import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Envelope } from "../gen/events";
import { countAfter, firstAfter, nearestTo, placeOf } from "./places";
import { planBefore, planOf } from "./plans";
import { reduceAll } from "./reduce";
import { type Drawn, drawn, settledTurns, waitedIn } from "./settled";
import { empty, type View } from "./view";

const shared = { projectId: "prj_1", runnerId: "run_1", sessionId: "ses_1", agentId: null };

/** A log in short: what happened, one word each. */
function log(...steps: [turn: number, type: Envelope["type"], payload: object][]): View {
  const events = steps.map(([turn, type, payload], at) => ({
    ...shared,
    seq: at + 1,
    ts: `2026-11-15T09:00:${String(at % 60).padStart(2, "0")}Z`,
    turn,
    type,
    payload,
  })) as unknown as Envelope[];
  return reduceAll(
    empty,
    events.map((event) => ({ kind: "event", event })),
  );
}

const asked = (turn: number) =>
  [turn, "user.message", { messageId: `m${turn}`, text: `Do ${turn}` }] as [number, "user.message", object];
const said = (turn: number, id: string) =>
  [turn, "assistant.message", { messageId: id, block: 0, content: id }] as [
    number,
    "assistant.message",
    object,
  ];
const ran = (turn: number, id: string, isError = false): [number, Envelope["type"], object][] => [
  [turn, "tool.requested", { toolUseId: id, name: "Bash", label: "Running", input: { command: id } }],
  [turn, "tool.completed", { toolUseId: id, name: "Bash", output: "", isError, durationMs: 5 }],
];
const ended = (turn: number) =>
  [
    turn,
    "turn.completed",
    { turn, stopReason: "end", durationMs: 160_000, stats: { toolCalls: 2, filesWritten: 1 } },
  ] as [number, "turn.completed", object];

const draw = (view: View, last: number, open: string[] = []): Drawn[] => {
  const settled = settledTurns(view.chunks, last);
  return view.chunks.flatMap((chunk) => drawn(chunk.rows, settled, (key) => open.includes(key)));
};
const keys = (rows: readonly Drawn[]): string[] => rows.map((row) => row.key);

describe("a settled turn", () => {
  const view = log(
    asked(1),
    said(1, "First I look"),
    ...ran(1, "ls"),
    ...ran(1, "rm nothing", true),
    said(1, "Done"),
    ended(1),
    asked(2),
    ...ran(2, "pwd"),
    said(2, "There"),
    ended(2),
  );

  it("is what was asked, a line for the work, the final answer and its end", () => {
    expect(keys(draw(view, 1)).slice(0, 4)).toEqual(["u:m1", "w:1", "x:1:Done:0", "n:1"]);
  });

  it("says how long it took and what went wrong", () => {
    const line = draw(view, 1).find((row) => row.kind === "work");
    expect(line).toMatchObject({ durationMs: 160_000, failed: 1, denied: 0 });
  });

  it("shows all of its work once it is opened", () => {
    const all = keys(draw(view, 1, ["w:1"]));
    expect(all.filter((key) => key !== "w:1")).toEqual(keys(draw(view, 0)));
  });

  it("leaves later turns alone", () => {
    expect(keys(draw(view, 1)).slice(4)).toEqual(["u:m2", "t:pwd", "x:2:There:0", "n:2"]);
  });

  it("keeps its answer when work came after the last words", () => {
    const late = log(asked(1), said(1, "I will"), ...ran(1, "make"), ended(1));
    expect(keys(draw(late, 1))).toEqual(["u:m1", "x:1:I will:0", "w:1", "n:1"]);
  });

  it("has no line when it only answered", () => {
    expect(keys(draw(log(asked(1), said(1, "Yes"), ended(1)), 1))).toEqual(["u:m1", "x:1:Yes:0", "n:1"]);
  });

  it("is not one that never ended", () => {
    const cut = log(asked(1), ...ran(1, "ls"), [1, "session.ended", { status: "stopped" }], asked(2));
    expect(draw(cut, 2).some((row) => row.kind === "work")).toBe(false);
  });

  it("counts what failed in the background, and keeps a sub-agent in sight that outlived its call", () => {
    const task = { taskId: "k", status: "failed", toolUseId: "ls" };
    const agent = { agentId: "a", parentToolUseId: "look" };
    const view = log(
      asked(1),
      ...ran(1, "ls"),
      [1, "task.updated", task],
      [1, "tool.requested", { toolUseId: "look", name: "Agent", label: "", input: {} }],
      [1, "subagent.started", agent],
      [1, "tool.completed", { toolUseId: "look", name: "Agent", output: "", isError: false, durationMs: 1 }],
      ended(1),
    );
    const rows = draw(view, 1);
    expect(keys(rows)).toEqual(["u:m1", "w:1", "t:look", "n:1"]);
    expect(rows.find((row) => row.kind === "work")).toMatchObject({ failed: 1 });
  });

  it("keeps errors in sight", () => {
    const bad = log(asked(1), ...ran(1, "ls"), [1, "error", { code: "x", message: "no" }], ended(1));
    expect(keys(draw(bad, 1))).toContain("e:4");
  });

  it("has one line however many chunks it spans", () => {
    const many = Array.from({ length: 70 }, (_, at) => ran(1, `c${at}`)).flat();
    const long = log(asked(1), ...many, said(1, "Done"), ended(1), asked(2));
    expect(long.chunks.length).toBeGreaterThan(1);
    expect(keys(draw(long, 1))).toEqual(["u:m1", "w:1", "x:1:Done:0", "n:1", "u:m2"]);
  });
});

describe("places among the rows", () => {
  const read = (id: string): [number, Envelope["type"], object][] => [
    [
      1,
      "tool.requested",
      { toolUseId: id, name: "Read", toolKind: "read", subject: { path: id }, label: "Reading", input: {} },
    ],
    [1, "tool.completed", { toolUseId: id, name: "Read", output: "", isError: false, durationMs: 5 }],
  ];
  const view = log(asked(1), ...read("a"), ...read("b"), said(1, "Done"), ended(1));

  it("are the group for an event that is drawn in one", () => {
    expect(placeOf(view.chunks, 4)?.key).toBe("t:a");
    expect(placeOf(view.chunks, 6)?.key).toBe("x:1:Done:0");
    expect(placeOf(view.chunks, 99)).toBeUndefined();
  });

  it("are counted as they are drawn", () => {
    expect(countAfter(view.chunks, 0)).toBe(4);
    expect(countAfter(view.chunks, 5)).toBe(2);
    expect(firstAfter(view.chunks, 5)?.key).toBe("x:1:Done:0");
    expect(firstAfter(view.chunks, 7)).toBeUndefined();
  });
});

describe("a plan", () => {
  const plan = (id: string, text: string): [number, Envelope["type"], object][] => [
    [1, "tool.requested", { toolUseId: id, name: "ExitPlanMode", label: "Plan", input: { plan: text } }],
    [
      1,
      "approval.requested",
      {
        approvalId: id,
        toolUseId: id,
        kind: "plan",
        toolName: "ExitPlanMode",
        input: { plan: text },
        risk: "low",
      },
    ],
  ];

  it("is known with the one before it, so that a change can be told", () => {
    const view = log(
      asked(1),
      ...plan("p1", "One"),
      [1, "approval.resolved", { approvalId: "p1", decision: "deny", by: "user" }],
      ...plan("p2", "Two"),
    );
    const [request] = view.header.requests;
    expect(request && planOf(request)).toBe("Two");
    expect(request && planBefore(view, request)).toBe("One");
  });

  it("says what it says now when it is asked about again under the same id", () => {
    const view = log(asked(1), ...plan("p1", "One"), ...plan("p1", "Two").slice(-1));
    expect(view.header.requests.map(planOf)).toEqual(["Two"]);
    const rows = view.chunks.flatMap((chunk) => chunk.rows);
    const all = rows.flatMap((row) =>
      row.kind === "tool" ? row.requests : row.kind === "request" ? [row.request] : [],
    );
    expect(all.map(planOf)).toEqual(["Two"]);
  });

  it("has none before it when it is the first", () => {
    const view = log(asked(1), ...plan("p1", "One"));
    const [request] = view.header.requests;
    expect(request && planBefore(view, request)).toBeUndefined();
  });
});

const folder = new URL("../../tests/fixtures/", import.meta.url);
const recordings = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));

describe.each(recordings)("the recording %s", (name) => {
  it("loses nothing when every line is opened", () => {
    const lines = readFileSync(new URL(name, folder), "utf8").trim().split("\n");
    const events = lines.map((line) => JSON.parse(line) as Envelope).filter((one) => "seq" in one);
    const view = reduceAll(
      empty,
      events.map((event) => ({ kind: "event", event })),
    );
    const settled = settledTurns(view.chunks, Number.POSITIVE_INFINITY);
    const opened = view.chunks.flatMap((chunk) => drawn(chunk.rows, settled, () => true));
    expect(keys(opened.filter((row) => row.kind !== "work"))).toEqual(keys(draw(view, 0)));
  });
});

describe("the time of a turn", () => {
  const asks = (turn: number, id: string): [number, Envelope["type"], object] => [
    turn,
    "approval.requested",
    { approvalId: id, kind: "tool", toolName: "Bash", input: {}, risk: "high", toolUseId: `t${id}` },
  ];
  const answers = (turn: number, id: string): [number, Envelope["type"], object] => [
    turn,
    "approval.resolved",
    { approvalId: id, decision: "allow", by: "user" },
  ];
  const call = (turn: number, id: string) => ran(turn, `t${id}`)[0] as [number, Envelope["type"], object];
  // A second per event: each turn waits for one to three of them.
  const view = log(
    asked(1),
    call(1, "a"),
    asks(1, "a"),
    answers(1, "a"),
    ended(1),
    asked(2),
    call(2, "b"),
    call(2, "c"),
    asks(2, "b"),
    asks(2, "c"),
    answers(2, "b"),
    answers(2, "c"),
  );

  it("is told apart from the time it waited for people, once for what was asked at once", () => {
    expect(waitedIn(view.chunks, 1, 5)).toBe(1000);
    expect(waitedIn(view.chunks, 2)).toBe(3000);
    expect(waitedIn(view.chunks, 3)).toBe(0);
  });

  it("does not hold what a sub-agent waited for after its call or the turn was over", () => {
    const agent = (id: string, children: [number, Envelope["type"], object][]) => {
      const nested = { parentToolUseId: id, toolUseId: `t${id}2`, name: "Bash", label: "", input: {} };
      return [
        [1, "tool.requested", { toolUseId: id, name: "Agent", label: "", input: {} }],
        [1, "subagent.started", { agentId: `a${id}`, parentToolUseId: id }],
        [1, "tool.requested", nested],
        ...children,
      ] as [number, Envelope["type"], object][];
    };
    const returned = (id: string): [number, Envelope["type"], object] => [
      1,
      "tool.completed",
      { toolUseId: id, name: "Agent", output: "", isError: false, durationMs: 1 },
    ];
    // Its call returned, and the turn went on without it.
    const beside = log(asked(1), ...agent("x", [asks(1, "x2"), returned("x")]), ended(1), answers(1, "x2"));
    expect(waitedIn(beside.chunks, 1, 7)).toBe(1000);
    expect(draw(beside, 1).find((row) => row.kind === "work")).toBeUndefined();
    // Its call never returned, and the turn was stopped.
    const cut = log(asked(1), ...agent("y", [asks(1, "y2")]), ended(1), asked(2), answers(1, "y2"));
    expect(waitedIn(cut.chunks, 1, 6)).toBe(1000);
    expect(settledTurns(cut.chunks, 1).get(1)?.line.durationMs).toBe(159_000);
  });

  it("is found in long sessions, where a turn goes over several chunks", () => {
    const steps = Array.from({ length: 130 }, (_, at) => ran(2, `x${at}`)).flat();
    const long = log(
      asked(1),
      call(1, "a"),
      asks(1, "a"),
      answers(1, "a"),
      ended(1),
      call(2, "b"),
      asks(2, "b"),
      answers(2, "b"),
      ...steps,
      ended(2),
    );
    expect(long.chunks.length).toBeGreaterThan(2);
    expect(waitedIn(long.chunks, 2, long.seq)).toBe(1000);
    expect(waitedIn(long.chunks, 1, 5)).toBe(1000);
  });
});

describe("an event without a row of its own", () => {
  const view = log(
    asked(1),
    ...ran(1, "one"),
    [1, "context.usage", { tokens: 1, window: 2 }],
    said(1, "Done"),
    ended(1),
  );
  const key = (seq: number): string | undefined => nearestTo(view.chunks, seq)?.key;

  it("leads to the row it tells more of, or to what stood before it", () => {
    expect(key(2)).toBe("t:one");
    expect(key(3)).toBe("t:one");
    expect(key(4)).toBe("t:one");
    expect(key(5)).toBe("x:1:Done:0");
    expect(key(99)).toBe("n:1");
    expect(nearestTo([], 1)).toBeUndefined();
  });
});
