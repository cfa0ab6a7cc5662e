/** Who moves the timeline: points 18 to 24 of the guide. The oracle is always where rows stand on the screen. */
import type { Page } from "@playwright/test";
import type { Daemon } from "./harness/daemon";
import { expect, test } from "./harness/test";
import { choose, composer, firstRow, open, say, timeline, toEnd, turn } from "./harness/ui";
import { UNREACHABLE, type Watch } from "./harness/watch";

const SLOWLY = 20;

/** A session that is longer than any screen; `slow` says each number in a message of its own. */
async function long(daemon: Daemon, turns = 2): Promise<{ id: string }> {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "slow" });
  for (let more = 1; more < turns; more++) await daemon.say(session.id, "slow");
  await daemon.settled(session.id);
  return session;
}

/** The demo's pace is the daemon's, which is started anew; who asks it meanwhile is not answered. */
async function slowDown(page: Page, daemon: Daemon, watch: Watch, ms: number): Promise<void> {
  watch.allow(...UNREACHABLE);
  await page.goto("about:blank");
  await daemon.pace(ms);
}

/** The same, while its agent goes on counting. */
async function streaming(page: Page, daemon: Daemon, watch: Watch, turns = 1): Promise<{ id: string }> {
  const session = await long(daemon, turns);
  await slowDown(page, daemon, watch, SLOWLY);
  await open(page, session);
  await expect(turn(page, turns)).toBeVisible();
  await daemon.say(session.id, "slow");
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  return session;
}

const following = (page: Page) => expect.poll(() => toEnd(page)).toBeLessThanOrEqual(1);

/** Waits until a movement that was begun has come to its end: the browser glides where a key or a wheel asked it to. */
const still = (page: Page) =>
  timeline(page).evaluate(
    (box) =>
      new Promise<void>((done) => {
        let [last, same] = [box.scrollTop, 0];
        const look = (): void => {
          same = box.scrollTop === last ? same + 1 : 0;
          last = box.scrollTop;
          if (same < 15) requestAnimationFrame(look);
          else done();
        };
        requestAnimationFrame(look);
      }),
  );
const jump = (page: Page) => page.getByRole("button", { name: /^(Latest|\d+ new|Needs you)$/ });

/** Watches a row on every frame until told; the answer is how far it ever was from where it began. */
async function heldStill(page: Page, key: string, meanwhile: () => Promise<void>): Promise<void> {
  const watching = timeline(page).evaluate(async (scroller, row) => {
    const where = () =>
      scroller.querySelector(`[data-key="${CSS.escape(row)}"]`)?.getBoundingClientRect().top;
    const began = where() ?? Number.NaN;
    let worst = 0;
    while (!("batonEnough" in window)) {
      await new Promise(requestAnimationFrame);
      const now = where();
      worst = Math.max(worst, now === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - began));
    }
    delete (window as { batonEnough?: boolean }).batonEnough;
    return worst;
  }, key);
  await meanwhile();
  await page.evaluate(() => Object.assign(window, { batonEnough: true }));
  expect(await watching).toBeLessThanOrEqual(1);
}

/** Waits until so many more events are in the log. */
async function goesOn(daemon: Daemon, id: string, by: number): Promise<void> {
  const { eventCount } = await daemon.view(id);
  await expect.poll(async () => (await daemon.view(id)).eventCount).toBeGreaterThanOrEqual(eventCount + by);
}

/** Point 18. */
test("the first paint of a session is at its end", async ({ page, daemon }) => {
  const session = await long(daemon);
  await page.addInitScript(() => {
    const seen: number[] = [];
    Object.assign(window, { batonSeen: seen });
    const look = (): void => {
      const box = document.querySelector("[aria-label=Timeline]");
      if (box?.querySelector("[data-key]")) seen.push(box.scrollHeight - box.clientHeight - box.scrollTop);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await open(page, session);
  await expect(turn(page, 2)).toBeInViewport();
  const seen = await page.evaluate(() => (window as unknown as { batonSeen: number[] }).batonSeen);
  expect(seen.length).toBeGreaterThan(0);
  expect(Math.max(...seen)).toBeLessThanOrEqual(1);
});

/** Points 19 and 20. */
test("who reads is not moved by what is said meanwhile, and follows again at the end", async ({
  page,
  daemon,
  watch,
}) => {
  const session = await streaming(page, daemon, watch);
  await following(page);
  await timeline(page).evaluate((box) => box.scrollBy(0, -400));
  await expect(jump(page)).toBeVisible();
  const { key } = await firstRow(page);
  await heldStill(page, key, () => goesOn(daemon, session.id, 8));
  await jump(page).click();
  await expect(jump(page)).toBeHidden();
  await following(page);
  await goesOn(daemon, session.id, 2);
  await following(page);
});

/** Point 20. */
test("wheel, keys, touch and find leave the end, and reaching it follows again", async ({
  page,
  context,
  daemon,
  watch,
  isMobile,
}) => {
  await streaming(page, daemon, watch);
  const back = async (): Promise<void> => {
    await expect(jump(page)).toBeVisible();
    await still(page);
    // The end moves on while one goes there.
    await expect(async () => {
      await timeline(page).evaluate((box) => box.scrollTo(0, box.scrollHeight));
      await expect(jump(page)).toBeHidden({ timeout: 500 });
    }).toPass();
    await following(page);
  };
  const box = (await timeline(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await following(page);
  if (isMobile) {
    const finger = await context.newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", dy = 0) =>
      finger.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: type === "touchEnd" ? [] : [{ x: middle.x, y: middle.y + dy }],
      });
    await touch("touchStart");
    for (let dy = 20; dy <= 240; dy += 20) await touch("touchMove", dy);
    // A finger that rests before it lifts leaves no swing, which would go on up while the test goes down.
    for (let rest = 0; rest < 4; rest++) {
      await page.waitForTimeout(60);
      await touch("touchMove", 240);
    }
    await touch("touchEnd");
    await back();
  } else {
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.wheel(0, -250);
    await back();
    await timeline(page).focus();
    await page.keyboard.press("PageUp");
    await back();
  }
  await choose(page, page.getByRole("button", { name: "Session menu" }), /Find/);
  await page.getByLabel("Words to find").fill("count slowly");
  await page
    .getByRole("button", { name: /count slowly/ })
    .last()
    .click();
  await expect(timeline(page).getByText("I will count slowly.").first()).toBeInViewport();
  await back();
});

/** Point 21. */
test("an own message goes to the top, and another's does not move a reader", async ({ page, daemon }) => {
  const session = await long(daemon);
  await open(page, session);
  await expect(turn(page, 2)).toBeVisible();
  // Its answer must leave room for it.
  await say(page, "think");
  const mine = timeline(page)
    .locator("[data-message]")
    .filter({ hasText: /^think/ });
  await expect(turn(page, 3)).toBeVisible();
  const top = (await timeline(page).boundingBox())?.y ?? 0;
  await expect
    .poll(async () => Math.round(((await mine.boundingBox())?.y ?? 0) - top))
    .toBeLessThanOrEqual(40);
  await expect(mine).toBeInViewport();
  await timeline(page).evaluate((box) => box.scrollBy(0, -600));
  await expect(jump(page)).toBeVisible();
  const { key } = await firstRow(page);
  await heldStill(page, key, async () => {
    await daemon.say(session.id, "text");
    await expect(jump(page)).toHaveText(/new/);
    await daemon.settled(session.id);
  });
});

/** Point 22. */
test("what is new below is counted, and a request is marked and gone to", async ({ page, daemon }) => {
  const session = await long(daemon);
  await open(page, session);
  await expect(turn(page, 2)).toBeVisible();
  await timeline(page).evaluate((box) => box.scrollBy(0, -600));
  await expect(jump(page)).toHaveText("Latest");
  const rows = () =>
    timeline(page)
      .locator("[data-key]")
      .evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.key));
  const before = new Set(await rows());
  await daemon.say(session.id, "help");
  await daemon.settled(session.id);
  await expect(turn(page, 3)).toBeAttached();
  const fresh = (await rows()).filter((key) => !before.has(key));
  expect(fresh).toHaveLength(3);
  await expect(jump(page)).toHaveText("3 new");
  await daemon.say(session.id, "approval");
  await daemon.asked(session.id);
  await expect(jump(page)).toHaveText("Needs you");
  const colour = () => jump(page).evaluate((one) => getComputedStyle(one).backgroundColor);
  const you = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "var(--you)";
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  });
  await expect.poll(colour).toBe(you);
  await jump(page).click();
  await expect(page.getByRole("heading", { name: "Write baton-demo.txt?" })).toBeInViewport();
});

/** Point 23. */
test("earlier messages are loaded while the agent goes on, and what is read stays", {
  tag: "@desktop",
}, async ({ page, daemon, watch }) => {
  const session = await streaming(page, daemon, watch, 8);
  const { eventCount } = await daemon.view(session.id);
  expect(eventCount).toBeGreaterThan(450);
  // Up in steps, as a person does, until the beginning is there.
  await expect(async () => {
    const { key, top } = await firstRow(page);
    await timeline(page).evaluate((box) => box.scrollBy(0, -300));
    const after = await timeline(page)
      .locator(`[data-key="${key}"]`)
      .evaluate((row) => row.getBoundingClientRect().top);
    expect(after - top).toBeGreaterThanOrEqual(0);
    await expect(
      timeline(page).locator("[data-message]").filter({ hasText: /^slow/ }).first(),
    ).toBeInViewport({ timeout: 1 });
    await expect(timeline(page).getByText("Loading earlier messages…")).toBeHidden({ timeout: 1 });
    // Dozens of steps, and pages to be fetched between them.
  }).toPass({ intervals: [20], timeout: 120_000 });
  const { key } = await firstRow(page);
  await heldStill(page, key, () => goesOn(daemon, session.id, 3));
});

/** Point 24. */
test("streamed markdown becomes the final markdown without being made anew", { tag: "@desktop" }, async ({
  page,
  daemon,
  watch,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "help" });
  await daemon.settled(session.id);
  await slowDown(page, daemon, watch, 60);
  await open(page, session);
  await composer(page).fill("text");
  await page.getByRole("button", { name: "Send" }).click();
  const first = timeline(page).locator("p").filter({ hasText: "Markdown with emphasis" });
  await expect(timeline(page).getByRole("listitem").filter({ hasText: "second" })).toBeVisible();
  const node = await first.elementHandle();
  await expect(turn(page, 2)).toBeVisible();
  expect(await first.evaluate((now, then) => now === then, node)).toBe(true);
  const answer = timeline(page).locator("article").filter({ hasText: "Markdown with emphasis" });
  await expect(answer.locator("code").filter({ hasText: "println" })).toBeVisible();
  const plain = (): Promise<string> =>
    answer.evaluate((one) => {
      const copy = one.cloneNode(true) as HTMLElement;
      for (const gone of copy.querySelectorAll("button")) gone.remove();
      // Colours come later, and change nothing but colours.
      for (const mark of copy.querySelectorAll("code span")) mark.replaceWith(...mark.childNodes);
      copy.normalize();
      return copy.innerHTML.replace(/<!--.*?-->/g, "");
    });
  const streamed = await plain();
  await page.reload();
  await expect(turn(page, 2)).toBeVisible();
  await expect.poll(plain).toBe(streamed);
});
