import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Ready } from "./ready";
import type { Warm } from "./types";

let said: Warm[] = [];
let ready: Ready;
let visible: DocumentVisibilityState = "visible";

beforeEach(() => {
  vi.useFakeTimers();
  visible = "visible";
  vi.stubGlobal("document", {
    get visibilityState() {
      return visible;
    },
  });
  said = [];
  ready = new Ready((wanted) => said.push(wanted));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const shop = (model: string): Warm => ({ project: "shop", session: { model } });

test("the last choice is told once it is settled, and then again and again", () => {
  ready.want(shop("opus"));
  ready.want(shop("sonnet"));
  expect(said).toEqual([]);
  vi.advanceTimersByTime(500);
  expect(said).toEqual([shop("sonnet")]);
  ready.want(shop("sonnet"));
  vi.advanceTimersByTime(45_000);
  expect(said).toEqual([shop("sonnet"), shop("sonnet"), shop("sonnet")]);
});

test("who leaves says so, if anything was told", () => {
  ready.want(shop("opus"));
  ready.leave();
  expect(said).toEqual([]);
  ready.want(shop("opus"));
  vi.advanceTimersByTime(500);
  ready.leave();
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual([shop("opus"), { project: "shop" }]);
});

test("where nothing can be begun any more it is let go of", () => {
  ready.want(shop("opus"));
  vi.advanceTimersByTime(500);
  ready.want(undefined);
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual([shop("opus"), { project: "shop" }]);
});

test("a page that nobody sees is silent, and says it at once when it is seen again", () => {
  ready.want(shop("opus"));
  vi.advanceTimersByTime(500);
  visible = "hidden";
  vi.advanceTimersByTime(100_000);
  expect(said).toHaveLength(1);
  visible = "visible";
  ready.again();
  vi.advanceTimersByTime(0);
  expect(said).toHaveLength(2);
});
