/** How the page keeps up with an agent that writes 200 tokens a second, and how an empty page with one number does. */
import type { Page } from "@playwright/test";
import type { SessionRow } from "../../src/link/types";
import type { Daemon } from "../harness/daemon";
import { fake } from "../harness/fake";
import { expect, test } from "../harness/test";
import { composer, open, timeline, toEnd, turn } from "../harness/ui";
import { frames, watchFrames } from "./frames";
import { load, ms, note, print, quantile } from "./table";
import { traced, words } from "./trace";
import { usualText } from "./usual";

const RATE = 200;
const SECONDS = 20;
/** Tracing slows what it watches, so it has a stream of its own. */
const TRACED_SECONDS = 10;
const streams = (seconds: number): string => `rate ${RATE} per second for ${seconds} s`;

test.use({ settings: fake() });
test.afterAll(print);

async function talking(daemon: Daemon): Promise<SessionRow> {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "say Good morning." });
  await daemon.settled(session.id);
  return session;
}

function noteFrames(what: string, { gaps, long }: { gaps: number[]; long: number[] }): void {
  const part = (share: number): string => ms(quantile(gaps, share));
  note(`${what}: frame, median`, part(0.5), "", load());
  note(`${what}: frame, p95`, part(0.95), "20 ms", load());
  note(`${what}: frame, p99`, part(0.99), "", load());
  const longest = long.length > 0 ? `, longest ${ms(Math.max(...long))}` : "";
  note(`${what}: tasks over 50 ms in ${SECONDS} s`, `${long.length}${longest}`, "0", load());
}

test.describe(() => {
  test.use({ serviceWorkers: "block" });
  test("the floor: a page that follows the stream and draws a number", async ({
    page,
    daemon,
    browser,
    watch,
  }) => {
    const session = await talking(daemon);
    // Else the worker answers with the script that is to be left out.
    watch.allow(/Service Worker registration blocked/);
    // Baton's page without its script.
    await page.route("**/assets/*.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: "" }),
    );
    await page.goto("/");
    await page.evaluate((sessionId) => {
      const seen = window as unknown as { heard: number };
      seen.heard = 0;
      const socket = new WebSocket(`ws://${location.host}/api/v1/ws`);
      const say = (message: object): void => socket.send(JSON.stringify(message));
      socket.onopen = () => {
        say({ type: "hello", token: localStorage.getItem("baton.token") });
        say({ type: "subscribe", sessionId, after: 0 });
      };
      socket.onmessage = ({ data }) => {
        if (JSON.parse(data).type === "live") seen.heard += 1;
      };
      const number = document.body.appendChild(document.createElement("p"));
      const draw = (): void => {
        number.textContent = String(seen.heard);
        requestAnimationFrame(draw);
      };
      draw();
    }, session.id);
    const heard = (): Promise<number> => page.evaluate(() => (window as unknown as { heard: number }).heard);
    await daemon.say(session.id, streams(SECONDS));
    await expect.poll(heard).toBeGreaterThan(0);
    await watchFrames(page);
    await daemon.settled(session.id);
    noteFrames("a number", await frames(page));
    const before = await heard();
    const cost = await traced(browser, page, async () => {
      await daemon.say(session.id, streams(TRACED_SECONDS));
      await expect.poll(heard).toBeGreaterThan(before);
      await daemon.settled(session.id);
    });
    note("a number: main thread, per second", words(cost, TRACED_SECONDS), "", load());
  });
});

/** Somebody types; how long until each letter stands there. */
async function typing(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (const letter of "the quick brown fox jumps over the lazy dog") {
    times.push(
      await composer(page).evaluate(
        (field: HTMLTextAreaElement, letter) =>
          new Promise<number>((done) => {
            const begun = performance.now();
            field.setRangeText(letter, field.value.length, field.value.length, "end");
            field.dispatchEvent(new InputEvent("input", { bubbles: true, data: letter }));
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
          }),
        letter,
      ),
    );
  }
  return times;
}

async function streamed(what: string, page: Page, daemon: Daemon, session: SessionRow): Promise<void> {
  const browser = page.context().browser();
  if (!browser) throw new Error("there is no browser");
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  const begins = (): Promise<void> =>
    expect
      .poll(async () => (await timeline(page).locator("article.text").last().textContent())?.length)
      .toBeGreaterThan(40);
  await daemon.say(session.id, streams(SECONDS));
  await begins();
  await watchFrames(page);
  const typed = await typing(page);
  // Looking at the page would be work of its own, so the daemon is asked.
  await daemon.settled(session.id);
  await expect(turn(page, 2)).toBeVisible();
  noteFrames(what, await frames(page));
  note(`${what}: a letter typed meanwhile, p95`, ms(quantile(typed, 0.95)), "50 ms", load());
  expect(await toEnd(page), "the end stays in view").toBeLessThanOrEqual(1);
  const cost = await traced(browser, page, async () => {
    await daemon.say(session.id, streams(TRACED_SECONDS));
    await daemon.settled(session.id);
    await expect(turn(page, 3)).toBeVisible();
  });
  note(`${what}: main thread, per second`, words(cost, TRACED_SECONDS), "", load());
  note(`${what}: main thread, per batch of text`, ms(cost.total / cost.frames), "", load());
  const { styles, layouts, frames: drawn } = cost;
  note(
    `${what}: style, layout and frame callbacks, per second`,
    [styles, layouts, drawn].map((count) => Math.round(count / TRACED_SECONDS)).join(", "),
    "",
    load(),
  );
}

test("one paragraph", async ({ page, daemon }) => {
  await streamed("one paragraph", page, daemon, await talking(daemon));
});

test("usual text", async ({ page, daemon }) => {
  const session = await talking(daemon);
  await usualText(page);
  await streamed("usual text", page, daemon, session);
});
