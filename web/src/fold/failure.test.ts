import { describe, expect, it } from "vitest";
import type { Envelope } from "../gen/events";
import { lastFailure } from "./again";
import { retryOf } from "./failure";
import { reduceAll } from "./reduce";
import { empty, type UserRow, type View } from "./view";
import { headerWord, receiptWord, retryWord } from "./words";

type Told = readonly [type: string, payload: object, turn?: number];

const view = (...told: Told[]): View =>
  reduceAll(
    empty,
    told.map(([type, payload, turn = 1], at) => ({
      kind: "event",
      event: { type, payload, seq: at + 1, ts: `2026-01-01T00:00:0${at}Z`, turn } as unknown as Envelope,
    })),
  );
const idle: Told = ["session.state", { state: "idle" }];
const said = (id: string, text = "do it"): Told => ["user.message", { messageId: id, text }];
const over = (ids: string[], news: object = {}, turn = 1): Told => [
  "turn.completed",
  { turn, messageIds: ids, stopReason: "end", durationMs: 1, stats: {}, ...news },
  turn,
];
const failed = { stopReason: "error", isError: true };
const error = (retryable: boolean): Told => ["error", { code: "network", message: "no", retryable }];
const users = (of: View): UserRow[] =>
  of.chunks.flatMap((chunk) => chunk.rows).filter((row) => row.kind === "user");

describe("a turn that failed", () => {
  it("is neither answered nor idle", () => {
    const after = view(["turn.started", { turn: 1 }], said("a"), over(["a"], failed), idle);
    expect(users(after).map(receiptWord)).toEqual(["Failed"]);
    expect(headerWord(after.header)).toEqual({ text: "Failed", tone: "danger" });
    const next = view(said("a"), over(["a"], failed), idle, ["turn.started", { turn: 2 }, 2], idle);
    expect(headerWord(next.header).text).toBe("Idle");
  });

  it("has other words where it was stopped or reached a limit", () => {
    const word = (news: object) => users(view(said("a"), over(["a"], news))).map(receiptWord)[0];
    expect(word({})).toBe("Answered");
    expect(word({ stopReason: "interrupted" })).toBe("Stopped");
    expect(word({ stopReason: "budget", isError: true })).toBe("Not finished");
    expect(word({ isError: true })).toBe("Failed");
  });

  it("is offered again with what it was asked, where the error says that it helps", () => {
    const told = view(said("a", "one"), said("b", "two"), error(true), over(["a", "b"], failed));
    expect(lastFailure(told.chunks)).toMatchObject({
      turn: 1,
      at: "e:3",
      messages: [{ text: "one" }, { text: "two" }],
    });
    const hopeless = view(said("a"), error(false), over(["a"], failed));
    expect(lastFailure(hopeless.chunks)?.at).toBe("n:1");
  });

  it("is not offered again once something else was asked, or answered", () => {
    const again = view(said("a"), over(["a"], failed), said("b"));
    expect(lastFailure(again.chunks)).toBeUndefined();
    const answered = view(said("a"), over(["a"], failed), said("b"), over(["b"], {}, 2));
    expect(lastFailure(answered.chunks)).toBeUndefined();
    expect(lastFailure(view(said("a"), over(["a"])).chunks)).toBeUndefined();
    expect(lastFailure(view(over([], failed)).chunks)).toBeUndefined();
  });
});

describe("a try that failed", () => {
  const retry: Told = [
    "agent.retry",
    { attempt: 2, delayMs: 8000, reason: "overloaded (529)", maxAttempts: 10 },
  ];

  it("is told until the agent says something else", () => {
    const due = Date.parse("2026-01-01T00:00:01Z") + 8000;
    const waiting = view(said("a"), retry);
    expect(retryOf(waiting.chunks)).toEqual({ attempt: 2, most: 10, reason: "overloaded (529)", due });
    expect(retryOf(view(said("a"), retry, said("b")).chunks)?.attempt).toBe(2);
    const through = view(said("a"), retry, [
      "assistant.message",
      { messageId: "m", block: 0, content: "hi" },
    ]);
    expect(retryOf(through.chunks)).toBeUndefined();
  });

  it("is told in words where they are known", () => {
    expect(retryWord("authentication_failed (401)")).toBe("the sign-in was refused (401)");
    expect(retryWord("overloaded")).toBe("the model’s service is overloaded");
    expect(retryWord("HTTP 418")).toBe("HTTP 418");
  });
});
