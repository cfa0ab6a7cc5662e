/** A turn that fails: nobody may take it for an answer, and the way on is one press. */
import { writeFileSync } from "node:fs";
import { fake, type Step, script, scripted } from "./harness/fake";
import { holdCalls } from "./harness/line";
import { expect, test } from "./harness/test";
import { allow, expectAccessible, open, request, say, timeline, turn } from "./harness/ui";

test("is marked on the message, in the header and in every list, and can be tried again", async ({
  page,
  daemon,
  isMobile,
}) => {
  const project = await daemon.project("ledger");
  await daemon.project("web-shop");
  const session = await daemon.session(project, { prompt: "error" });
  await daemon.settled(session.id);
  await open(page, session);
  await expect(turn(page, 1)).toContainText("failed");
  const message = timeline(page).locator("[data-message]");
  await expect(message).toContainText("Failed");
  await expect(message).not.toContainText("Answered");
  await expect(page.locator("header").getByText("Failed").filter({ visible: true })).toBeVisible();
  await expect(page.locator("header").getByText("Idle")).toHaveCount(0);
  for (const path of ["/", `/p/${project.slug}`]) {
    await page.goto(path);
    const line = page.getByRole("main").getByRole("link").filter({ hasText: "error" });
    await expect(line, path).toContainText("Failed");
    await expect(line, path).not.toContainText("Idle");
  }
  if (!isMobile)
    await expect(page.getByRole("navigation", { name: "Sessions" }).getByText(/^Failed · /)).toBeVisible();

  await open(page, session);
  await timeline(page).getByRole("button", { name: "Try again" }).click();
  await expect(turn(page, 2)).toContainText("failed");
  await expect(timeline(page).locator("[data-message]")).toHaveCount(2);
  // Only what failed last is offered.
  await expect(timeline(page).getByRole("button", { name: "Try again" })).toHaveCount(1);
  const events = await daemon.events(session.id);
  const texts = events.flatMap((event) => (event.type === "user.message" ? [event.payload] : []));
  expect(texts.map((one) => one.text)).toEqual(["error", "error"]);
  expect(new Set(texts.map((one) => one.messageId)).size).toBe(2);

  await say(page, "help");
  await expect(turn(page, 3)).toBeVisible();
  await expect(timeline(page).getByRole("button", { name: "Try again" })).toHaveCount(0);
  await expect(page.locator("header").getByText("Idle").filter({ visible: true })).toBeVisible();
});

test.describe("with a file", () => {
  test.use({ settings: fake() });

  test("is tried again with the file", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "say Hello." });
    await daemon.settled(session.id);
    const data = Buffer.from("some words").toString("base64");
    const attachments = [{ name: "a.txt", mediaType: "text/plain", data }];
    await daemon.ask("POST", `/sessions/${session.id}/messages`, { text: "api-error 500", attachments });
    await daemon.settled(session.id);
    await open(page, session);
    await timeline(page).getByRole("button", { name: "Try again" }).click();
    await expect(turn(page, 3)).toBeVisible();
    const sent = (await daemon.events(session.id)).flatMap((event) =>
      event.type === "user.message" ? [event.payload] : [],
    );
    expect(sent[2]).toMatchObject({ text: sent[1]?.text, attachments: [{ name: "a.txt", bytes: 10 }] });
  });
});

test.describe("before the agent had the message", () => {
  test.use({ settings: script({ initialize: true }, { expect: { type: "user" } }, { exit: 1 }) });

  test("sends the message again from where it stands, once", { tag: "@phone" }, async ({
    page,
    daemon,
    settings,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude" });
    const data = Buffer.from("some words").toString("base64");
    const attachments = [{ name: "a.txt", mediaType: "text/plain", data }];
    await daemon.ask("POST", `/sessions/${session.id}/messages`, { text: "say Hello.", attachments });
    await daemon.settled(session.id);
    await open(page, session);
    await expect(turn(page, 1)).toContainText("failed");
    await expect(timeline(page).locator("[data-message]")).toContainText("Not delivered");
    // The way on is at the message, and only there.
    await expect(timeline(page).getByRole("button", { name: "Try again" })).toHaveCount(0);
    const again = timeline(page).getByRole("button", { name: "Send again" });
    await expect(again).toHaveCount(1);
    await expectAccessible(page, "a message that was not delivered");

    const well: Step[] = [{ serve: true }];
    writeFileSync(
      settings.env?.FAKE_CLAUDE_SCRIPT ?? "",
      well.map((step) => JSON.stringify(step)).join("\n"),
    );
    const file = await holdCalls(page, "GET", /\/images\//);
    await again.dblclick();
    await file.made;
    await expect(timeline(page).getByRole("button", { name: "Sending" })).toBeDisabled();
    file.release();
    await expect(timeline(page).getByText("Hello.", { exact: true })).toBeVisible();
    await expect(turn(page, 2)).toBeVisible();
    await expect(again).toHaveCount(0);
    await page.reload();
    await expect(turn(page, 2)).toBeVisible();
    await expect(again).toHaveCount(0);
    const sent = (await daemon.events(session.id)).flatMap((event) =>
      event.type === "user.message" ? [event.payload] : [],
    );
    expect(sent).toMatchObject([
      { text: "say Hello.", attachments: [{ name: "a.txt", bytes: 10 }] },
      { text: "say Hello.", attachments: [{ name: "a.txt", bytes: 10 }] },
    ]);
  });
});

test.describe("while it is being tried again", () => {
  test.use({
    settings: scripted(
      {
        emit: {
          type: "system",
          subtype: "api_retry",
          attempt: 3,
          max_retries: 10,
          retry_delay_ms: 600_000,
          error_status: 401,
          error: "authentication_failed",
          session_id: "$session",
        },
      },
      { hang: true },
    ),
  });

  test("the session and the lists say what happened, and when the next try is", async ({
    page,
    daemon,
    isMobile,
  }) => {
    const project = await daemon.project("ledger");
    await daemon.project("web-shop");
    const session = await daemon.session(project, { agent: "claude", prompt: "go" });
    await open(page, session);
    const WAITS = /^Next try \(3 of 10\) in (9|10) m.*: the sign-in was refused \(401\)$/;
    const told = page.getByRole("main").getByText(WAITS);
    await expect(told).toBeVisible();
    await expect(page.locator("header").getByText("Trying again").filter({ visible: true })).toBeVisible();
    // It has the width of the screen, not a column of it.
    expect((await told.boundingBox())?.height).toBeLessThanOrEqual(48);
    if (!isMobile) await expect(page.getByRole("navigation").getByText(WAITS)).toBeVisible();
    await page.goto("/");
    await expect(page.getByRole("main").getByText(WAITS)).toBeVisible();
  });
});

test.describe("what a list says an agent does", () => {
  test.use({ settings: fake() });

  test("is gone when it is done", { tag: "@desktop" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    await daemon.project("web-shop");
    const prompt = "bash test -n first\nhang";
    const session = await daemon.session(project, { agent: "claude", prompt });
    await open(page, session);
    const rail = page.getByRole("navigation", { name: "Sessions" });
    const card = await request(page);
    await allow(card);
    await expect(timeline(page).getByText(/Finished/)).toBeVisible();
    await expect(rail.getByText(/^Working · /)).toBeVisible();
    await expect(rail.getByText(/^Running /)).toHaveCount(0);
    expect((await daemon.view(session.id)).lastLabel ?? null).toBeNull();
  });
});
