/** Answers that reach further than one request: rules and plans; and requests that end without one. */
import type { Envelope } from "../src/gen/events";
import { fake } from "./harness/fake";
import { holdableLine } from "./harness/line";
import { expect, test } from "./harness/test";
import { open, request, say, timeline, turn } from "./harness/ui";

const resolved = (events: Envelope[]) =>
  events.flatMap((event) => (event.type === "approval.resolved" ? [event.payload] : []));

test.describe("a rule", () => {
  test.use({ settings: fake() });

  // 40
  test("is shown whole before it is saved, and then asks no more", { tag: "@phone" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "bash test -n before" });
    await daemon.answer(await daemon.asked(session.id), { decision: "deny" });
    await daemon.settled(session.id);
    await open(page, session);
    await say(page, "bash test -n first");
    const card = await request(page);
    await card.getByRole("button", { name: "Allow always…" }).click();
    const sheet = page.getByRole("dialog", { name: "Allow always" });
    // The rule, how wide it is, what that means, where it counts, and what it would have done.
    await expect(sheet.locator("pre")).toHaveText("Bash(test -n first)");
    await expect(sheet.getByText("Allow exactly this command without asking.")).toBeVisible();
    await sheet.getByRole("button", { name: /^test …/ }).click();
    await expect(sheet.locator("pre")).toHaveText("Bash(test:*)");
    await expect(sheet.getByText("Allow commands that start with test without asking.")).toBeVisible();
    await sheet.getByRole("radio", { name: /This session/ }).check();
    await expect(sheet.getByText(/Looking back at \d+ request/)).toBeVisible();
    await expect(sheet.getByText(/1 was denied/)).toBeVisible();
    await sheet.getByRole("button", { name: "Show what was denied" }).click();
    await expect(sheet.getByText("test -n before")).toBeVisible();
    await sheet.getByRole("button", { name: "Save rule and allow" }).click();
    await expect(timeline(page).getByText(/Allowed always, rule Bash\(test:\*\) · you/)).toBeVisible();
    await expect(turn(page, 2)).toBeVisible();

    await say(page, "bash test -n second");
    await expect(turn(page, 3)).toBeVisible();
    await expect(timeline(page).getByText(/Allowed by rule Bash\(test:\*\)/)).toBeVisible();
    const last = resolved(await daemon.events(session.id)).at(-1);
    expect(last).toMatchObject({ decision: "allow", by: "rule" });
    const rules = await daemon.ask<{ items: { rule: string }[] }>("GET", "/rules");
    expect(JSON.stringify(rules)).not.toContain("undefined");
  });
});

test.describe("a rule for every project", () => {
  test.use({ settings: fake() });

  test("says what will go unasked, and is stored by a second press", { tag: "@phone" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "bash touch made" });
    await open(page, session);
    const card = await request(page);
    await card.getByRole("button", { name: "Allow always…" }).click();
    const sheet = page.getByRole("dialog", { name: "Allow always" });
    await sheet.getByRole("radio", { name: /Everywhere/ }).check();
    const rule = await sheet.locator("pre").textContent();
    await sheet.getByRole("button", { name: "Save rule and allow" }).click();
    const said = sheet.getByRole("alert");
    await expect(said).toContainText(rule ?? "");
    await expect(said).toContainText("for every project on this machine");
    const rules = () => daemon.ask<{ items: { rule: string; scope: string }[] }>("GET", "/rules");
    expect((await rules()).items).toEqual([]);
    expect(resolved(await daemon.events(session.id))).toEqual([]);
    await sheet.getByRole("button", { name: "Save it for every project" }).click();
    await expect(turn(page, 1)).toBeVisible();
    expect((await rules()).items).toMatchObject([{ rule, scope: "user" }]);
  });
});

test.describe("a plan", () => {
  test.use({ settings: fake() });
  const plan = "PLAN[## Plan\n\n1. Read the ledger\n2. Add the keys\n3. Test it]";
  const sheetOf = (page: import("@playwright/test").Page) => page.getByRole("dialog", { name: "Plan" });
  const read = (page: import("@playwright/test").Page) =>
    page.getByRole("group", { name: "Plan to approve" }).getByRole("button", { name: "Read plan" }).click();

  // 42
  for (const [name, mode, asked] of [
    ["Ask first", "default", true],
    ["Accept edits", "acceptEdits", false],
  ] as const)
    test(`is approved into ${name}`, { tag: asked ? "@phone" : "@desktop" }, async ({ page, daemon }) => {
      const project = await daemon.project("ledger");
      const session = await daemon.session(project, {
        agent: "claude",
        permissionMode: "plan",
        prompt: `${plan} WRITE[a.txt|one]`,
      });
      await open(page, session);
      await read(page);
      const sheet = sheetOf(page);
      await expect(sheet.getByRole("listitem")).toHaveText(["Read the ledger", "Add the keys", "Test it"]);
      await sheet.getByText(name, { exact: true }).click();
      await expect(sheet.getByRole("radio", { name })).toBeChecked();
      await sheet.getByRole("button", { name: "Approve plan" }).click();
      await expect(timeline(page).getByText(/Approved · you/)).toBeVisible();
      if (asked)
        await (await request(page, "Write a.txt?")).getByRole("button", { name: "Allow once" }).click();
      await expect(turn(page, 1)).toBeVisible();
      expect((await daemon.view(session.id)).permissionMode).toBe(mode);
      const receipts = timeline(page).getByText(/Allowed once · you/);
      await expect(receipts).toHaveCount(asked ? 1 : 0);
    });

  // 42
  test("that was sent back must be read again when it comes changed", { tag: "@desktop" }, async ({
    page,
    daemon,
    another,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, {
      agent: "claude",
      permissionMode: "plan",
      prompt: "PLAN[Use one table.] PLAN[Use two tables.]",
    });
    await open(page, session);
    const other = (await another()).page;
    await open(other, session);
    await read(other);
    await expect(sheetOf(other).getByText("Use one table.", { exact: true })).toBeVisible();
    await read(page);
    const sheet = sheetOf(page);
    await sheet.getByRole("button", { name: "Keep planning…" }).click();
    await expect(sheet.getByRole("button", { name: "Keep planning", exact: true })).toBeDisabled();
    await sheet.getByRole("textbox", { name: "What should change" }).fill("two tables, please");
    await sheet.getByRole("button", { name: "Keep planning", exact: true }).click();
    // Whoever was reading the old one has nothing left to approve, and starts over.
    await expect(sheetOf(other)).toHaveCount(0);
    await expect(other.getByRole("group", { name: "Plan to approve" })).toContainText("Use two tables.");
    await read(other);
    await expect(sheetOf(other).getByText("Use two tables.", { exact: true })).toBeVisible();
    await sheetOf(other).getByRole("button", { name: "Approve plan" }).click();
    await expect(turn(page, 1)).toBeVisible();
    const ends = resolved(await daemon.events(session.id));
    expect(ends[0]).toMatchObject({ decision: "deny", message: "two tables, please" });
    expect(ends[1]).toMatchObject({ decision: "allow" });
  });
});

// 42: no agent does it today, but what is approved is what the request says now.
test("a plan that changes under the same request must be read again", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const line = await holdableLine(page);
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "plan" });
  await open(page, session);
  await page.getByRole("button", { name: "Read plan" }).click();
  const sheet = page.getByRole("dialog", { name: /^Plan/ });
  const approve = sheet.getByRole("button", { name: "Approve plan" });
  await expect(approve).toHaveAttribute("aria-disabled", "false");
  const events = await daemon.events(session.id);
  const first = events.find((one) => one.type === "approval.requested");
  const steps = Array.from({ length: 60 }, (_, at) => `${at + 1}. Step number ${at + 1}`).join("\n\n");
  line.say({
    type: "event",
    event: {
      ...first,
      seq: events.length + 1,
      payload: { ...first?.payload, input: { plan: `# Another plan\n\n${steps}` } },
    },
  });
  await expect(sheet.getByRole("alert")).toContainText("changed while you were here");
  const unread = sheet.getByRole("button", { name: "Read to the end" });
  await expect(unread).toHaveAttribute("aria-disabled", "true");
  await unread.dispatchEvent("click");
  await expect(sheet).toBeVisible();
  await sheet.getByText("Step number 60").scrollIntoViewIfNeeded();
  await expect(approve).toHaveAttribute("aria-disabled", "false");
  expect(resolved(await daemon.events(session.id))).toEqual([]);
});

test.describe("a request that nobody answers", () => {
  // 46
  test.describe("in time", () => {
    test.use({ settings: fake({ BATON_AGENT_APPROVAL_TIMEOUT_MS: "4000" }) });

    test("says that it expired", { tag: "@phone" }, async ({ page, daemon }) => {
      const project = await daemon.project("ledger");
      const session = await daemon.session(project, { agent: "claude", prompt: "bash test -n one" });
      await open(page, session);
      await expect(timeline(page).getByText(/^Denied, because nobody answered in time/)).toBeVisible();
      await expect(page.locator("[data-armed]")).toHaveCount(0);
      await expect(turn(page, 1)).toBeVisible();
      await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
    });
  });

  test.describe("before the turn is stopped", () => {
    test.use({ settings: fake() });

    test("says that it was cancelled", { tag: "@desktop" }, async ({ page, daemon }) => {
      const project = await daemon.project("ledger");
      const session = await daemon.session(project, { agent: "claude", prompt: "bash test -n one" });
      await open(page, session);
      await request(page);
      await page.getByRole("button", { name: "Stop" }).click();
      await expect(timeline(page).getByText(/^Cancelled/)).toBeVisible();
      await expect(page.locator("[data-armed]")).toHaveCount(0);
      await daemon.settled(session.id);
      await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
    });

    test("leaves nothing that looks alive when the session ends", { tag: "@phone" }, async ({
      page,
      daemon,
    }) => {
      const project = await daemon.project("ledger");
      const session = await daemon.session(project, { agent: "claude", prompt: "bash test -n one" });
      await open(page, session);
      await request(page);
      await daemon.ask("POST", `/sessions/${session.id}/stop`, {});
      await expect(timeline(page).getByText(/^Cancelled/)).toBeVisible();
      await expect(
        page
          .getByText(/Stopped/)
          .filter({ visible: true })
          .first(),
      ).toBeVisible();
      await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
      await expect(page.locator("[aria-busy='true']")).toHaveCount(0);
      await expect(timeline(page).getByText("Running")).toHaveCount(0);
      await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
    });
  });
});
