/** How fast the page is: to open, to open a huge session, and what it keeps in memory. */
import type { Page } from "@playwright/test";
import type { Daemon } from "../harness/daemon";
import { fake } from "../harness/fake";
import { expect, test } from "../harness/test";
import { open, timeline, turn } from "../harness/ui";
import { frames, watchFrames } from "./frames";
import { load, mb, ms, note, print, quantile, spread } from "./table";

const ROUNDS = 5;
const EVENTS = 50_000;
/** What an hour of steady work is taken to be: 50 tokens a second, and a tool call every six seconds. */
const HOUR = { turns: 30, tokens: 6_000, tools: 20 };

test.use({ settings: fake() });
test.afterAll(print);

/** Time from the beginning of a navigation until a message can be typed and the last row is on the screen. */
async function opened(page: Page, path: string): Promise<number> {
  await page.addInitScript(() => {
    const seen = window as unknown as { ready?: number };
    const look = () => {
      const rows = document.querySelectorAll("[data-key]");
      const field = document.querySelector("textarea[aria-label=Message]");
      if (rows.length > 0 && field && seen.ready === undefined) {
        // Painted, and the main thread is free again.
        requestAnimationFrame(() => setTimeout(() => (seen.ready ??= performance.now())));
      } else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(path);
  await page.waitForFunction(() => (window as unknown as { ready?: number }).ready !== undefined);
  return page.evaluate(() => (window as unknown as { ready: number }).ready);
}

async function heap(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize;
}

async function grown(daemon: Daemon): Promise<string> {
  const project = await daemon.project("ledger", { "a.txt": "one\n" });
  const session = await daemon.session(project, { agent: "claude" });
  const lines = Array.from(
    { length: 300 },
    (_, at) => `say Line ${at} of many, as people see them.\nread a.txt`,
  );
  let { eventCount } = await daemon.view(session.id);
  while (eventCount < EVENTS) {
    await daemon.say(session.id, lines.join("\n"));
    await expect
      .poll(async () => (await daemon.view(session.id)).state, { timeout: 10 * 60_000 })
      .toBe("idle");
    eventCount = (await daemon.view(session.id)).eventCount;
  }
  return session.id;
}

test("time to interactive", async ({ page, daemon, another }) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "say Good morning." });
  await daemon.settled(session.id);
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { page: fresh, context } = await another();
    // Signing in has fetched the page already: a first visit has nothing.
    await fresh.evaluate(async () => {
      for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();
      for (const name of await caches.keys()) await caches.delete(name);
    });
    const devtools = await context.newCDPSession(fresh);
    await devtools.send("Network.clearBrowserCache");
    cold.push(await opened(fresh, `/s/${session.id}`));
    warm.push(await opened(fresh, `/s/${session.id}`));
    await context.close();
  }
  await open(page, session);
  note("a session, first visit, to interactive", spread(cold, ms), "", load());
  note("the same, second visit", spread(warm, ms), "", load());
});

test("a session of 50,000 events", async ({ page, daemon }) => {
  const id = await grown(daemon);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await opened(page, `/s/${id}`));
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  note("a session of 50,000 events, to interactive", spread(times, ms), "300 ms", load());
  note("elements in the page then", String(nodes), "", load());
  await watchFrames(page);
  const box = await timeline(page).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
  for (let step = 0; step < 100; step++) await page.mouse.wheel(0, -600);
  const { gaps } = await frames(page);
  note("frame while scrolling back through it, p95", ms(quantile(gaps, 0.95)), "", load());
});

test("an hour's worth of events", async ({ page, daemon }) => {
  const project = await daemon.project("ledger", { "a.txt": "one\n" });
  const session = await daemon.session(project, { agent: "claude", prompt: "say Good morning." });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  const before = await heap(page);
  const prompt = [`tok ${HOUR.tokens}`, ...Array.from({ length: HOUR.tools }, () => "read a.txt")].join("\n");
  for (let number = 0; number < HOUR.turns; number++) {
    await daemon.say(session.id, prompt);
    await expect(turn(page, number + 2)).toBeVisible({ timeout: 120_000 });
  }
  const after = await heap(page);
  const { eventCount } = await daemon.view(session.id);
  note("heap of the page at the beginning", mb(before), "", load());
  note(`heap after ${HOUR.turns * HOUR.tokens} tokens and ${eventCount} events`, mb(after), "", load());
  note("growth in an hour's worth", mb(after - before), "5 MB", load());
});
