import { describe, expect, it } from "vitest";
import type { Envelope } from "../gen/events";
import { againAt } from "./again";
import { retryOf } from "./failure";
import { reduceAll } from "./reduce";
import { doingWords } from "./running";
import { empty, startingAfter, type UserRow, type View } from "./view";
import { headerWord, receiptWord, retryWord } from "./words";

type Told = readonly [type: string, payload: object, turn?: number];

const events = (told: readonly Told[]): Envelope[] =>
  told.map(
    ([type, payload, turn = 1], at) =>
      ({ type, payload, seq: at + 1, ts: `2026-01-01T00:00:0${at}Z`, turn }) as unknown as Envelope,
  );
const view = (...told: Told[]): View =>
  reduceAll(
    empty,
    events(told).map((event) => ({ kind: "event", event })),
  );
const idle: Told = ["session.state", { state: "idle" }];
const said = (id: string, text = "do it"): Told => ["user.message", { messageId: id, text }];
const taken = (id: string): Told => ["message.delivered", { messageId: id }];
const over = (ids: string[], news: object = {}, turn = 1): Told => [
  "turn.completed",
  { turn, messageIds: ids, stopReason: "end", durationMs: 1, stats: {}, ...news },
  turn,
];
const failed = { stopReason: "error", isError: true };
const error = (retryable: boolean): Told => ["error", { code: "network", message: "no", retryable }];
const users = (of: View): UserRow[] =>
  of.chunks.flatMap((chunk) => chunk.rows).filter((row) => row.kind === "user");

/** What is offered, by the row where it is. */
const offers = (of: View, waiting: { text: string; attachments: { name: string }[] }[] = []) =>
  Object.fromEntries(
    of.chunks
      .flatMap((chunk) => chunk.rows)
      .flatMap(({ key }) => {
        const offer = againAt(of, waiting, key);
        return offer ? [[key, [offer.words, ...offer.messages.map((one) => one.text)]]] : [];
      }),
  );

describe("a turn that failed", () => {
  it("is neither answered nor idle", () => {
    const after = view(["turn.started", { turn: 1 }], said("a"), taken("a"), over(["a"], failed), idle);
    expect(users(after).map(receiptWord)).toEqual(["Failed"]);
    expect(headerWord(after.header)).toEqual({ text: "Failed", tone: "danger" });
    const next = view(said("a"), over(["a"], failed), idle, ["turn.started", { turn: 2 }, 2], idle);
    expect(headerWord(next.header).text).toBe("Idle");
  });

  it("has other words where it was stopped or reached a limit", () => {
    const word = (news: object) => users(view(said("a"), taken("a"), over(["a"], news))).map(receiptWord)[0];
    expect(word({})).toBe("Answered");
    expect(word({ stopReason: "interrupted" })).toBe("Stopped");
    expect(word({ stopReason: "budget", isError: true })).toBe("Not finished");
    expect(word({ isError: true })).toBe("Failed");
  });

  it("is offered again with what the agent had of it, where the error says that it helps", () => {
    const both = [said("a", "one"), taken("a"), said("b", "two"), taken("b")];
    const told = view(...both, error(true), over(["a", "b"], failed), idle);
    expect(offers(told)).toEqual({ "e:5": ["Try again", "one", "two"] });
    const hopeless = view(said("a"), taken("a"), error(false), over(["a"], failed), idle);
    expect(offers(hopeless)).toEqual({ "n:1": ["Try again", "do it"] });
  });

  it("is not offered again while something goes on, or once something else was asked or answered", () => {
    const told = [said("a"), taken("a"), over(["a"], failed)];
    expect(offers(view(...told, idle))).not.toEqual({});
    expect(offers(view(...told))).toEqual({});
    expect(offers(view(...told, idle), [{ text: "other", attachments: [] }])).toEqual({});
    expect(offers(view(...told, said("b"), idle))).toEqual({});
    expect(offers(view(...told, said("b"), taken("b"), over(["b"], {}, 2), idle))).toEqual({});
    expect(offers(view(said("a"), taken("a"), over(["a"]), idle))).toEqual({});
    expect(offers(view(over([], failed), idle))).toEqual({});
  });
});

describe("a message that the agent never had", () => {
  const file = { name: "a.txt", mediaType: "text/plain", bytes: 3 };

  it("says so, and is offered by itself, not with its turn", () => {
    const told = view(
      said("a", "one"),
      taken("a"),
      said("b", "two"),
      error(true),
      over(["a", "b"], failed),
      idle,
    );
    expect(users(told).map(receiptWord)).toEqual(["Failed", "Not delivered"]);
    expect(offers(told)).toEqual({ "e:4": ["Try again", "one"], "u:b": ["Send again", "two"] });
    const spent = view(said("a"), over(["a"], { stopReason: "budget", isError: true }), idle);
    expect(offers(spent)).toEqual({ "u:a": ["Send again", "do it"] });
  });

  it("is not offered where a person stopped it, or while its turn goes on", () => {
    expect(offers(view(said("a"), over(["a"], { stopReason: "interrupted" }), idle))).toEqual({});
    expect(offers(view(["turn.started", { turn: 1 }], said("a")))).toEqual({});
  });

  it("is offered until the same was sent again, whatever else was said", () => {
    const lost = [said("a"), over(["a"], failed)];
    const offered = { "u:a": ["Send again", "do it"] };
    const other = [said("b", "other"), taken("b"), over(["b"], {}, 2)];
    expect(offers(view(...lost, ...other, idle))).toEqual(offered);
    expect(offers(view(...lost, idle), [{ text: "do it", attachments: [] }])).toEqual({});
    expect(offers(view(...lost, idle), [{ text: "do it", attachments: [file] }])).toEqual(offered);
    expect(offers(view(...lost, said("b")))).toEqual({});
    const queued: Told = ["user.message", { messageId: "b", text: "do it", queued: true }];
    expect(offers(view(...lost, queued))).toEqual({});
    expect(offers(view(...lost, queued, ["message.removed", { messageId: "b" }]))).toEqual(offered);
    // And again if that fared no better: once, at the later one.
    expect(offers(view(...lost, said("b"), over(["b"], failed, 2), idle))).toEqual({
      "u:b": ["Send again", "do it"],
    });
  });

  it("keeps its words when its session ended before its turn came", () => {
    const queued: Told = ["user.message", { messageId: "b", text: "and this", queued: true }];
    const told: Told[] = [queued, ["message.removed", { messageId: "b", reason: "the session ended" }], idle];
    const whole = view(...told);
    expect(users(whole).map(receiptWord)).toEqual(["Not delivered"]);
    expect(offers(whole)).toEqual({ "u:b": ["Send again", "and this"] });
    // As well when its words come with an earlier page.
    const [first, ...rest] = events(told);
    const tail = reduceAll(
      startingAfter(1),
      rest.map((event) => ({ kind: "event", event })),
    );
    expect(offers(tail)).toEqual({});
    const paged = reduceAll(tail, [{ kind: "older", events: first ? [first] : [] }]);
    expect(paged.chunks.flatMap((chunk) => chunk.rows)).toEqual(whole.chunks.flatMap((chunk) => chunk.rows));
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
    // In lists too, with until when.
    const due = "2026-01-01T10:00:30Z";
    const retry = { attempt: 2, maxAttempts: 10, reason: "overloaded (529)", due };
    const row = { retry, lastLabel: "Trying again (2 of 10): overloaded (529)", work: [] };
    const told = (second: number): string => doingWords(row, Date.parse(due) - second * 1000);
    expect(told(20)).toBe("Next try (2 of 10) in 20 s: the model’s service is overloaded (529)");
    expect(told(0)).toBe("Trying again (2 of 10): the model’s service is overloaded (529)");
    expect(doingWords({ lastLabel: "Running a", work: [] }, 0)).toBe("Running a");
  });
});
