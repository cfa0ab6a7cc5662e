/** Everything around sessions, on a day with work in it. */
import type { Page } from "@playwright/test";
import { UNREACHABLE } from "../harness/watch";
import { expect, test } from "./camera";
import { day } from "./day";
import { latencies } from "./picture";

const shown = (page: Page, text: string | RegExp) =>
  expect(page.getByText(text).filter({ visible: true }).first()).toBeVisible();

test("places", async ({ page, stage, shoot, context, browser, watch }) => {
  test.slow();
  watch.allow(...UNREACHABLE, /status of 409/);
  const { daemon } = stage;
  const { ledger, shop, notes, sessions } = await day(stage, await latencies(browser), false);
  await daemon
    .ask("POST", "/rules", { rule: "Bash(git status:*)", decision: "allow", scope: "global" })
    .catch(() => {});
  const go = async (name: string, path: string, shows: string | RegExp): Promise<void> => {
    await page.goto(path);
    await shown(page, shows);
    await shoot(page, name);
  };
  await go("home", "/", "Needs you");
  await go("projects", "/projects", "web-shop");
  await go("more", "/more", "Cost and tokens");
  await go("new", "/new", "Ask first");
  await go("project", `/p/${ledger.slug}`, "Add idempotency keys");
  stage.terminal(ledger, "Fix the CI cache", "The key was missing the lock file.");
  await go("project-terminal", `/p/${ledger.slug}`, "Begun in a terminal");
  await go("project-trust", `/p/${shop.slug}`, /wants to run/);
  await go("trust", `/p/${shop.slug}/trust`, /prettier/);
  await go("project-no-git", `/p/${notes.slug}`, /no git/);
  await go("diff-no-git", `/p/${notes.slug}/diff`, /There is no git here/);
  await go("files", `/p/${ledger.slug}/files`, "migrations");
  await go("file", `/p/${ledger.slug}/files?path=src%2Fpayments%2Fpost.rs&line=6`, /insert/);
  await go("diff", `/p/${ledger.slug}/diff`, /payment_keys/);
  const changed = page.getByRole("region", { name: "src/payments/post.rs" });
  await changed.locator(".line.added .number").filter({ hasText: /^6$/ }).click({ force: true });
  await page
    .getByRole("textbox", { name: /Comment on line 6/ })
    .fill("Keep the old signature and add insert_once?");
  await shoot(page, "diff-comment");
  await go("search-hits", "/search?q=clock", /injected/);
  await go("search-none", "/search?q=kubernetes", /Nothing matches/);
  await go("usage", "/usage", /\$\d/);
  await go("settings", "/settings", "Appearance");
  await go("settings-rules", "/settings/rules", /New rule/);
  await go("settings-devices", "/settings/devices", "This device");
  await go("settings-agents", "/settings/agents", "Doctor");
  await page.getByRole("button", { name: "Let the doctor look" }).click();
  await expect(page.getByRole("button", { name: /look again|doctor/i })).toBeEnabled();
  await shown(page, /git/);
  await shoot(page, "settings-doctor");
  await go("settings-appearance", "/settings/appearance", "Theme");
  await go("settings-about", "/settings/about", "Made with");
  await go("inbox", "/inbox", /Which cache/);
  const [first] = await daemon.approvals();
  await go("inbox-one", `/inbox/${first?.approval.approvalId}`, /./);
  await page.goto("/");
  await shown(page, "Needs you");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.type("add");
  await shoot(page, "palette");
  await page.goto("/usage");
  await shown(page, /\$\d/);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await shoot(page, "keys");
  await page.goto("/");
  await shown(page, "Needs you");
  await context.setOffline(true);
  await expect(page.getByText(/as of/).filter({ visible: true }).first()).toBeVisible();
  await shoot(page, "home-offline");
  await context.setOffline(false);
  for (const open of await daemon.approvals()) await daemon.answer(open, { decision: "deny" });
  await page.goto("/inbox");
  await page
    .getByRole("button", { name: "Done" })
    .or(page.getByRole("tab", { name: "Done" }))
    .or(page.getByRole("link", { name: "Done" }))
    .first()
    .click();
  await shown(page, /[Dd]enied/);
  await shoot(page, "inbox-done");
  await go("home-calm", "/", "Working");
  expect(Object.keys(sessions).length).toBeGreaterThan(10);
});
