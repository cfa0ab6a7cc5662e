/** Many agents at once: the board, and sessions side by side. */
import type { Locator, Page } from "@playwright/test";
import { asking } from "./harness/asking";
import { fake } from "./harness/fake";
import { expect, test } from "./harness/test";
import { expectAccessible, request } from "./harness/ui";

test.use({ settings: fake() });

const cardOf = (page: Page, id: string): Locator => page.locator(`[data-card="${id}"]`);
const column = (page: Page, name: string): Locator => page.getByRole("region", { name });

/** The buttons of a card that are not wholly on it. */
const outside = (card: Locator): Promise<string[]> =>
  card.evaluate((element) => {
    const box = element.getBoundingClientRect();
    return [...element.querySelectorAll("button")].flatMap((button) => {
      const one = button.getBoundingClientRect();
      return one.left < box.left || one.right > box.right ? [button.textContent?.trim() ?? ""] : [];
    });
  });

test.describe("the board", { tag: "@desktop" }, () => {
  test("a card that moves keeps the focus, and a key answers the card it stands on alone", async ({
    page,
    daemon,
  }) => {
    const all = await asking(daemon, "one", "two");
    const done = await daemon.session(await daemon.project("second"), { prompt: "help" });
    const failed = await daemon.session(await daemon.project("second"), { prompt: "error" });
    const [one, two] = [all.of("one").session, all.of("two").session];
    // How far what moves glides, and for how long.
    await page.addInitScript(() => {
      const glide = Element.prototype.animate;
      Element.prototype.animate = function (frames, options) {
        document.documentElement.dataset.glided = JSON.stringify(options);
        return glide.call(this, frames, options);
      };
    });
    await page.goto("/inbox");
    await expect(page.getByRole("heading", { name: "Inbox" })).toBeVisible();
    await page.keyboard.press("b");
    await expect(page).toHaveURL(/\/board$/);
    for (const id of [one, two])
      await expect(column(page, "Needs you").locator(cardOf(page, id))).toBeVisible();
    await expect(column(page, "Done today").locator(cardOf(page, done.id))).toContainText("second");
    await expect(column(page, "Failed").locator(cardOf(page, failed.id))).toBeVisible();
    await expectAccessible(page, "the board");

    // Every button of a request is on its card, however narrow that is.
    for (const width of [1100, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const id of [one, two]) {
        const armed = cardOf(page, id).locator("[data-armed=true]");
        await expect.poll(() => outside(armed)).toEqual([]);
      }
    }

    await page.keyboard.press("ArrowDown");
    const first = await page.locator("[data-card]:focus").getAttribute("data-card");
    await page.keyboard.press("ArrowDown");
    const second = await page.locator("[data-card]:focus").getAttribute("data-card");
    expect([first, second].toSorted()).toEqual([one, two].toSorted());
    const word = second === one ? "one" : "two";
    const other = word === "one" ? "two" : "one";
    const mine = cardOf(page, second ?? "");
    await expect(mine.locator("[data-armed]")).toHaveAttribute("data-armed", "true");
    // The keys stand on the card that they act on, and on no other.
    await expect(mine.getByRole("button", { name: `Allow once rm -rf ${word}` })).toBeVisible();
    await expect(page.locator("kbd", { hasText: /^Y$/ })).toHaveCount(1);
    await expect(mine.locator("kbd", { hasText: /^Y$/ })).toBeVisible();
    await page.keyboard.press("y");
    await expect(mine.getByRole("button", { name: /^Press again/ })).toBeVisible();
    await page.keyboard.press("y");
    await expect.poll(all.decided).toEqual({ [word]: ["allow"], [other]: [] });
    await expect(column(page, "Needs you").locator(mine)).toHaveCount(0);
    await expect(mine).toBeFocused();
    await expect(page.locator("html")).toHaveAttribute("data-glided", /"duration":160/);
    // What has no request any more is no object of a key.
    await page.keyboard.press("y");
    expect(await all.decided()).toEqual({ [word]: ["allow"], [other]: [] });

    // There is no room for a session beside it here: Enter goes there.
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/s/${second}$`));
    await page.setViewportSize({ width: 1000, height: 800 });
    await page.goto("/board");
    await expect(page).not.toHaveURL(/board/);
  });

  test("nothing glides for who wants no motion, and the session opens beside it", async ({
    page,
    daemon,
  }) => {
    const all = await asking(daemon, "one");
    const { session } = all.of("one");
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.setViewportSize({ width: 1920, height: 1000 });
    await page.goto("/board");
    await cardOf(page, session).focus();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/board\\?with=${session}$`));
    await expect(page.getByRole("region", { name: /^Timeline/ })).toBeVisible();
    await page.reload();
    await expect(page.getByRole("region", { name: /^Timeline/ })).toBeVisible();
    // What is asked can be answered in one place at a time.
    await expect(page.locator("[data-armed=true]")).toHaveCount(1);
    await expect(cardOf(page, session)).toContainText("It asks in the session beside");
    await expectAccessible(page, "a session beside the board");
    await page.getByRole("button", { name: /^Close / }).click();
    await expect(page).toHaveURL(/\/board$/);
    await page.evaluate(() => {
      Element.prototype.animate = () => {
        throw new Error("it glides");
      };
    });
    await expect(cardOf(page, session).locator("[data-armed]")).toHaveAttribute("data-armed", "true");
    await cardOf(page, session).focus();
    await page.keyboard.press("y");
    await expect(cardOf(page, session).getByRole("button", { name: /^Press again/ })).toBeVisible();
    await page.keyboard.press("y");
    await expect(column(page, "Needs you").locator(cardOf(page, session))).toHaveCount(0);
  });
});

test.describe("sessions side by side", { tag: "@desktop" }, () => {
  test("keys act on the one that has the focus, and the address keeps them", async ({ page, daemon }) => {
    const all = await asking(daemon, "one", "two");
    const [one, two] = [all.of("one"), all.of("two")];
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.goto(`/s/${one.session}`);
    const pane = (word: string) => page.getByRole("region", { name: new RegExp(`rm -rf ${word}$`) }).first();
    const head = (word: string) => pane(word).getByRole("banner").or(pane(word).locator("header")).first();
    await request(page);
    await page
      .getByRole("navigation", { name: "Sessions" })
      .getByRole("link", { name: /rm -rf two/ })
      .click({ modifiers: ["Alt"] });
    await expect(page).toHaveURL(new RegExp(`${one.session}\\?with=${two.session}$`));
    for (const again of [false, true]) {
      if (again) await page.reload();
      await expect(page.getByRole("textbox", { name: "Message" })).toHaveCount(2);
      await expect(page.locator("[data-armed=true]")).toHaveCount(2);
    }
    await expectAccessible(page, "two sessions side by side");

    // What is written in one is not written in the other.
    await pane("two").getByRole("textbox", { name: "Message" }).fill("for two");
    await expect(pane("one").getByRole("textbox", { name: "Message" })).toHaveValue("");
    await expect(head("two")).toHaveClass(/focused/);
    await expect(head("one")).not.toHaveClass(/focused/);
    await expect(page).toHaveTitle(/rm -rf two/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("k");
    await expect(pane("two").locator("[data-key]:focus")).toHaveCount(1);
    // From one to the other by pointer; the keys go with it.
    await pane("one").getByRole("heading", { level: 1 }).click();
    await expect(head("one")).toHaveClass(/focused/);
    await expect(head("two")).not.toHaveClass(/focused/);
    await page.keyboard.press("k");
    await expect(pane("one").locator("[data-key]:focus")).toHaveCount(1);
    await expect(pane("two").locator("[data-key]:focus")).toHaveCount(0);
    await page.keyboard.press("y");
    await expect(pane("one").getByRole("button", { name: /^Press again/ })).toBeVisible();
    await page.keyboard.press("y");
    await expect.poll(all.decided).toEqual({ one: ["allow"], two: [] });

    // Where there is no room only the first is there; with room again, both.
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect(page.getByRole("textbox", { name: "Message" })).toHaveCount(1);
    await page.setViewportSize({ width: 1920, height: 900 });
    await expect(page.getByRole("textbox", { name: "Message" })).toHaveCount(2);
    await page.getByRole("button", { name: /^Close .*rm -rf one/ }).click();
    await expect(page).toHaveURL(new RegExp(`${two.session}$`));
    await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("for two");
  });

  test("the palette acts on the one that has the focus", async ({ page, daemon }) => {
    const all = await asking(daemon, "one", "two");
    const [one, two] = [all.of("one"), all.of("two")];
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.goto(`/s/${one.session}?with=${two.session}`);
    const pane = (word: string) => page.getByRole("region", { name: new RegExp(`rm -rf ${word}$`) }).first();
    await expect(page.locator("[data-armed=true]")).toHaveCount(2);
    await pane("two").getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Go anywhere" });
    await palette.getByRole("combobox").fill("Stop the turn");
    await expect(palette.getByRole("option").first()).toContainText("Stop the turn");
    await page.keyboard.press("Enter");
    await expect(pane("two").locator("[data-armed=true]")).toHaveCount(0);
    await expect(pane("one").locator("[data-armed=true]")).toHaveCount(1);
  });
});
