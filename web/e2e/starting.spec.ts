/** Before a session is: its agent comes up. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Daemon } from "./harness/daemon";
import { fake } from "./harness/fake";
import { expect, test } from "./harness/test";
import { composer, say, turn } from "./harness/ui";

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
const holders = (daemon: Daemon): string[] => names(join(daemon.data, "holders"));

test.describe("an agent", () => {
  test.use({ settings: fake() });

  test("comes up while New session is open, and goes with it unless it is begun", async ({
    page,
    daemon,
  }) => {
    await daemon.project("ledger");
    await daemon.project("shop");
    await page.goto("/new?project=ledger");
    await expect.poll(() => holders(daemon).length).toBe(1);
    const [first] = holders(daemon);
    // Another folder, another process.
    await page.getByRole("button", { name: /^Project:/ }).click();
    await page.getByRole("dialog", { name: "Project" }).getByRole("option", { name: /shop/ }).click();
    await expect.poll(() => holders(daemon).length === 1 && holders(daemon)[0] !== first).toBe(true);
    // Who goes elsewhere begins nothing.
    await page.goto("/");
    await expect.poll(() => holders(daemon).length).toBe(0);
    await page.goto("/new?project=shop");
    await expect.poll(() => holders(daemon).length).toBe(1);
    const waiting = holders(daemon);
    await page.getByLabel("What should be done?").fill("say done");
    // Up, not only started: the daemon has what it told.
    await page.getByRole("button", { name: "Start" }).click();
    await expect(turn(page, 1)).toBeVisible();
    expect(holders(daemon)).toEqual(waiting);
    await say(page, "say more");
    await expect(turn(page, 2)).toBeVisible();
    await expect(composer(page)).toBeVisible();
  });
});
