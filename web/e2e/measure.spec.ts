/** How answers are set: the length of a line, headings, long code, and the size of everything. */
import type { Page } from "@playwright/test";
import { answers, begun, ended, script, scripted, streams } from "./harness/fake";
import { expect, test } from "./harness/test";
import { open, timeline, turn } from "./harness/ui";

const words = "The handler opens a transaction but never records the key of the request, ".repeat(12);
const lines = Array.from({ length: 132 }, (_, at) => `let row_${at + 1} = ${at + 1};`).join("\n");
const text = `# What I found\n\n${words}\n\n- ${words}\n\n\`\`\`rust\n${lines}\n\`\`\`\n`;

/** How many characters stand in a line of an element, on average; its last line does not count. */
const inLine = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const range = document.createRange();
      const node = element.firstChild as Text;
      let [first, last, count] = [Number.NaN, Number.NaN, 1];
      let end = 0;
      for (let at = 0; at < node.length; at++) {
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const { top } = range.getBoundingClientRect();
        if (Number.isNaN(first)) [first, last] = [top, top];
        if (top > last + 4) [last, count, end] = [top, count + 1, at];
      }
      return end / (count - 1);
    });

test.describe("an answer that is long", () => {
  test.use({ settings: scripted(answers(text)) });

  /** S61. */
  test("has lines of a length that reads well", { tag: "@desktop" }, async ({ page, daemon }) => {
    const session = await daemon.session(await daemon.project("ledger"), { agent: "claude", prompt: "go" });
    await daemon.settled(session.id);
    await open(page, session);
    await expect(timeline(page).getByRole("heading", { name: "What I found" })).toBeAttached();
    for (const width of [720, 768, 1100, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      for (const what of [".prose p", ".prose li"]) {
        const characters = await inLine(page, what);
        expect(characters, `${what} at ${width}`).toBeGreaterThanOrEqual(60);
        expect(characters, `${what} at ${width}`).toBeLessThanOrEqual(80);
      }
    }
    // The agent's headings are smaller than the screen's own.
    const size = (selector: string): Promise<number> =>
      page
        .locator(selector)
        .first()
        .evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize));
    expect(await size(".prose h1")).toBeLessThan(20);
    expect(await size(".prose h1")).toBeGreaterThan(await size(".prose p"));
  });

  test("folds long code until somebody wants all of it", { tag: "@phone" }, async ({
    page,
    daemon,
    context,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const session = await daemon.session(await daemon.project("ledger"), { agent: "claude", prompt: "go" });
    await daemon.settled(session.id);
    await open(page, session);
    const block = page.locator('.prose .code[data-lang="rust"]');
    const all = block.getByRole("button", { name: "Show all 132 lines" });
    await expect(all).toBeVisible();
    const shown = () =>
      block.locator("pre").evaluate((one) => {
        const height = Number.parseFloat(getComputedStyle(one).lineHeight);
        return Math.round(one.clientHeight / height);
      });
    expect(await shown()).toBe(24);
    // What is copied is the whole, folded or not.
    await block.hover();
    await block.getByRole("button", { name: "Copy" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(lines);
    const top = async () => Math.round((await block.boundingBox())?.y ?? 0);
    await all.scrollIntoViewIfNeeded();
    const before = await top();
    await all.click();
    await expect(all).toHaveCount(0);
    expect(await shown()).toBeGreaterThanOrEqual(132);
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
    await expect(block.locator("pre")).toBeFocused();
  });
});

test.describe("an answer that grows", () => {
  test.use({ settings: script(...begun, ...streams(text), answers(text), ended, { serve: true }) });

  test("is not folded under a reader's eyes", { tag: "@phone" }, async ({ page, daemon }) => {
    const session = await daemon.session(await daemon.project("ledger"), { agent: "claude" });
    await open(page, session);
    await daemon.say(session.id, "go");
    await expect(turn(page, 1)).toBeVisible();
    await expect(page.locator('.prose .code[data-lang="rust"]')).toBeAttached();
    await expect(page.getByRole("button", { name: /^Show all/ })).toHaveCount(0);
  });
});

test("text size, density and theme are chosen, and stay", { tag: "@desktop" }, async ({ page }) => {
  await page.goto("/settings/appearance");
  const size = () => page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize));
  const canvas = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const usual = await size();
  const light = await canvas();
  await page.getByRole("group", { name: "Text size" }).getByText("Largest").click();
  await expect.poll(size).toBeGreaterThan(usual * 1.25);
  await page.getByRole("group", { name: "Rows of a session" }).getByText("Compact").click();
  await page.getByRole("group", { name: "Theme" }).getByText("Dark", { exact: true }).click();
  await expect.poll(canvas).not.toBe(light);
  const dark = await canvas();
  await page.reload();
  await expect(page.getByLabel("Dark", { exact: true })).toBeChecked();
  await expect.poll(canvas).toBe(dark);
  await expect.poll(size).toBeGreaterThan(usual * 1.25);
  const html = page.locator("html");
  await expect(html).toHaveAttribute("data-density", "compact");
  await expect(html).toHaveAttribute("data-theme", "dark");
});
