import { describe, expect, it } from "vitest";
import type { Envelope, MemoryLost, Remedy } from "../gen/events";
import { memoryAsked, memoryWord } from "./memory";
import { reduceAll } from "./reduce";
import { empty, type View } from "./view";

type Told = readonly [type: string, payload: object];

const view = (...told: Told[]): View =>
  reduceAll(
    empty,
    told.map(([type, payload], at) => ({
      kind: "event",
      event: { type, payload, seq: at + 1, ts: "2026-01-01T00:00:00Z", turn: 1 } as unknown as Envelope,
    })),
  );
const lost = (remedy: Remedy, after = 1): Told => [
  "session.updated",
  { memoryLost: { reason: "gone", remedy, after } },
];
const told: Told = ["notification", { kind: "memory", title: "t", message: "run `baton send --memory log`" }];
const message: Told = ["user.message", { messageId: "a", text: "go on" }];
const failed: Told = [
  "turn.completed",
  { turn: 1, messageIds: ["a"], stopReason: "error", isError: true, durationMs: 1, stats: {} },
];
const error: Told = ["error", { code: "agent_refused", message: "no", retryable: true }];
const ended: Told = ["session.ended", { status: "asleep" }];
const asked = (...all: Told[]): number | undefined => memoryAsked(view(...all).chunks)?.after;

describe("a past that the agent lacks", () => {
  it("is told once, in the page's own words", () => {
    const rows = view(["session.updated", { title: "x" }], lost("log"), told).chunks.flatMap(
      (one) => one.rows,
    );
    expect(rows.map((row) => row.key)).toEqual(["e:2"]);
    const words = (["gone", "behind", "torn"] as const).flatMap((reason) =>
      (["log", "none", "refuse"] as const).map((remedy) => memoryWord({ reason, remedy, after: 0 })),
    );
    expect(new Set(words).size).toBe(9);
    expect(words.join()).not.toMatch(/undefined|baton send/);
    // A newer daemon may know other reasons.
    const other = { reason: "stolen", remedy: "none", after: 0 } as unknown as MemoryLost;
    expect(memoryWord(other)).toBe("The agent lacks a part of the past. It goes on without.");
  });

  it("waits for a choice until one was made, or the agent was given something", () => {
    expect(asked(lost("refuse"), told)).toBe(1);
    expect(asked(lost("log"), told)).toBeUndefined();
    expect(asked(message, lost("refuse"), told, lost("none"), told)).toBeUndefined();
    expect(asked(lost("refuse"), told, message)).toBeUndefined();
    expect(asked(lost("none"), told, message, lost("refuse", 7), told)).toBe(7);
    expect(asked()).toBeUndefined();
  });

  it("still waits after the turn that it kept from going on, and while the session sleeps", () => {
    expect(asked(message, lost("refuse"), told, error, failed, ended)).toBe(1);
    const queued: Told = ["user.message", { messageId: "b", text: "and", queued: true }];
    const dropped: Told = ["message.removed", { messageId: "b", reason: "the session ended" }];
    expect(asked(queued, lost("refuse"), told, dropped, ended)).toBe(1);
  });
});
