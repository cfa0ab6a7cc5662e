import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Envelope, LiveFrame } from "../gen/events";
import { Gap, type Input, reduce, reduceAll } from "./reduce";
import { empty, type Row, startingAfter, underWay, type View } from "./view";

const folder = new URL("../../tests/fixtures/", import.meta.url);

type Line = Envelope | LiveFrame;

function lines(name: string): Line[] {
  const text = readFileSync(new URL(name, folder), "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line) as Line);
}

const isEvent = (line: Line): line is Envelope => "seq" in line;
const input = (line: Line): Input =>
  isEvent(line) ? { kind: "event", event: line } : { kind: "live", frame: line };
const recordings = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
const eventsOf = (name: string): Envelope[] => lines(name).filter(isEvent);
const fold = (list: readonly Line[]): View => reduceAll(empty, list.map(input));
const rowsOf = (view: View): Row[] => view.chunks.flatMap((chunk) => chunk.rows);
/** What a person sees, without where chunks happen to end. */
const seen = (view: View) => ({
  rows: rowsOf(view),
  header: view.header,
  live: view.live,
  waiting: view.waiting,
  orphans: view.orphans,
  seq: view.seq,
  first: view.first,
});

function find<K extends Row["kind"]>(view: View, kind: K): Extract<Row, { kind: K }>[] {
  return rowsOf(view).filter((row): row is Extract<Row, { kind: K }> => row.kind === kind);
}

describe.each(recordings)("the recording %s", (name) => {
  const all = lines(name);
  const events = eventsOf(name);
  const whole = seen(fold(events));

  it("has rows in the order of their events, with keys of their own", () => {
    const keys = whole.rows.map((row) => row.key);
    expect(new Set(keys).size).toBe(keys.length);
    const order = whole.rows.map((row) => row.seq);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(whole.orphans).toEqual([]);
  });

  it("looks the same with and without live frames", () => {
    expect(seen(fold(all))).toEqual(whole);
  });

  it("looks the same with live frames lost, merged and repeated", () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 3 })), (fates) => {
        const told = all.flatMap((line): Line[] => {
          if (isEvent(line)) return [line];
          const fate = fates.next().value;
          return fate === 0 ? [] : fate === 1 ? [line, line] : [line];
        });
        expect(seen(fold(told))).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it("looks the same in whatever batches it comes", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (sizes) => {
        let view = empty;
        let at = 0;
        for (const size of [...sizes, all.length]) {
          view = reduceAll(view, all.slice(at, at + size).map(input));
          at += size;
        }
        expect(seen(view)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it("looks the same when it is opened at its tail and paged backwards", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sizes) => {
        let first = Math.max(0, events.length - (sizes[0] ?? 1));
        const tail = events.slice(first).map(input);
        const snapshot: Input = { kind: "snapshot", header: whole.header };
        let view = reduceAll(startingAfter(first), [snapshot, ...tail]);
        for (const size of [...sizes.slice(1), events.length]) {
          const from = Math.max(0, first - size);
          view = reduce(view, { kind: "older", events: events.slice(from, first) });
          first = from;
        }
        expect(seen(view)).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  it("is not changed by hearing everything again", () => {
    const view = fold(events);
    expect(reduceAll(view, events.map(input))).toBe(view);
  });

  it("shows exactly the open requests of the log at every step", () => {
    let view = empty;
    const open = new Set<string>();
    for (const event of events) {
      view = reduce(view, { kind: "event", event });
      if (event.type === "approval.requested") open.add(event.payload.approvalId);
      if (event.type === "approval.resolved") open.delete(event.payload.approvalId);
      expect(view.header.requests.map((one) => one.id)).toEqual([...open]);
      const unresolved = (row: Row): string[] => {
        if (row.kind === "request") return row.request.resolved ? [] : [row.request.id];
        if (row.kind !== "tool") return [];
        const own = row.requests.filter((one) => !one.resolved).map((one) => one.id);
        return [...own, ...row.children.flatMap(unresolved)];
      };
      expect(rowsOf(view).flatMap(unresolved)).toEqual([...open]);
    }
  });

  it("keeps the identity of rows and chunks that an event does not touch", () => {
    let view = empty;
    for (const event of events) {
      const before = rowsOf(view);
      view = reduce(view, { kind: "event", event });
      const after = rowsOf(view);
      const changed = before.filter((row) => !after.includes(row));
      expect(changed.length).toBeLessThanOrEqual(1);
    }
  });

  it("shows text as it is written, and never more than the event has", () => {
    let view = empty;
    for (const line of all) {
      view = reduce(view, input(line));
      for (const block of view.live) {
        const event = events.find(
          (one) =>
            (one.type === "assistant.message" || one.type === "assistant.thinking") &&
            one.payload.messageId === block.messageId &&
            one.payload.block === block.block,
        );
        if (event?.type === "assistant.message" || event?.type === "assistant.thinking")
          expect(event.payload.content.startsWith(block.text)).toBe(true);
      }
    }
    expect(view.live).toEqual([]);
  });
});

describe("the fold", () => {
  const stamp = { sessionId: "ses_1", runnerId: "run_1", projectId: "prj_1", agentId: null, turn: 1 };
  const make = (list: { type: string; payload?: object; turn?: number }[]): Envelope[] =>
    list.map(
      (one, at) =>
        ({ ...stamp, ts: `2026-01-01T00:00:${at % 60}Z`, seq: at + 1, payload: {}, ...one }) as Envelope,
    );
  const delta = (after: number, offset: number, text: string): LiveFrame => ({
    sessionId: "ses_1",
    after,
    ts: "2026-01-01T00:00:00Z",
    turn: 1,
    type: "assistant.delta",
    payload: { messageId: "m", block: 0, offset, text },
  });
  const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

  it("refuses events that do not follow, and says from where to ask again", () => {
    const [first, , third] = make([{ type: "session.created" }, { type: "x" }, { type: "y" }]);
    const created = { ...first, payload: { agent: "demo", options: {} } } as unknown as Envelope;
    const view = reduce(empty, { kind: "event", event: created });
    expect(() => reduce(view, { kind: "event", event: third as Envelope })).toThrow(Gap);
    expect(view.seq).toBe(1);
  });

  it("shows all that an agent says under a name that it uses again", () => {
    const text = (content: string, turn: number) => ({
      type: "assistant.message",
      payload: { messageId: "m", block: 0, content },
      turn,
    });
    const begun = { type: "turn.started", payload: { turn: 1, origin: "user" } };
    const view = fold(make([begun, text("first", 1), text("again", 1), text("later", 2)]));
    expect(find(view, "text").map((row) => row.text)).toEqual(["first", "again", "later"]);
    expect(new Set(rowsOf(view).map((row) => row.key)).size).toBe(rowsOf(view).length);
  });

  it("puts a queued message where the agent takes it", () => {
    const events = make([
      { type: "turn.started", payload: { turn: 1, origin: "user" } },
      { type: "user.message", payload: { messageId: id(1), text: "and this", queued: true } },
      { type: "assistant.message", payload: { messageId: "m", block: 0, content: "first" } },
      { type: "message.delivered", payload: { messageId: id(1) }, turn: 2 },
      { type: "assistant.message", payload: { messageId: "n", block: 0, content: "second" }, turn: 2 },
    ]);
    const waiting = fold(events.slice(0, 3));
    expect(waiting.header.queue.map((one) => one.text)).toEqual(["and this"]);
    expect(rowsOf(waiting).map((row) => row.kind)).toEqual(["text"]);
    const next = { type: "turn.started", payload: { turn: 2, origin: "user" }, turn: 2 };
    const [begins] = make([next]) as [Envelope];
    const begun = fold([...events.slice(0, 3), { ...begins, seq: 4 }]);
    expect(begun.header.queue).toEqual([]);
    expect(underWay(begun).map((one) => one.text)).toEqual(["and this"]);
    const taken = fold(events);
    expect(taken.header.queue).toEqual([]);
    expect(underWay(taken)).toEqual([]);
    expect(rowsOf(taken).map((row) => row.kind)).toEqual(["text", "user", "text"]);
    const paged = reduce(reduceAll(startingAfter(3), events.slice(3).map(input)), {
      kind: "older",
      events: events.slice(0, 3),
    });
    expect(rowsOf(paged)).toEqual(rowsOf(taken));
  });

  it("gives a queued message the words that it has when the agent takes it", () => {
    const events = make([
      { type: "user.message", payload: { messageId: id(1), text: "and this", queued: true } },
      { type: "message.edited", payload: { messageId: id(1), text: "or that" } },
      { type: "message.delivered", payload: { messageId: id(1) } },
    ]);
    const taken = fold(events);
    expect(find(taken, "user").map((row) => row.text)).toEqual(["or that"]);
    const paged = reduce(reduceAll(startingAfter(1), events.slice(1).map(input)), {
      kind: "older",
      events: events.slice(0, 1),
    });
    expect(rowsOf(paged)).toEqual(rowsOf(taken));
  });

  it("forgets a queued message that was taken back, and says so", () => {
    const view = fold(
      make([
        { type: "user.message", payload: { messageId: id(1), text: "no", queued: true } },
        { type: "message.removed", payload: { messageId: id(1) } },
      ]),
    );
    expect(view.header.queue).toEqual([]);
    expect(find(view, "notice")).toHaveLength(1);
    expect(find(view, "user")).toHaveLength(0);
  });

  it("grows text by offset and leaves gaps to the event", () => {
    const at = (frames: LiveFrame[]) => fold(frames).live[0]?.text;
    expect(at([delta(0, 0, "Hel"), delta(0, 3, "lo")])).toBe("Hello");
    expect(at([delta(0, 0, "Hel"), delta(0, 5, "x")])).toBe("Hel");
    expect(at([delta(0, 0, "Hel"), delta(0, 0, "Hello")])).toBe("Hello");
    expect(at([delta(0, 0, "Hello"), delta(0, 2, "llo wor")])).toBe("Hello wor");
    expect(at([delta(0, 4, "lost beginning")])).toBe(undefined);
  });

  it("drops a frame that an event has passed, and clears text with its turn", () => {
    const events = make([
      { type: "turn.started", payload: { turn: 1, origin: "user" } },
      {
        type: "turn.completed",
        payload: { turn: 1, messageIds: [], durationMs: 1, stats: {}, stopReason: "end" },
      },
    ]);
    const [first, second] = events as [Envelope, Envelope];
    const live = fold([first, delta(1, 0, "half a sen")]);
    expect(live.live).toHaveLength(1);
    const ended = reduce(live, { kind: "event", event: second });
    expect(ended.live).toEqual([]);
    expect(reduce(ended, { kind: "live", frame: delta(1, 10, "tence") }).live).toEqual([]);
  });

  it("shows a type it does not know, and what the agent said that nobody knows", () => {
    const view = fold(
      make([
        { type: "weather.changed", payload: { sun: true } },
        { type: "agent.unknown", payload: { raw: { a: 1 } } },
      ]),
    );
    expect(find(view, "unknown").map((row) => row.raw)).toEqual([{ sun: true }, { a: 1 }]);
  });

  it("gives a request without a tool call a row of its own", () => {
    const asked = { approvalId: "apr_1", kind: "other", toolName: "mystery", input: {}, risk: "high" };
    const view = fold(make([{ type: "approval.requested", payload: asked }]));
    expect(find(view, "request")[0]?.request.asked.toolName).toBe("mystery");
    expect(view.header.requests).toHaveLength(1);
  });

  it("nests a sub-agent of a sub-agent, whatever page they come from", () => {
    const tool = (toolUseId: string, parentToolUseId?: string) => ({
      type: "tool.requested",
      payload: { toolUseId, name: "Agent", input: {}, label: toolUseId, parentToolUseId },
    });
    const end = (toolUseId: string) => ({
      type: "tool.completed",
      payload: { toolUseId, name: "Agent", output: toolUseId, durationMs: 1 },
    });
    const events = make([tool("a"), tool("b", "a"), tool("c", "b"), end("c"), end("b"), end("a")]);
    const whole = rowsOf(fold(events));
    expect(whole).toHaveLength(1);
    for (let cut = 1; cut < events.length; cut++) {
      const tail = reduceAll(startingAfter(cut), events.slice(cut).map(input));
      const paged = reduce(tail, { kind: "older", events: events.slice(0, cut) });
      expect(rowsOf(paged)).toEqual(whole);
    }
  });

  it("keeps chunks small and their objects while others grow", () => {
    const said = (n: number) => ({
      type: "assistant.message",
      payload: { messageId: `m${n}`, block: 0, content: String(n) },
    });
    const events = make(Array.from({ length: 220 }, (_, n) => said(n)));
    const before = fold(events.slice(0, 210));
    const after = reduceAll(before, events.slice(210).map(input));
    expect(after.chunks.map((chunk) => chunk.rows.length)).toEqual([50, 50, 50, 50, 20]);
    expect(after.chunks.slice(0, 4)).toEqual(before.chunks.slice(0, 4));
    expect(after.chunks[0]).toBe(before.chunks[0]);
  });

  it("ends what was open when the session ends", () => {
    const view = fold(
      make([
        { type: "tool.requested", payload: { toolUseId: "a", name: "Bash", input: {}, label: "Running" } },
        {
          type: "approval.requested",
          payload: { approvalId: "apr_1", kind: "tool", toolUseId: "a", risk: "low" },
        },
        { type: "session.ended", payload: { status: "stopped", reason: "ended by you" } },
      ]),
    );
    expect(view.header.state).toBe("ended");
    expect(view.header.requests).toEqual([]);
    expect(view.header.tools).toEqual([]);
  });

  it("counts the cost once when a snapshot and its events overlap", () => {
    const turn = (n: number) => ({
      type: "turn.completed",
      payload: { turn: n, messageIds: [], durationMs: 1, stats: {}, stopReason: "end", costUsd: 0.5 },
    });
    const events = make([turn(1), turn(2), turn(3)]);
    const header = { ...fold(events.slice(0, 2)).header };
    const view = reduceAll(startingAfter(1), [{ kind: "snapshot", header }, ...events.slice(1).map(input)]);
    expect(view.header.costUsd).toBeCloseTo(1.5);
  });
});
