/** What rows hide and keep: points 25, 27, 30 and 31 of the guide. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./harness/test";
import { choose, composer, open, timeline, turn } from "./harness/ui";
import { UNREACHABLE } from "./harness/watch";

test.describe("with the real CLI", () => {
  test.use({ cli: true });

  /** Point 25. */
  test("a failure, an edit, a command and a request never hide in a group", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const path = (name: string): string => join(project.path, name);
    for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"]) writeFileSync(path(name), "text\n");
    const session = await daemon.session(project, {
      agent: "claude",
      permissionMode: "acceptEdits",
      prompt:
        `READ[${path("a.txt")}] READ[${path("b.txt")}] READ[${path("missing.txt")}] READ[${path("c.txt")}] ` +
        `WRITE[${path("new.txt")}|new] RUN[ls] READ[${path("c.txt")}] READ[${path("d.txt")}]`,
    });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    const groups = timeline(page).getByRole("button", { name: /^Explored/ });
    await expect(groups).toHaveText([/Explored\s*2 files/, /Explored\s*2 files/]);
    for (const name of [/Read missing\.txt.*Failed/, /Wrote new\.txt/, /Ran ls/])
      await expect(timeline(page).getByRole("button", { name })).toBeVisible();
    await groups.first().click();
    await expect(timeline(page).getByRole("button", { name: /Read a\.txt/ })).toBeVisible();
    await expect(timeline(page).getByRole("button", { name: /Read b\.txt/ })).toBeVisible();
  });
});

/** Point 27. */
test("what was opened or folded stays so, whatever comes, and when the line breaks", {
  tag: "@phone",
}, async ({ page, daemon, watch }) => {
  watch.allow(...UNREACHABLE);
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "tools" });
  await daemon.settled(session.id);
  for (let more = 0; more < 3; more++) await daemon.say(session.id, "slow");
  await daemon.settled(session.id);
  await open(page, session);
  const top = (): Promise<void> => timeline(page).evaluate((box) => box.scrollTo(0, 0));
  const edited = timeline(page)
    .getByRole("button", { name: /^Edited/ })
    .first();
  const ran = timeline(page)
    .getByRole("button", { name: /^Ran python3/ })
    .first();
  await expect(turn(page, 4)).toBeVisible();
  // Turns that are long over show only how they ended.
  const worked = timeline(page)
    .getByRole("button", { name: /^Worked/ })
    .first();
  await top();
  await expect(worked).toBeVisible();
  await worked.click();
  await expect(ran).toBeVisible();
  await expect(edited).toHaveAttribute("aria-expanded", "true");
  await edited.click();
  await ran.click();
  const kept = async (): Promise<void> => {
    await expect(edited).toHaveAttribute("aria-expanded", "false");
    await expect(ran).toHaveAttribute("aria-expanded", "true");
  };
  await kept();
  for (let more = 0; more < 3; more++) await daemon.say(session.id, "think todo tools subagent text");
  await daemon.settled(session.id);
  await kept();
  await page.getByRole("button", { name: /Latest|new/ }).click();
  await expect(turn(page, 7)).toBeInViewport();
  await top();
  await kept();
  await daemon.kill();
  await expect(
    page
      .getByText(/as of \d/)
      .filter({ visible: true })
      .first(),
  ).toBeVisible();
  await daemon.start();
  await expect(page.getByText(/as of \d/).filter({ visible: true })).toHaveCount(0);
  await kept();
});

/** Point 30. */
test("an event that nobody knows is a row with what it holds", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "notices" });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  const row = timeline(page).getByRole("button", { name: /something this version does not know/ });
  await expect(row).toHaveAttribute("aria-expanded", "false");
  await row.click();
  await expect(timeline(page).getByText(/"word_from_the_future"/)).toBeVisible();
});

test.describe("the clipboard", () => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });

  /** Point 31; rewinding is in `cli.spec.ts`. */
  test("a message is copied from its menu", { tag: "@phone" }, async ({ page, daemon }) => {
    const session = await daemon.session(await daemon.project("ledger"), { prompt: "help, please" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await choose(page, timeline(page).getByRole("button", { name: "Actions for this message" }), /^Copy$/);
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("help, please");
  });

  test("a row is reached, copied and quoted by keyboard alone", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const session = await daemon.session(await daemon.project("ledger"), { prompt: "think" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await composer(page).press("Escape");
    const focused = page.locator("[data-key]:focus");
    await page.keyboard.press("k");
    await expect(focused).toHaveCount(1);
    await expect(async () => {
      await page.keyboard.press("k");
      await expect(focused).toContainText("I have thought about it.", { timeout: 500 });
    }).toPass();
    await page.keyboard.press(".");
    await expect(page.getByRole("dialog", { name: "Answer" })).toBeVisible();
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe("I have thought about it.");
    await expect(page.getByRole("dialog")).toBeHidden();
  });
});
