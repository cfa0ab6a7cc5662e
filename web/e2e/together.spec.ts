/** Several people, devices and rights at one session. */
import type { Locator, Page } from "@playwright/test";
import { fake } from "./harness/fake";
import { holdableLine } from "./harness/line";
import { expect, test } from "./harness/test";
import { composer, expectAccessible, open, request, say, timeline, turn } from "./harness/ui";

const ANDROID =
  "Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36";

const button = (card: Locator, name: string | RegExp): Locator => card.getByRole("button", { name });

interface Device {
  id: string;
  name: string;
  lastSeenAt?: string;
}

test.describe("two browsers at one session", () => {
  test.use({ settings: fake() });

  test("show the same, and each says whose message it was", { tag: "@desktop" }, async ({
    page,
    daemon,
    another,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "say Good morning." });
    const other = (await another({ userAgent: ANDROID })).page;
    await open(page, session);
    await open(other, session);
    await say(page, "say From the first.");
    await expect(turn(other, 2)).toBeVisible();
    await say(other, "say From the second.");
    await expect(turn(page, 3)).toBeVisible();
    for (const one of [page, other]) {
      await expect(turn(one, 3)).toBeVisible();
      await expect(timeline(one).getByText("From the second.", { exact: true })).toBeVisible();
      await expect(timeline(one).locator("[data-message]")).toHaveCount(3);
    }
    const texts = (one: Page) =>
      timeline(one)
        .locator("[data-key]")
        .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.key));
    expect(await texts(page)).toEqual(await texts(other));
  });

  // 37
  test("answer a request once, and the other one sees by whom", { tag: "@phone" }, async ({
    page,
    daemon,
    another,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "write a.txt|one" });
    const other = (await another({ userAgent: ANDROID })).page;
    await open(page, session);
    await open(other, session);
    const theirs = await request(other);
    await button(await request(page), "Allow once").click();
    await expect(timeline(page).getByText(/Allowed once · you/)).toBeVisible();
    await expect(theirs).toHaveCount(0);
    const receipt = timeline(other).getByText(/Allowed once · /);
    await expect(receipt).toBeVisible();
    await expect(receipt).not.toContainText("you");
    await expect(other.getByRole("button", { name: /^(Allow|Deny)/ })).toHaveCount(0);
  });

  // 37
  test("tell a late answer who came first, and take no other", { tag: "@desktop" }, async ({
    page,
    daemon,
    another,
    watch,
  }) => {
    watch.allow(/status of 409/); // The late answer is refused.
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "write a.txt|one" });
    const other = (await another({ userAgent: ANDROID })).page;
    const line = await holdableLine(other);
    await open(page, session);
    await open(other, session);
    const theirs = await request(other);
    line.hold();
    await button(await request(page), "Allow once").click();
    await expect(timeline(page).getByText(/Allowed once · you/)).toBeVisible();
    await button(theirs, "Deny").click();
    await other.getByRole("dialog").getByRole("button", { name: "Deny", exact: true }).click();
    await expect(theirs.getByRole("alert")).toHaveText(/^It was decided before: Allowed/);
    await expect(button(theirs, "Deny")).toBeDisabled();
    await expect(button(theirs, "Allow once")).toHaveAttribute("aria-disabled", "true");
    line.release();
    await expect(timeline(other).getByText(/Allowed once · /)).toBeVisible();
    await expect(theirs).toHaveCount(0);
  });
});

test.describe("an observer", () => {
  test.use({ settings: fake() });

  test("sees everything and can change nothing", { tag: "@phone" }, async ({ page, daemon, another }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, {
      agent: "claude",
      prompt: "say Good morning.\nwrite a.txt|one",
    });
    const watching = (await another({ scope: "observe" })).page;
    await open(watching, session);
    await expect(timeline(watching).getByText("Good morning.", { exact: true })).toBeVisible();
    await expect(watching.getByText("Waiting for another person or device")).toBeVisible();
    await expect(
      watching
        .locator("[data-approval]")
        .getByText(/a\.txt/)
        .first(),
    ).toBeVisible();
    await expect(watching.getByText("You can watch this session, not steer it.")).toBeVisible();
    await expect(composer(watching)).toHaveCount(0);
    await expect(watching.getByRole("button", { name: /^(Allow|Deny|Edit|Stop|Send|Queue)/ })).toHaveCount(0);
    await open(page, session);
    await button(await request(page), "Allow once").click();
    await expect(timeline(watching).getByText(/Allowed once · /)).toBeVisible();
    await expect(turn(watching, 1)).toBeVisible();
    // What menus there are change nothing either.
    for (const menu of await watching.getByRole("button", { name: /menu|Actions/ }).all()) {
      if (!(await menu.isVisible())) continue;
      await menu.click();
      const items = watching
        .getByRole("dialog")
        .getByRole("button", { name: /Rename|Fork|Go back|End session/ });
      await expect(watching.getByRole("dialog")).toBeVisible();
      for (const item of await items.all()) await expect(item).toBeDisabled();
      await watching.keyboard.press("Escape");
      await expect(watching.getByRole("dialog")).toHaveCount(0);
    }
  });
});

test.describe("a device that is signed out by another", () => {
  test("goes to the sign-in screen at once and keeps its draft", { tag: "@desktop" }, async ({
    page,
    daemon,
    another,
    context,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "text" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await composer(page).fill("half a thought");
    await expect.poll(() => draft(page)).toBe("half a thought");
    const { page: admin } = await another({ userAgent: ANDROID });
    const devices = (await daemon.ask<{ items: Device[] }>("GET", "/auth/devices")).items;
    const mine = await page.evaluate(() => localStorage.getItem("baton.device"));
    await admin.goto("/settings/devices");
    await expect(admin.getByRole("heading", { name: "Devices" }).first()).toBeVisible();
    const id = devices.find((one) => mine?.includes(one.id))?.id;
    expect(id, JSON.stringify([devices, mine])).toBeDefined();
    await daemon.ask("DELETE", `/auth/devices/${id}`);
    await expect(page).toHaveURL(/\/signin/);
    await expect(page.getByText(/signed out/)).toBeVisible();
    expect(context.pages()).toHaveLength(1);
    await page.goto(await daemon.link());
    await expect(page).not.toHaveURL(/signin/);
    await open(page, session);
    await expect(composer(page)).toHaveValue("half a thought");
  });
});

/** What this browser keeps of an unsent message. */
const draft = (page: Page): Promise<string | undefined> =>
  page.evaluate(
    () =>
      new Promise<string | undefined>((done) => {
        const opened = indexedDB.open("baton");
        opened.onsuccess = () => {
          const all = opened.result.transaction("drafts").objectStore("drafts").getAll();
          all.onsuccess = () => {
            opened.result.close();
            done((all.result as { text: string }[])[0]?.text);
          };
        };
      }),
  );

test("a link to one session shows that alone, until it is taken back", { tag: "@desktop" }, async ({
  page,
  daemon,
  another,
  watch,
}) => {
  watch.allow(/status of 404/); // The other session is not there for it.
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "think" });
  const other = await daemon.session(project, { prompt: "help" });
  await daemon.settled(session.id);
  await open(page, session);
  await page.getByRole("button", { name: "Session menu" }).click();
  await page.getByRole("button", { name: /^Share to watch/ }).click();
  const sheet = page.getByRole("dialog", { name: "Share to watch" });
  await sheet.getByRole("button", { name: "Make a link" }).click();
  const address = await sheet.locator("code", { hasText: "#share=" }).textContent();
  await expectAccessible(page, "a link to one session");

  // Another tab of somebody who is signed in: only this one shows less.
  const own = await another();
  const guest = await own.context.newPage();
  await guest.goto(address ?? "");
  await expect(timeline(guest).getByText("I have thought about it.", { exact: true })).toBeVisible();
  await expect(guest).toHaveURL(new RegExp(`/s/${session.id}$`));
  await expect(guest.getByText("You can watch this session, not steer it.")).toBeVisible();
  await expect(guest.getByRole("navigation")).toHaveCount(0);
  await expect(composer(guest)).toHaveCount(0);
  await expectAccessible(guest, "a shared session");
  await guest.getByRole("button", { name: "Session menu" }).click();
  await expect(guest.getByRole("dialog").getByRole("button")).toHaveText([
    /Save as a page/,
    /Export to read/,
    /Export events/,
  ]);
  await guest.keyboard.press("Escape");
  await guest.getByRole("button", { name: "Side panel" }).click();
  await expect(guest.getByRole("tab")).toHaveText([/Agents/, /Tasks/]);
  // What is said now is seen too.
  await open(page, session);
  await say(page, "help");
  await expect(turn(guest, 2)).toBeVisible();
  await guest.goto("/search");
  await expect(guest.getByRole("heading", { name: "This link shows one session" })).toBeVisible();
  await guest.goto(`/s/${other.id}`);
  await expect(guest.getByRole("heading", { name: "This session is not here" })).toBeVisible();
  await guest.goto(`/s/${session.id}`);
  await expect(turn(guest, 2)).toBeVisible();
  await own.page.goto("/");
  await expect(own.page.getByRole("navigation").first()).toBeVisible();

  await page.goto("/settings/devices");
  const shared = page.getByRole("listitem").filter({ hasText: "Link to" });
  await expect(shared.getByRole("link", { name: "one session" })).toBeVisible();
  await shared.getByRole("button", { name: /^Sign out/ }).click();
  await shared.getByRole("button", { name: /^Press again/ }).click();
  await expect(guest.getByRole("heading", { name: "This link shows nothing any more" })).toBeVisible();
  await guest.getByRole("button", { name: "Open Baton" }).click();
  await expect(guest.getByRole("navigation").first()).toBeVisible();
});
