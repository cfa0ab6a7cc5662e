import { beforeEach, describe, expect, it, vi } from "vitest";
import { seen } from "../../store/seen";
import { Unread } from "./unread.svelte";

const kept = new Map<string, string>();
vi.stubGlobal("localStorage", {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => kept.set(key, value),
});

describe("what is new", () => {
  beforeEach(() => kept.clear());

  it("is nothing on the first visit", () => {
    expect(new Unread("s", 10, 1).line).toBeUndefined();
  });

  it("is what came since the session was left", () => {
    const first = new Unread("s", 10, 1);
    first.update(true, 12, 2);
    first.leave();
    expect(new Unread("s", 12, 3).line).toBeUndefined();
    expect(new Unread("s", 20, 3).line).toMatchObject({ seq: 12, at: 2 });
  });

  it("is what came while the page was hidden", () => {
    const one = new Unread("s", 10, 1);
    one.update(true, 11, 2);
    one.update(false, 11, 3);
    one.update(false, 15, 4);
    one.update(true, 15, 5);
    expect(one.line).toMatchObject({ seq: 11, at: 2 });
  });

  it("is nothing when nothing came meanwhile", () => {
    const one = new Unread("s", 10, 1);
    one.update(false, 10, 2);
    one.update(true, 10, 3);
    one.update(true, 14, 4);
    expect(one.line).toBeUndefined();
  });

  it("does not count as seen what came below a reader", () => {
    const one = new Unread("s", 10, 1);
    one.update(true, 10, 2);
    one.update(false, 18, 3);
    one.leave();
    expect(seen.of("s")).toMatchObject({ seq: 10, at: 2 });
  });

  it("is kept for the sessions that were looked at last", () => {
    for (let at = 0; at < 250; at++) seen.note(`s${at}`, { seq: at, at, turns: 0 });
    expect(seen.of("s249")).toMatchObject({ seq: 249, at: 249 });
    expect(seen.of("s10")).toBeUndefined();
  });

  it("is told by turns too, for lists that know no more", () => {
    const one = new Unread("s", 10, 1, 2);
    one.leave();
    expect(seen.of("s")?.turns).toBe(2);
    one.update(true, 15, 2, 3);
    one.update(false, 20, 3, 4);
    one.leave();
    expect(seen.of("s")?.turns).toBe(3);
  });

  it("is nothing for what was kept before turns were", () => {
    kept.set("baton.seen", JSON.stringify({ s: [10, 1] }));
    expect(seen.of("s")?.turns).toBe(Number.POSITIVE_INFINITY);
  });
});
