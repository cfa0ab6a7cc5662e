/** What a screen says about itself: the same everywhere, once, and without moving. */
import type { Page } from "@playwright/test";
import { fake } from "./harness/fake";
import { expect, test } from "./harness/test";
import { allow, open, request, say, timeline, turn } from "./harness/ui";

test.describe("what needs you", () => {
  test.use({ settings: fake() });

  test("can be denied from Home, with a reason", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    await daemon.project("web-shop");
    const session = await daemon.session(project, { agent: "claude", prompt: "write a.txt|one" });
    await daemon.asked(session.id);
    await page.goto("/");
    const home = page.getByRole("region", { name: "Needs you" });
    await home.getByRole("button", { name: "Deny" }).click();
    const sheet = page.getByRole("dialog", { name: "Deny" });
    await sheet.getByRole("textbox").fill("use the test database");
    await sheet.getByRole("button", { name: "Deny", exact: true }).click();
    await expect(home).toHaveCount(0);
    await expect(sheet).toHaveCount(0);
    expect(await daemon.approvals()).toEqual([]);
    await page.goto("/inbox");
    await page.getByRole("button", { name: "Done" }).click();
    await expect(page.getByText(/Denied · you · “use the test database”/)).toBeVisible();
  });

  // 55
  test("is the same number on every screen, at every step", async ({ page, daemon, isMobile }) => {
    const project = await daemon.project("ledger");
    await daemon.project("web-shop");
    const one = await daemon.session(project, {
      agent: "claude",
      prompt: "write a.txt|one\nbash test -n two",
    });
    const two = await daemon.session(project, { agent: "claude", prompt: "write b.txt|one" });
    const [first, second] = [await daemon.asked(one.id), await daemon.asked(two.id)];

    const agree = async (count: number): Promise<void> => {
      await page.goto("/");
      const home = page.getByRole("region", { name: "Needs you" });
      if (count > 0) {
        await expect(home.locator(".section .num")).toHaveText(String(count));
        await expect(home.getByRole("link", { name: /Review/ })).toHaveCount(count);
        await expect(page).toHaveTitle(`(${count}) Baton`);
      } else {
        await expect(page.getByRole("heading", { name: "Idle" })).toBeVisible();
        await expect(home).toHaveCount(0);
        await expect(page).toHaveTitle("Baton");
      }
      if (isMobile) {
        const badge = page.getByRole("navigation", { name: "Main" }).locator(".badge");
        if (count > 0) await expect(badge).toContainText(String(count));
        else await expect(badge).toHaveCount(0);
      } else {
        const rail = page.getByRole("navigation", { name: "Sessions" });
        if (count > 0) await expect(rail.getByRole("heading", { name: `Needs you ${count}` })).toBeVisible();
        else await expect(rail.getByText("Needs you")).toHaveCount(0);
      }
      await page.goto("/inbox");
      if (count > 0) {
        await expect(page.getByRole("button", { name: `Open ${count}` })).toBeVisible();
        await expect(page.locator(isMobile ? "[data-armed]" : ".list > a")).toHaveCount(count);
      } else await expect(page.getByText("Nothing needs you")).toBeVisible();
    };

    await agree(2);
    await daemon.answer(second, { decision: "allow" });
    await daemon.settled(two.id);
    await agree(1);
    await daemon.answer(first, { decision: "allow" });
    await expect.poll(async () => (await daemon.approvals())[0]?.approval.toolName).toBe("Bash");
    await agree(1);
    await open(page, one);
    await expect(page.locator("header").getByText("Needs you").filter({ visible: true })).toBeVisible();
    await expect(page).toHaveTitle(/^● /);
    const card = await request(page);
    await allow(card);
    await expect(turn(page, 1)).toBeVisible();
    await expect(page.locator("header").getByText("Idle").filter({ visible: true })).toBeVisible();
    await expect(page).not.toHaveTitle(/●/);
    await agree(0);
  });
});

/** Gathers everything that the two voices of the page say from now on. */
async function listen(page: Page): Promise<() => Promise<{ polite: string[]; urgent: string[] }>> {
  await page.evaluate(() => {
    const heard = { polite: [] as string[], urgent: [] as string[] };
    (window as unknown as { heard: typeof heard }).heard = heard;
    for (const [name, kind] of [
      ["polite", "polite"],
      ["urgent", "assertive"],
    ] as const) {
      const voice = document.querySelector(`body > * > [aria-live="${kind}"], body > [aria-live="${kind}"]`);
      if (!voice) throw new Error(`there is no ${kind} voice`);
      new MutationObserver(() => {
        const text = voice.textContent?.trim() ?? "";
        if (text !== "") heard[name].push(text);
      }).observe(voice, { childList: true, subtree: true, characterData: true });
    }
  });
  return () =>
    page.evaluate(() => (window as unknown as { heard: { polite: string[]; urgent: string[] } }).heard);
}

test.describe("what is read out", () => {
  test.use({ settings: fake() });

  // 56
  test("is each answer once and each request once, and nothing of the past", { tag: "@phone" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, {
      agent: "claude",
      prompt: "write old.txt|one\nsay Long ago.",
    });
    await daemon.answer(await daemon.asked(session.id), { decision: "allow" });
    await daemon.settled(session.id);
    await page.goto("/");
    await expect(page.getByRole("main")).toBeVisible();
    const heard = await listen(page);
    await page.getByRole("main").getByRole("link").filter({ hasText: "write old.txt" }).first().click();
    await expect(turn(page, 1)).toBeVisible();
    await say(page, "say It is done. And there is more.\nwrite a.txt|one\ntok 300");
    await expect.poll(async () => (await heard()).urgent).toEqual(["Needs you. Medium risk. Write a.txt?"]);
    const card = await request(page);
    await card.getByRole("button", { name: "Allow once" }).click();
    await expect(turn(page, 2)).toBeVisible();
    await expect.poll(async () => (await heard()).polite.at(-1)).toMatch(/^Answer finished\./);
    const { polite, urgent } = await heard();
    expect(urgent).toHaveLength(1);
    expect(polite.filter((text) => text.startsWith("Answer finished"))).toHaveLength(1);
    expect(polite.filter((text) => !/^(Answer finished|Working)/.test(text))).toEqual([]);
    expect(polite.join()).not.toMatch(/Long ago|old\.txt/);
    // The timeline itself is quiet.
    await expect(timeline(page).locator("[aria-live='assertive'], [role='log']")).toHaveCount(0);
  });
});

test.describe("for those who asked for less motion", () => {
  test.use({ settings: { pace: 5 }, contextOptions: { reducedMotion: "reduce" } });

  // 57
  test("nothing slides, scales or turns", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "tools approval" });
    const still = async (where: string): Promise<void> => {
      const found = await page.evaluate(() => {
        const most = (value: string): number =>
          Math.max(
            ...value.split(",").map((one) => Number.parseFloat(one) * (one.includes("ms") ? 1 : 1000)),
          );
        const moved: string[] = [];
        for (const one of document.querySelectorAll("*")) {
          for (const pseudo of [undefined, "::before", "::after", "::backdrop"]) {
            const look = getComputedStyle(one, pseudo);
            const name = `${one.tagName}.${one.className}${pseudo ?? ""}`;
            const changes = look.transitionProperty.split(",").map((property) => property.trim());
            const harmless = changes.every((property) => ["opacity", "none"].includes(property));
            if (!harmless && most(look.transitionDuration) > 1) moved.push(`${name}: ${look.transition}`);
            if (look.animationName !== "none" && most(look.animationDuration) > 1)
              moved.push(`${name}: ${look.animation}`);
          }
        }
        return [...new Set(moved)];
      });
      expect(found, where).toEqual([]);
    };
    await page.goto("/");
    await still("home");
    await open(page, session);
    await still("a session at work");
    const card = await request(page);
    await still("a session that waits");
    await card.getByRole("button", { name: "Deny" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await still("a sheet");
    await page.getByRole("dialog").getByRole("button", { name: "Deny", exact: true }).click();
    await expect(turn(page, 1)).toBeVisible();
    await page.getByRole("button", { name: "Session menu" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await still("a menu");
  });
});
