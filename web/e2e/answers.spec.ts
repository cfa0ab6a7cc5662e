/** Questions and plans: nothing that was written is lost, and what goes back says what it is about. */
import type { Page } from "@playwright/test";
import type { Envelope } from "../src/gen/events";
import { asks, fake, scripted } from "./harness/fake";
import { expect, test } from "./harness/test";
import { expectAccessible, open, timeline } from "./harness/ui";

const resolved = (events: Envelope[]) =>
  events.flatMap((event) => (event.type === "approval.resolved" ? [event.payload] : []));

const options = (...labels: string[]) => labels.map((label) => ({ label, description: `Take ${label}` }));

test.describe("several questions", () => {
  test.use({
    settings: scripted(
      ...asks("toolu_q", "AskUserQuestion", {
        questions: [
          {
            question: "Which store?",
            header: "Store",
            multiSelect: false,
            options: options("Redis", "SQLite"),
          },
          { question: "Again tomorrow?", header: "When", multiSelect: true, options: options("Yes", "No") },
          {
            question: "And the name?",
            header: "Name",
            multiSelect: false,
            options: options("Ledger", "Book"),
          },
        ],
      }),
    ),
  });

  // D13, 41
  test("lose no word, keep their page, and are repeated in the order in which was asked", {
    tag: "@phone",
  }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "ask me" });
    await open(page, session);
    const card = page.getByRole("group", { name: "Question" });
    await expect(card.getByText("1 of 3")).toBeVisible();
    await card.getByText("SQLite", { exact: true }).click();
    await card.getByRole("button", { name: "Next" }).click();
    await card.getByRole("checkbox", { name: /^Yes/ }).check();
    await card.getByRole("checkbox", { name: /Something else/ }).check();
    const own = card.getByRole("textbox", { name: "Your own answer" });
    await expect(own).toBeFocused();
    // An empty one is neither sent nor dropped.
    await card.getByRole("button", { name: "Next" }).click();
    await expect(card.getByRole("alert")).toHaveText(/Write your own answer, or untick/);
    await expect(card.getByText("2 of 3")).toBeVisible();
    await expect(own).toBeFocused();
    await page.keyboard.type("at noon");
    await expect(card.getByRole("alert")).toHaveCount(0);
    await card.getByRole("button", { name: "Next" }).click();
    await expect(card.getByText("3 of 3")).toBeVisible();
    await page.reload();
    await expect(card.getByText("3 of 3")).toBeVisible();
    await card.getByText("Book", { exact: true }).click();
    await card.getByRole("button", { name: "Review" }).click();
    await expect(card.getByText("Review of 3")).toBeVisible();
    await expect(card.getByText("3 of 3", { exact: true })).toHaveCount(0);
    await expect(card.locator("dd")).toHaveText([/^SQLite/, /^Yes, at noon/, /^Book/]);
    await card.getByRole("button", { name: "Send answers" }).click();
    const receipt = timeline(page).locator("[data-approval] .answer");
    await expect(receipt).toHaveText([
      /Which store\?\s*SQLite/,
      /Again tomorrow\?\s*Yes, at noon/,
      /And the name\?\s*Book/,
    ]);
    const [end] = resolved(await daemon.events(session.id));
    expect(end).toMatchObject({
      modifiedInput: {
        answers: { "Which store?": "SQLite", "Again tomorrow?": "Yes, at noon", "And the name?": "Book" },
      },
    });
  });
});

test.describe("a plan with parts", () => {
  test.use({ settings: fake() });
  const plan = [
    "# Keys for the ledger",
    "",
    "Every entry gets a key.",
    "",
    "## Steps",
    "",
    "1. Read the ledger",
    "   - its header",
    "   - its rows",
    "2. Add the keys",
    "3. Test it",
    "",
    "## Risks",
    "",
    "- old files",
    "- slow disks",
  ].join("\n");
  const start = async (
    page: Page,
    daemon: Parameters<Parameters<typeof test>[2]>[0]["daemon"],
    text = plan,
  ) => {
    const project = await daemon.project("ledger");
    const prompt = `PLAN[${text}]`;
    const session = await daemon.session(project, { agent: "claude", permissionMode: "plan", prompt });
    await open(page, session);
    return session;
  };
  const sheetOf = (page: Page) => page.getByRole("dialog", { name: /^Plan/ });

  test("counts its steps and no other lines, and has an outline", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    await start(page, daemon);
    const card = page.getByRole("group", { name: "Plan to approve" });
    await expect(card.getByText("3 steps")).toBeVisible();
    await card.getByRole("button", { name: "Read plan" }).click();
    const outline = sheetOf(page).getByRole("navigation", { name: "Outline" });
    await expect(outline.getByRole("button")).toHaveText(["Keys for the ledger", "Steps", "Risks"]);
    const box = await sheetOf(page).boundingBox();
    expect(box?.width).toBeGreaterThan(900);
    await outline.getByRole("button", { name: "Risks" }).click();
    await expect(sheetOf(page).getByRole("heading", { name: "Risks" })).toBeInViewport();
    await expectAccessible(page, "a plan with an outline");
  });

  test("goes back with comments that quote the words they are about", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const session = await start(page, daemon);
    const read = page.getByRole("button", { name: "Read plan" });
    await read.click();
    const sheet = sheetOf(page);
    await sheet.getByRole("button", { name: "Comment on “2. Add the keys”" }).click();
    await expect(sheet.getByRole("textbox", { name: "Your comment" })).toBeFocused();
    await page.keyboard.type("Use two tables.");
    await page.keyboard.press("Control+Enter");
    await expect(sheet.getByText("Use two tables.")).toBeVisible();
    await sheet.getByRole("button", { name: "Comment on “- slow disks”" }).click();
    await sheet.getByRole("textbox", { name: "Your comment" }).fill("Which?");
    // What is still being written is kept when the plan is closed over it.
    await sheet.getByRole("button", { name: "Close" }).click();
    await read.click();
    await expect(sheet.getByText("Which?")).toBeVisible();
    // Kept over a reload.
    await page.reload();
    await read.click();
    await expect(sheet.getByText("Use two tables.")).toBeVisible();
    await expectAccessible(page, "a plan with comments");
    await expect(sheet.getByRole("button", { name: "Approve plan" })).toHaveCount(0);
    await expect(
      sheet.getByRole("button", { name: /Approve without comments|Read to the end/ }),
    ).toBeVisible();
    await sheet.getByRole("button", { name: "Keep planning with 2 comments…" }).click();
    await sheet.getByRole("textbox", { name: "What should change" }).fill("And soon.");
    await sheet.getByRole("button", { name: "Keep planning with 2 comments", exact: true }).click();
    await expect(sheet).toHaveCount(0);
    await expect.poll(async () => resolved(await daemon.events(session.id)).length).toBe(1);
    expect(resolved(await daemon.events(session.id))[0]).toMatchObject({
      decision: "deny",
      message: "> 2. Add the keys\n\nUse two tables.\n\n> - slow disks\n\nWhich?\n\nAnd soon.",
    });
  });

  test("shows long code whole: nobody approves what was folded away", { tag: "@phone" }, async ({
    page,
    daemon,
  }) => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`);
    await start(page, daemon, ["# Keys", "", "```", ...lines, "```"].join("\n"));
    await page.getByRole("button", { name: "Read plan" }).click();
    await expect(sheetOf(page).getByText("line 60")).toBeAttached();
    await expect(sheetOf(page).getByRole("button", { name: /^Show all/ })).toHaveCount(0);
    await expect(sheetOf(page).locator("[data-folded]")).toHaveCount(0);
  });
});
