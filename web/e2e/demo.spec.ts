/** What the demo agent shows, and what a person does to it: questions, plans, queueing, stopping. */
import { expect, test } from "./harness/test";
import { composer, expectAccessible, open, request, say, timeline, turn } from "./harness/ui";

test("a question is answered with one of its options", { tag: "@phone" }, async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "question" });
  await open(page, session);
  const card = page.getByRole("group", { name: "Question" });
  await expect(card.getByRole("button", { name: "Send answer" })).toBeDisabled();
  await card.getByText("Green").click();
  await expectAccessible(page, "a question");
  await card.getByRole("button", { name: "Send answer" }).click();
  await expect(turn(page, 1)).toBeVisible();
  await expect(timeline(page).getByText("You chose Green.")).toBeVisible();
  await expect(card).toBeHidden();
});

test("a question is answered in the person's own words", { tag: "@desktop" }, async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "question" });
  await open(page, session);
  const card = page.getByRole("group", { name: "Question" });
  await card.getByText("Something else…").click();
  await card.getByRole("textbox", { name: "Your own answer" }).fill("Petrol");
  await card.getByRole("button", { name: "Send answer" }).click();
  await expect(timeline(page).getByText("You chose Petrol.")).toBeVisible();
});

test("a plan is read, sent back with words, and approved", { tag: "@phone" }, async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "plan" });
  await open(page, session);
  await page.getByRole("button", { name: "Read plan" }).click();
  const sheet = page.getByRole("dialog", { name: "Plan" });
  await expect(sheet.getByText("Run the tests")).toBeVisible();
  await expectAccessible(page, "a plan");
  await sheet.getByRole("button", { name: /Keep planning/ }).click();
  await sheet.getByLabel("What should change").fill("begin with the tests");
  await sheet.getByRole("button", { name: "Keep planning", exact: true }).click();
  await expect(timeline(page).getByText(/I was told: begin with the tests/)).toBeVisible();
  await expect(turn(page, 1)).toBeVisible();
  await say(page, "plan");
  await page.getByRole("button", { name: "Read plan" }).click();
  await sheet.getByRole("button", { name: "Approve plan" }).click();
  await expect(timeline(page).getByText("The plan is approved; I would begin now.")).toBeVisible();
});

test("a write is allowed, and the next one denied with a reason", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "approval" });
  await open(page, session);
  const first = await request(page, "Write baton-demo.txt?");
  await first.getByRole("button", { name: /Allow once/ }).click();
  await expect(timeline(page).getByText("as you allowed.")).toBeVisible();
  await expect(timeline(page).getByText(/Allowed once · you/)).toBeVisible();
  await say(page, "approval");
  const second = await request(page, "Write baton-demo.txt?");
  await second.getByRole("button", { name: /^Deny/ }).click();
  await page.getByLabel(/Tell the agent why/).fill("not today");
  await page.getByRole("dialog").getByRole("button", { name: "Deny", exact: true }).click();
  await expect(timeline(page).getByText(/Denied · you · “not today”/)).toBeVisible();
  await expect(timeline(page).getByText("nothing was written.")).toBeVisible();
});

test("a sub-agent holds what it does, and opens", { tag: "@phone" }, async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "subagent" });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  const agent = timeline(page).getByRole("button", { name: /Agent.*Look for typos/ });
  await expect(agent).toHaveAttribute("aria-expanded", "false");
  await expect(timeline(page).getByText("helo")).toBeHidden();
  await agent.click();
  await expect(timeline(page).getByText("helo")).toBeVisible();
});

test("a picture of the agent is drawn at its size", { tag: "@desktop" }, async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "image" });
  await open(page, session);
  const picture = timeline(page).getByRole("img").first();
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(2);
  await expect(timeline(page).getByText(/PNG · 2 × 2/)).toBeVisible();
});

test("an error says what to do, and the session goes on", { tag: "@phone" }, async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "error" });
  await open(page, session);
  await expect(timeline(page).getByText("Send another message: the session goes on.")).toBeVisible();
  await expect(turn(page, 1)).toContainText("failed");
  await say(page, "help");
  await expect(turn(page, 2)).toBeVisible();
});

test.describe("slowly", () => {
  test.use({ settings: { pace: 40 } });

  test("messages wait while the agent works, can be taken back, and are held by a stop", {
    tag: "@phone",
  }, async ({ page, daemon }) => {
    const session = await daemon.session(await daemon.project("ledger"), { prompt: "slow" });
    await open(page, session);
    await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
    await say(page, "and then text");
    await expect(timeline(page).getByText("Queued, sent after this turn")).toBeVisible();
    await page.getByRole("button", { name: "Take back" }).click();
    await expect(timeline(page).getByText("Queued, sent after this turn")).toBeHidden();
    await expect(timeline(page).getByText(/taken back/i)).toBeVisible();
    await say(page, "think");
    await expect(timeline(page).getByText("Queued, sent after this turn")).toBeVisible();
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(turn(page, 1)).toContainText("stopped");
    // D16: who stops it does not want the next instead; that is said, and how it goes on.
    await expect(timeline(page).getByText(/1 message is held/)).toBeVisible();
    expect((await daemon.events(session.id)).filter((one) => one.type === "turn.started")).toHaveLength(1);
    await timeline(page).getByRole("button", { name: "Let it go on" }).click();
    await expect(turn(page, 2)).toBeVisible();
    await expect(timeline(page).getByText("I have thought about it.")).toBeVisible();
    const said = (await daemon.events(session.id)).filter((one) => one.type === "message.delivered");
    expect(said).toHaveLength(2);
  });

  test("Escape twice stops the turn", { tag: "@desktop" }, async ({ page, daemon }) => {
    const session = await daemon.session(await daemon.project("ledger"), { prompt: "slow" });
    await open(page, session);
    await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
    // Both within a second, which a busy machine may miss.
    await expect(async () => {
      await composer(page).press("Escape");
      await page.keyboard.press("Escape");
      await expect(turn(page, 1)).toContainText("stopped", { timeout: 5000 });
    }).toPass();
  });
});
