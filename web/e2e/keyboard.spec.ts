/** Every flow by the keyboard alone: no test here touches a mouse. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { fake } from "./harness/fake";
import { expect, test } from "./harness/test";
import { composer, open, request, timeline, turn, uncovered } from "./harness/ui";

test.use({ settings: fake() });

/** Goes on with Tab until it is there. */
async function tabTo(page: Page, wanted: Locator, most = 60): Promise<void> {
  for (let press = 0; press < most; press++) {
    if (await wanted.evaluateAll((all) => all.includes(document.activeElement as HTMLElement))) return;
    await page.keyboard.press("Tab");
  }
  await expect(wanted).toBeFocused({ timeout: 1 });
}

/** Goes there and presses it. */
async function tabAndEnter(page: Page, wanted: Locator): Promise<void> {
  await expect(wanted.first()).toBeVisible();
  await tabTo(page, wanted);
  await page.keyboard.press("Enter");
}

test.describe("from the sign-in on", () => {
  test.use({ signed: false });

  test("a PIN, a folder, what it would run, words, a request, an answer", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    await daemon.pin("271828");
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
    const folder = join(daemon.home, "ledger");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify({ hooks }));
    await page.goto("/");
    await expect(page.getByText("Enter the PIN")).toBeVisible();
    await page.keyboard.type("271828");
    await page.keyboard.press("Enter");
    await tabAndEnter(page, page.getByRole("button", { name: "Choose a folder" }));
    await expect(page.getByRole("dialog", { name: "Add a folder" }).getByLabel(/^Folder on/)).toBeFocused();
    await page.keyboard.type("~/ledger");
    await page.keyboard.press("Enter");
    await expect(page.getByText("starts without 1 hook of this folder")).toBeVisible();
    await tabAndEnter(page, page.getByRole("main").getByRole("link", { name: "What it would run" }));
    await tabAndEnter(page, page.getByRole("button", { name: "Trust this folder" }));
    await expect(page.getByText("You trust this folder.")).toBeVisible();
    await tabAndEnter(page, page.getByRole("link", { name: "New session" }).filter({ visible: true }));
    await expect(page.getByText("starts without")).toHaveCount(0);
    await tabTo(page, page.getByLabel("What should be done?"));
    await page.keyboard.type("write a.txt|one");
    await page.keyboard.press("Enter");
    await tabAndEnter(page, (await request(page)).getByRole("button", { name: /^Allow once/ }));
    await expect(turn(page, 1)).toBeVisible();
  });
});

test("a question is answered, a plan sent back and then approved", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "question" });
  await open(page, session);
  const question = page.getByRole("group", { name: "Question" });
  await expect(question.getByRole("radio").first()).toBeVisible();
  await tabTo(page, question.getByRole("radio"));
  await page.keyboard.press("Space");
  await tabAndEnter(page, question.getByRole("button", { name: "Send answer" }));
  await expect(timeline(page).getByText(/^You chose /)).toBeVisible();
  await expect(turn(page, 1)).toBeVisible();
  const plan = page.getByRole("dialog", { name: "Plan" });
  const ask = async (): Promise<void> => {
    await tabTo(page, composer(page));
    await page.keyboard.type("plan");
    await page.keyboard.press("Enter");
    await tabAndEnter(page, page.getByRole("button", { name: "Read plan" }));
    await expect(plan.getByText("Run the tests")).toBeVisible();
  };
  await ask();
  await tabAndEnter(page, plan.getByRole("button", { name: /Keep planning/ }));
  await tabTo(page, plan.getByLabel("What should change"));
  await page.keyboard.type("begin with the tests");
  await tabAndEnter(page, plan.getByRole("button", { name: "Keep planning", exact: true }));
  await expect(timeline(page).getByText(/I was told: begin with the tests/)).toBeVisible();
  await expect(turn(page, 2)).toBeVisible();
  await ask();
  await tabAndEnter(page, plan.getByRole("button", { name: "Approve plan" }));
  await expect(timeline(page).getByText("The plan is approved; I would begin now.")).toBeVisible();
});

test.describe("while the agent works", () => {
  test.use({ settings: { pace: 40 } });

  test("a message waits and is taken back, and the turn is stopped", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const session = await daemon.session(await daemon.project("ledger"), { prompt: "slow" });
    await open(page, session);
    await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
    await tabTo(page, composer(page));
    await page.keyboard.type("and then text");
    await page.keyboard.press("Enter");
    await expect(timeline(page).getByText("Queued, sent after this turn")).toBeVisible();
    await tabAndEnter(page, page.getByRole("button", { name: "Take back" }));
    await expect(timeline(page).getByText("Queued, sent after this turn")).toBeHidden();
    await tabAndEnter(page, page.getByRole("button", { name: "Stop" }));
    await expect(turn(page, 1)).toContainText("stopped");
  });
});

test.describe("with the real CLI", () => {
  test.use({ settings: {}, cli: true });

  test("a message is gone back to and edited in a fork, which gets a name", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "first words" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await tabTo(page, composer(page));
    await page.keyboard.press("Escape");
    await expect(async () => {
      await page.keyboard.press("k");
      await expect(page.locator("[data-key]:focus [data-message]")).toHaveCount(1, { timeout: 500 });
    }).toPass();
    await page.keyboard.press(".");
    const dialog = page.getByRole("dialog");
    await tabAndEnter(page, dialog.getByRole("button", { name: /Go back here/ }));
    await tabAndEnter(page, dialog.getByRole("button", { name: "Edit in a fork" }));
    await expect(page).not.toHaveURL(new RegExp(session.id));
    await expect(composer(page)).toHaveValue("first words");
    await tabTo(page, composer(page));
    await page.keyboard.press("Control+a");
    await page.keyboard.type("better words");
    await page.keyboard.press("Enter");
    await expect(timeline(page).getByText("You said: better words")).toBeVisible();
    await expect(turn(page, 1)).toBeVisible();
    await tabAndEnter(page, page.getByRole("button", { name: "Session menu" }));
    await tabAndEnter(page, dialog.getByRole("button", { name: /^Rename/ }));
    await expect(dialog.getByLabel("Title")).toBeFocused();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("The better one");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "The better one", level: 1 })).toBeVisible();
  });
});

test("another device is let in, and this one signed out", { tag: "@desktop" }, async ({ page, watch }) => {
  watch.allow(/status of 401/); // What was under way when it was signed out.
  await page.goto("/settings/devices");
  await tabAndEnter(page, page.getByRole("button", { name: "Make a link" }));
  await expect(page.getByText(/#link=/).first()).toBeVisible();
  await page.goto("/settings/about");
  await tabAndEnter(page, page.getByRole("button", { name: "Sign out this device" }));
  await tabAndEnter(page, page.getByRole("button", { name: "Press again to sign out" }));
  await expect(page).toHaveURL(/\/signin/);
});

test("words are searched for, and the hit leads to their place", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "think" });
  await daemon.settled(session.id);
  await page.goto("/search");
  await tabTo(page, page.getByLabel("Search all sessions"));
  await page.keyboard.type("thought about");
  await page.keyboard.press("Enter");
  await tabAndEnter(page, page.getByRole("main").locator(`a[href*="${session.id}"]`));
  await expect(timeline(page).getByText("I have thought about it.")).toBeInViewport();
});

test("a rule is written, and removed again", { tag: "@desktop" }, async ({ page }) => {
  await page.goto("/settings/rules");
  await tabAndEnter(page, page.getByRole("button", { name: "New rule" }));
  const sheet = page.getByRole("dialog", { name: "New rule" });
  await expect(sheet.getByLabel("Rule", { exact: true })).toBeFocused();
  await page.keyboard.type("Bash(git status:*)");
  await tabAndEnter(page, sheet.getByRole("button", { name: "Save rule" }));
  // It would hold everywhere, so that takes a second press, and not one by mistake.
  const sure = sheet.getByRole("button", { name: "Save it for every project" });
  await expect(sure).toHaveAttribute("aria-disabled", "false");
  await tabAndEnter(page, sure);
  await uncovered(page);
  await tabAndEnter(page, page.getByRole("button", { name: "Remove Bash(git status:*)" }));
  await tabAndEnter(page, page.getByRole("button", { name: "Press again to remove Bash(git status:*)" }));
  await expect(page.getByRole("heading", { name: "No rules yet" })).toBeVisible();
});

test("the first Tab leads past the rail", { tag: "@desktop" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger");
  await daemon.session(project, { prompt: "say hello", agent: "claude" });
  await page.goto("/settings");
  await expect(page.getByRole("heading", { name: "Settings" })).toBeFocused();
  const skip = page.getByRole("button", { name: "Skip to the content" });
  const first = page.locator("a[href], button:not([disabled]), input, textarea, [tabindex='0']").first();
  await first.focus();
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Settings" })).toBeFocused();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest(".rail"))).toBeNull();
});

/** D11. */
test("Tab goes through a request as the eye does", async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), {
    agent: "claude",
    prompt: "write a.txt|one",
  });
  await open(page, session);
  const card = await request(page);
  const places = await card.locator(".actions button").evaluateAll((all) =>
    all.map((one) => {
      const { left, top } = one.getBoundingClientRect();
      return { name: (one.textContent ?? "").slice(0, 12), at: Math.round(top / 40) * 10_000 + left };
    }),
  );
  expect(places).toHaveLength(4);
  expect(places.map((one) => one.name)).toEqual(
    places.toSorted((a, b) => a.at - b.at).map((one) => one.name),
  );
});

/** D11. */
test("sheets open on their field, and give the focus back", { tag: "@desktop" }, async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), {
    agent: "claude",
    prompt: "write a.txt|one",
  });
  await open(page, session);
  const card = await request(page);
  const deny = card.getByRole("button", { name: "Deny" });
  await deny.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Deny" }).getByRole("textbox")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(deny).toBeFocused();
  for (const [path, opener, title] of [
    [`/s/${session.id}`, "Session menu", "Rename"],
    ["/settings/rules", "New rule", ""],
  ] as const) {
    await page.goto(path);
    await tabTo(page, page.getByRole("button", { name: opener }).first());
    await page.keyboard.press("Enter");
    if (title) {
      await tabTo(page, page.getByRole("dialog").getByRole("button", { name: title }));
      await page.keyboard.press("Enter");
    }
    const sheet = page.getByRole("dialog").last();
    await expect(sheet.locator("input:focus, textarea:focus")).toHaveCount(1);
    await page.keyboard.press("Escape");
    await uncovered(page);
  }
});

test("a message is written, a request denied with a reason, another allowed", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  await daemon.project("web-shop");
  const { id } = await daemon.session(project, { agent: "claude", prompt: "say hello" });
  await daemon.settled(id);
  await page.goto("/");
  await expect(page.locator("main [data-item]").first()).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(composer(page)).toBeFocused();
  await page.keyboard.type("write a.txt|one");
  await page.keyboard.press("Enter");
  await request(page);
  await page.keyboard.press("Escape");
  await expect(async () => {
    await page.keyboard.press("j");
    await expect(page.locator("[data-key]:focus [data-armed]")).toHaveCount(1, { timeout: 500 });
  }).toPass();
  await page.keyboard.press("n");
  await expect(page.getByRole("dialog", { name: "Deny" }).getByRole("textbox")).toBeFocused();
  await page.keyboard.type("use the other file");
  await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Deny", exact: true }));
  await page.keyboard.press("Enter");
  await expect(turn(page, 2)).toBeVisible();
  await expect(
    timeline(page)
      .getByText(/use the other file/)
      .first(),
  ).toBeVisible();
  await tabTo(page, composer(page));
  await page.keyboard.type("write b.txt|two");
  await page.keyboard.press("Enter");
  const card = await request(page);
  await tabTo(page, card.getByRole("button", { name: /^Allow once/ }));
  await page.keyboard.press("Enter");
  await expect(turn(page, 3)).toBeVisible();
});

test("a line is commented on, and the comment sent", { tag: "@desktop" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger", { "a.txt": "one\ntwo\nthree\n" });
  const { id } = await daemon.session(project, { agent: "claude", prompt: "say hello" });
  await daemon.settled(id);
  await page.goto(`/p/${project.slug}/files?path=a.txt`);
  await tabTo(page, page.getByRole("button", { name: "Comment on line 1" }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-comment] textarea")).toBeFocused();
  await page.keyboard.type("say why");
  await tabTo(page, page.getByRole("button", { name: "Send to session" }));
  await page.keyboard.press("Enter");
  await expect
    .poll(async () => (await daemon.events(id)).filter((event) => event.type === "user.message").length)
    .toBe(2);
});

test("a choice of looks, and the way back", { tag: "@desktop" }, async ({ page }) => {
  await page.goto("/settings/appearance");
  await tabTo(page, page.getByRole("group", { name: "Theme" }).getByRole("radio"));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await tabTo(page, page.getByRole("group", { name: "Text size" }).getByRole("radio"));
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("html")).toHaveAttribute("data-text", "large");
});
