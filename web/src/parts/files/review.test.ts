import { beforeEach, expect, test, vi } from "vitest";
import type { FileDiff } from "../../link/records";
import { keep, recall } from "../../store/db";

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
});

const row = (text: string, at: number) => ({ kind: "same" as const, new: at, text });
const rows = [row("one", 1), row("two", 2)];

test("a comment that is kept while others are on their way stays", async () => {
  const { Review } = await import("./review.svelte");
  let answer: (made: Response) => void = () => {};
  vi.stubGlobal("fetch", () => new Promise<Response>((done) => (answer = done)));
  const review = new Review("shop");
  review.start("a.rs", 0);
  review.text = "First.";
  const sending = review.send(rows);
  await Promise.resolve();

  review.start("a.rs", 1);
  review.text = "Second.";
  review.keep(rows);
  review.start("a.rs", 0);
  review.text = "Third, half writ";
  answer(Response.json({ id: "ses_1", projectId: "prj_1", lastActivityAt: "" }, { status: 201 }));
  await sending;
  expect(review.kept.map(({ text }) => text)).toEqual(["Second."]);
  expect(review.text).toBe("Third, half writ");
});

test("a comment is on the lines that were chosen, also where others stand there by now", async () => {
  const { Review } = await import("./review.svelte");
  const review = new Review("lines");
  review.start("a.rs", 1);
  expect(review.lines(rows).map(({ text }) => text)).toEqual(["two"]);
  const later = [row("zero", 1), row("one", 2), row("two", 3)];
  expect(review.lines(later).map(({ text }) => text)).toEqual(["two"]);
  review.text = "Why?";
  review.keep(later);
  expect(review.kept).toMatchObject([{ from: 2, to: 2, code: "two", text: "Why?" }]);
  review.start("a.rs", 1);
  expect(review.lines(later).map(({ text }) => text)).toEqual(["one"]);
});

test("comments that were kept before are not lost to one that is kept before they are read", async () => {
  const { Review } = await import("./review.svelte");
  const old = { id: "1", path: "a.rs", from: 1, to: 1, side: "new", code: "one", text: "Old." };
  await keep("drafts", "review:store", { text: JSON.stringify([old]), attachments: [] });
  const review = new Review("store");
  review.start("a.rs", 1);
  review.text = "New.";
  review.keep(rows);
  await expect.poll(() => review.kept.map(({ text }) => text)).toEqual(["Old.", "New."]);
  await expect.poll(async () => (await recall("drafts", "review:store"))?.text).toContain("Old.");
});

test("a change that is not told whole is not marked as viewed: nobody could tell when it changes", async () => {
  const { Viewed } = await import("./viewed.svelte");
  const viewed = new Viewed("shop");
  const file = { path: "a.rs", kind: "text", hunks: [], truncated: false, status: "modified" } as FileDiff;
  viewed.mark(file, true);
  expect(viewed.has(file)).toBe(true);
  const cut = { ...file, path: "b.rs", truncated: true };
  viewed.mark(cut, true);
  expect([viewed.can(cut), viewed.has(cut)]).toEqual([false, false]);
});
