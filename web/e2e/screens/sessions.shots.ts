/** A session in every state it can be in. */

import { composer, open, say, timeline } from "../harness/ui";
import { UNREACHABLE } from "../harness/watch";
import { expect, test } from "./camera";
import { day, running, thinking } from "./day";
import { latencies } from "./picture";

test("sessions", async ({ page, stage, shoot, browser, context, watch, another, isMobile }) => {
  test.slow();
  watch.allow(...UNREACHABLE);
  const { sessions, ledger } = await day(stage, await latencies(browser));
  const tall = [{ width: isMobile ? 391 : 1441, height: 2000 }];
  await open(page, sessions.importer);
  await expect(timeline(page).getByText(/nobody is signed/)).toBeVisible();
  await shoot(page, "session-streaming");
  await shoot(page, "session-streaming-tall", tall);
  await page.getByRole("button", { name: /Agent.*Map all/ }).click();
  await shoot(page, "session-agent-open", tall);
  await page.goto(page.url().replace(/(\/s\/[^/?]+).*/, "$1/tasks"));
  await expect(page.getByText("npm run dev").filter({ visible: true }).first()).toBeVisible();
  await shoot(page, "session-tasks");
  await open(page, sessions.importer);
  await say(page, "Also add a metric for cache misses.");
  await expect(timeline(page).getByText(/Queued/)).toBeVisible();
  await composer(page).fill("and log the key prefix");
  await shoot(page, "session-queue");
  await composer(page).fill("");
  await open(page, await stage.session(ledger, "Why do retries fail?", thinking));
  await expect(timeline(page).getByText(/The three failing requests/)).toBeVisible();
  await shoot(page, "session-thinking");
  const tests = await stage.session(ledger, "Run all tests", running);
  await open(page, tests);
  await expect(
    timeline(page)
      .getByText(/cargo test/)
      .first(),
  ).toBeVisible();
  await shoot(page, "session-running");
  await open(page, sessions.agent);
  await expect(page.locator("[data-armed]")).toBeVisible();
  await shoot(page, "session-agent-waits");
  await open(page, sessions.chart);
  await expect(timeline(page).getByRole("img").first()).toBeVisible();
  await shoot(page, "session-image");
  await shoot(page, "session-image-tall", tall);
  await open(page, sessions.flaky);
  await expect(timeline(page).getByText(/200 runs/)).toBeVisible();
  await shoot(page, "session-idle");
  await open(page, sessions.failed);
  await expect(timeline(page).getByText(/login/).first()).toBeVisible();
  await shoot(page, "session-error");
  await open(page, sessions.retry);
  await expect(
    timeline(page)
      .getByText(/Retry|again/i)
      .first(),
  ).toBeVisible();
  await shoot(page, "session-retry");
  await open(page, sessions.ended);
  await expect(
    page
      .getByText(/Stopped/)
      .filter({ visible: true })
      .first(),
  ).toBeVisible();
  await shoot(page, "session-ended");
  await open(page, sessions.keys);
  await expect(page.locator("[data-armed]")).toBeVisible();
  await shoot(page, "session-tall", tall);
  await timeline(page)
    .getByRole("button", { name: /^Explored/ })
    .last()
    .click();
  await timeline(page)
    .getByRole("button", { name: /Ran cargo check/ })
    .click();
  await shoot(page, "session-tools-open");
  await page.goto(page.url().replace(/(\/s\/[^/?]+).*/, "$1/changes"));
  await expect(
    page
      .getByText(/payment_keys|0014_keys/)
      .filter({ visible: true })
      .first(),
  ).toBeVisible();
  await shoot(page, "session-changes");
  const watcher = (await another({ scope: "observe" })).page;
  await watcher.goto(`/s/${sessions.keys.id}`);
  await expect(
    watcher
      .getByText(/You can watch/)
      .filter({ visible: true })
      .first(),
  ).toBeVisible();
  await shoot(watcher, "session-observer");
  await open(page, tests);
  await expect(
    timeline(page)
      .getByText(/cargo test/)
      .first(),
  ).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByRole("status").getByText("Offline")).toBeVisible();
  await say(page, "Also check the Windows line endings.");
  await expect(timeline(page).getByText(/^Not sent/)).toBeVisible();
  await shoot(page, "session-offline");
});
