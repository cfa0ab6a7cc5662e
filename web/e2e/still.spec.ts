/** Rows do not jump: what is pressed stays under the pointer, and nothing moves while an answer grows. */
import type { Locator } from "@playwright/test";
import { measureShifts, shifted } from "./harness/shifts";
import { expect, test } from "./harness/test";
import { open, request, timeline, turn } from "./harness/ui";

/** Words that change where they stand, such as Working to Idle, push their neighbours by a few pixels. */
const NOTHING = 0.005;

const topOf = async (one: Locator): Promise<number> => (await one.boundingBox())?.y ?? Number.NaN;

/** Presses it, and looks at where it stands on every frame until nothing moves any more. */
async function stays(button: Locator, expanded: boolean): Promise<void> {
  const before = await topOf(button);
  await button.click();
  await expect(button).toHaveAttribute("aria-expanded", String(expanded));
  const seen = await button.evaluate(async (one) => {
    const tops: number[] = [];
    for (let frame = 0; frame < 20; frame++) {
      await new Promise(requestAnimationFrame);
      tops.push(one.getBoundingClientRect().top);
    }
    return tops;
  });
  for (const top of seen) expect(Math.abs(top - before), `${before} and then ${seen}`).toBeLessThanOrEqual(1);
}

/** D9. */
for (const length of ["short", "long"] as const)
  test(`a row that is opened or folded stays under the pointer, in a ${length} session`, async ({
    page,
    daemon,
  }) => {
    const session = await daemon.session(await daemon.project("ledger"), { prompt: "tools" });
    await daemon.settled(session.id);
    if (length === "long")
      for (const prompt of ["slow", "slow", "tools"]) {
        await daemon.say(session.id, prompt);
        await daemon.settled(session.id);
      }
    await open(page, session);
    await expect(turn(page, length === "long" ? 4 : 1)).toBeInViewport();
    const ran = timeline(page)
      .getByRole("button", { name: /^Ran python3/ })
      .last();
    await ran.scrollIntoViewIfNeeded();
    await stays(ran, true);
    await stays(ran, false);
    const edited = timeline(page)
      .getByRole("button", { name: /^Edited/ })
      .last();
    await edited.scrollIntoViewIfNeeded();
    await stays(edited, false);
    await stays(edited, true);
    if (length === "short") return;
    // The work of a turn that is long over is rows of its own.
    await timeline(page).evaluate((box) => box.scrollTo(0, 0));
    const worked = timeline(page)
      .getByRole("button", { name: /^Worked/ })
      .first();
    await stays(worked, true);
    await stays(worked, false);
  });

test("the way to the latest row covers nothing", async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "slow" });
  await daemon.say(session.id, "slow");
  await daemon.settled(session.id);
  await open(page, session);
  await expect(turn(page, 2)).toBeInViewport();
  const jump = page.getByRole("button", { name: "Latest" });
  await expect(jump).toHaveCount(0);
  await timeline(page).evaluate((box) => box.scrollBy(0, -500));
  await expect(jump).toBeVisible();
  const rows = await timeline(page).boundingBox();
  const pill = await jump.boundingBox();
  expect(pill?.y).toBeGreaterThanOrEqual((rows?.y ?? 0) + (rows?.height ?? 0));
});

/** Point 59: the browser's own measure. */
test.describe("the layout", () => {
  test.use({ settings: { pace: 5 } });

  for (const length of ["short", "long"] as const)
    test(`does not shift while a ${length} session works, streams, asks and ends`, async ({
      page,
      daemon,
    }) => {
      await measureShifts(page);
      const session = await daemon.session(await daemon.project("ledger"), { prompt: "help" });
      await daemon.settled(session.id);
      if (length === "long") {
        for (const prompt of ["tools", "text", "text", "tools"]) {
          await daemon.say(session.id, prompt);
          await daemon.settled(session.id);
        }
      }
      await open(page, session);
      const before = length === "long" ? 5 : 1;
      await expect(turn(page, before)).toBeInViewport();
      await daemon.say(session.id, "think todo text tools subagent approval");
      const card = await request(page);
      await card.getByRole("button", { name: "Allow once" }).click();
      await expect(turn(page, before + 1)).toBeVisible();
      const { all, sum } = await shifted(page);
      expect(sum, all.join("\n")).toBeLessThan(NOTHING);
    });
});
