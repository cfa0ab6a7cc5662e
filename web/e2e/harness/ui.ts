/** What many tests do on the screen, in a person's words. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Locator, type Page } from "@playwright/test";
import type { SessionRow } from "../../src/link/types";

/** Opens a session and waits until its timeline is there. */
export async function open(page: Page, session: Pick<SessionRow, "id">): Promise<void> {
  await page.goto(`/s/${session.id}`);
  await expect(timeline(page)).toBeVisible();
}

export const timeline = (page: Page): Locator => page.getByRole("region", { name: "Timeline" });

export const composer = (page: Page): Locator => page.getByRole("textbox", { name: "Message", exact: true });

/** The line that ends a turn. */
export const turn = (page: Page, number: number): Locator =>
  timeline(page).getByText(new RegExp(`^Turn ${number}( |$)`));

/** Types into the composer and presses Send, or Queue while the agent works. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.getByRole("button", { name: /^(Send|Queue)$/ }).click();
}

/** An open request about a tool, once it takes presses. */
export async function request(page: Page, title?: string | RegExp): Promise<Locator> {
  const cards = page.locator("[data-armed]");
  const card = title ? cards.filter({ has: page.getByRole("heading", { name: title }) }) : cards;
  await expect(card).toHaveAttribute("data-armed", "true");
  return card;
}

/** Where a press on a button of a card would not reach the card, and what lies there instead. */
export const hidden = (card: Locator): Promise<string[]> =>
  card.evaluate((element) =>
    [...element.querySelectorAll("button")].flatMap((button) => {
      const box = button.getBoundingClientRect();
      return [0.1, 0.3, 0.5, 0.7, 0.9]
        .flatMap((x) =>
          [0.1, 0.5, 0.9].map((y) => [box.left + box.width * x, box.top + box.height * y] as const),
        )
        .map(([x, y]) => document.elementFromPoint(x, y))
        .filter((hit) => !hit || !element.contains(hit))
        .map(
          (hit) => `${button.textContent?.trim()}: ${hit?.outerHTML.slice(0, 60) ?? "outside the window"}`,
        );
    }),
  );

/** Presses "Show the rest" until all of a request was in view. */
export async function readWhole(card: Locator): Promise<void> {
  const rest = card.getByRole("button", { name: "Show the rest" });
  await expect(async () => {
    if ((await rest.count()) > 0) await rest.click({ timeout: 1000 });
    await expect(rest).toHaveCount(0, { timeout: 200 });
  }).toPass();
}

/** Less than the five seconds for which a first press counts. */
const PRESS_MS = 4000;

/** Presses a button, and then what it has become; all over again if a busy machine took too long for both. */
export async function twice(card: Locator, press: (button: Locator) => Promise<unknown>): Promise<void> {
  await readWhole(card);
  await expect(async () => {
    const once = card.getByRole("button", { name: "Allow once" });
    await expect(once).toHaveAttribute("aria-disabled", "false", { timeout: 2 * PRESS_MS });
    await press(once);
    const again = card.getByRole("button", { name: "Press again to allow" });
    await expect(again).toBeVisible({ timeout: PRESS_MS });
    await press(again);
  }).toPass({ timeout: 15 * PRESS_MS });
}

/** Allows once: two presses where the risk is high, or not known. */
export async function allow(card: Locator): Promise<void> {
  const careful = card.getByText(/^High risk$|does not know/);
  if ((await careful.count()) > 0) await twice(card, (button) => button.click({ timeout: PRESS_MS }));
  else await card.getByRole("button", { name: "Allow once" }).click();
}

/** Opens a menu by its button and chooses from it. */
export async function choose(page: Page, button: Locator, item: string | RegExp): Promise<void> {
  await button.click();
  await page.getByRole("dialog").getByRole("button", { name: item }).click();
}

/** Waits until no layer is open and its history entry is taken back: a `goto` before that would be broken off. */
export async function uncovered(page: Page): Promise<void> {
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect
    .poll(() => page.evaluate(() => (history.state as { layer?: number } | null)?.layer ?? 0))
    .toBe(0);
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Fails on anything that axe finds on the screen and that stays: a colour that is just changing is none of either. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  const faults = () =>
    page.evaluate(`(async () => {
      if (!window.axe) { ${axe} }
      const { violations } = await axe.run(document, { resultTypes: ["violations"] });
      return violations.flatMap((one) => one.nodes.map((node) => one.id + ": " + node.target.join(" ") + ": " + node.failureSummary));
    })()`);
  await expect.poll(faults, `axe on ${what}`).toEqual([]);
}

/** Where a row stands on the screen. */
export interface Place {
  readonly key: string;
  readonly top: number;
}

/** The first row that is in view. */
export const firstRow = (page: Page): Promise<Place> =>
  timeline(page).evaluate((scroller) => {
    const edge = scroller.getBoundingClientRect().top;
    for (const row of scroller.querySelectorAll<HTMLElement>("[data-key]")) {
      const box = row.getBoundingClientRect();
      if (box.bottom > edge) return { key: row.dataset.key ?? "", top: box.top };
    }
    throw new Error("no row is in view");
  });

/** How far the end is below what is in view; 0 while following. */
export const toEnd = (page: Page): Promise<number> =>
  timeline(page).evaluate((box) => Math.round(box.scrollHeight - box.clientHeight - box.scrollTop));
