/** What lies beside sessions: search, files and their changes, rules, appearance. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../src/link/types";
import { until } from "./harness/daemon";
import { expect, test } from "./harness/test";
import { expectAccessible, open, timeline, turn } from "./harness/ui";

test("words are found in all sessions, and the hit leads to its place", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "think" });
  await daemon.settled(session.id);
  await daemon.session(project, { prompt: "help" });
  await page.goto("/search");
  await page.getByRole("searchbox").fill("thought about");
  const hit = page.getByRole("link", { name: /I have thought about it/ }).first();
  await expect(hit).toBeVisible();
  await expect(page).toHaveURL(/q=thought/);
  await expectAccessible(page, "search");
  await hit.click();
  await expect(page).toHaveURL(new RegExp(`${session.id}\\?at=\\d+`));
  await expect(timeline(page).getByText("I have thought about it.")).toBeInViewport();
  await page.goto("/search?q=nobodysaidthis");
  await expect(page.getByRole("heading", { name: /Nothing matches/ })).toBeVisible();
  // What was found is not shown for other words, which have no answer yet.
  await page.getByRole("searchbox").fill("thought about");
  await expect(hit).toBeVisible();
  await page.route(/\/api\/v1\/search\?/, () => {});
  await page.getByRole("searchbox").fill("thought");
  await expect(page).toHaveURL(/q=thought$/);
  await expect(hit).toHaveCount(0);
});

test("a line of the diff is commented on, and the session gets it", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger", { "src/post.rs": "fn post() {\n    insert();\n}\n" });
  const session = await daemon.session(project, { prompt: "help" });
  await daemon.settled(session.id);
  writeFileSync(join(project.path, "src/post.rs"), "fn post() {\n    insert(&key);\n}\n");
  await page.goto(`/p/${project.slug}/diff`);
  const file = page.getByRole("region", { name: "src/post.rs" });
  await expect(file.getByText("insert(&key);")).toBeVisible();
  await expectAccessible(page, "the diff");
  await file.locator(".line.added .number").filter({ hasText: /^2$/ }).click({ force: true });
  await page.getByRole("textbox", { name: /Comment on line 2/ }).fill("keep the old signature");
  await page.getByRole("button", { name: "Send to session" }).click();
  await expect(page.getByText(/^Stored in/)).toBeVisible();
  await page.getByRole("link", { name: "Open session" }).click();
  await expect(timeline(page).getByText(/keep the old signature/)).toBeVisible();
  await expect(turn(page, 2)).toBeVisible();
});

test("what reviewers left on files is shown at the line, in the tree and beside the diff", {
  tag: "@desktop",
}, async ({ page, daemon }) => {
  const project = await daemon.project("ledger", {
    "post.rs": "fn post() {\n    insert();\n}\n",
    "README.md": "# Ledger\n",
  });
  writeFileSync(join(project.path, "post.rs"), "fn post() {\n    insert(&key);\n}\n");
  const leave = (comment: object) => daemon.ask("POST", `/projects/${project.slug}/comments`, comment);
  await leave({
    path: "post.rs",
    line: 2,
    severity: "problem",
    body: "<b>Same transaction?</b>",
    author: "Ada",
  });
  await leave({ path: "README.md", severity: "note", body: "Say how to run it." });
  await page.goto(`/p/${project.slug}/diff`);
  const file = page.getByRole("region", { name: "post.rs" });
  const note = file.getByRole("note", { name: "Comment on line 2" });
  await expect(note).toContainText("Ada on line 2");
  await expect(note).toContainText("<b>Same transaction?</b>");
  await expect(file.getByRole("button", { name: /post\.rs.*1 ?comment/ })).toBeVisible();
  await expectAccessible(page, "a diff with comments");
  await page.getByRole("link", { name: /README\.md/ }).click();
  await expect(page.getByRole("note", { name: "Comment on the file" })).toContainText("Say how to run it.");
  await page.goto(`/p/${project.slug}/files`);
  await expect(page.getByRole("link", { name: /post\.rs.*1 ?comment/ })).toBeVisible();
  await page.getByRole("link", { name: /post\.rs/ }).click();
  await expect(page.getByRole("note", { name: "Comment on line 2" })).toBeVisible();
});

test("a comment is resolved, opened again and deleted, and says when its lines are gone", {
  tag: "@phone",
}, async ({ page, daemon, another }) => {
  const project = await daemon.project("ledger", { "post.rs": "fn post() {\n    insert();\n}\n" });
  const comments = `/projects/${project.slug}/comments`;
  await daemon.ask("POST", comments, { path: "post.rs", line: 2, body: "Same transaction?" });
  await daemon.ask("POST", comments, { path: "post.rs", line: 3, body: "Say why." });
  writeFileSync(join(project.path, "post.rs"), "fn post() {\n    add();\n}\n");
  await page.goto(`/p/${project.slug}/files?path=post.rs`);
  const outdated = page.getByRole("note", { name: "Comment on what was line 2" });
  await expect(outdated).toContainText("Outdated");
  await expect(outdated).toContainText("insert();");
  const other = page.getByRole("note", { name: "Comment on line 3" });
  await expect(other).not.toContainText("Outdated");
  await expectAccessible(page, "a file with an outdated comment");

  await other.getByRole("button", { name: "Resolve" }).click();
  await expect(other).toContainText(/Resolved by .+ · /);
  await page.reload();
  await expect(other).toContainText("Resolved");
  await expectAccessible(page, "a file with a resolved comment");
  const watching = (await another({ scope: "observe" })).page;
  await watching.goto(`/p/${project.slug}/files?path=post.rs`);
  await expect(watching.getByRole("note", { name: "Comment on line 3" })).toContainText("Resolved");
  await expect(watching.getByRole("button", { name: /Open again|Delete/ })).toHaveCount(0);
  await other.getByRole("button", { name: "Open again" }).click();
  await expect(other.getByText("Resolved")).toHaveCount(0);

  await outdated.getByRole("button", { name: "Delete" }).click();
  await outdated.getByRole("button", { name: "Press again to delete" }).click();
  await expect(outdated).toHaveCount(0);
  await expect(other).toBeVisible();
  const left = await daemon.ask<{ comments: { body: string }[] }>("GET", comments);
  expect(left.comments.map((one) => one.body)).toEqual(["Say why."]);
});

/** The console stays clean: nobody asks git where there is none. */
test("a folder without git says so", { tag: "@desktop" }, async ({ page, daemon }) => {
  const project = await daemon.project("notes");
  writeFileSync(join(project.path, "todo.txt"), "milk\n");
  // A busy daemon lists a folder before it has looked at it.
  await until(async () => {
    const { hasClaudeConfig } = await daemon.ask<Project>("GET", `/projects/${project.slug}`);
    return hasClaudeConfig != null;
  }, "the folder to be looked at");
  await page.goto(`/p/${project.slug}`);
  await expect(page.getByText(/^no git · /)).toBeVisible();
  await page.getByRole("link", { name: "Diff" }).click();
  await expect(page.getByRole("heading", { name: "There is no git here" })).toBeVisible();
  await daemon.git(project.path, "init", "--quiet", "--initial-branch=main");
  await expect(async () => {
    await page.getByRole("button", { name: "Look again" }).click();
    // The list beside the diff, where there is room for it, names the file too.
    await expect(page.getByRole("region", { name: "todo.txt" })).toBeVisible({ timeout: 2000 });
  }).toPass();
});

test("files are opened from the tree, and a line by its address", { tag: "@desktop" }, async ({
  page,
  daemon,
  watch,
}) => {
  const project = await daemon.project("ledger", {
    "src/post.rs": "fn one() {}\nfn two() {}\n",
    "README.md": "# L\n",
  });
  await page.goto(`/p/${project.slug}/files`);
  await page
    .getByRole("button", { name: /^src/ })
    .or(page.getByRole("link", { name: /^src/ }))
    .first()
    .click();
  await page.getByRole("link", { name: /post\.rs/ }).click();
  await expect(page.getByText("fn two() {}")).toBeVisible();
  await expectAccessible(page, "a file");
  await page.goto(`/p/${project.slug}/files?path=src%2Fpost.rs&line=2`);
  await expect(page.getByText("fn two() {}")).toBeVisible();
  // Words in all files, with the line, by keyboard alone.
  await page.goto(`/p/${project.slug}/files`);
  const field = page.getByRole("textbox", { name: "Find in files" });
  await field.fill("FN TWO(");
  const hit = page.getByRole("region", { name: "src/post.rs" }).getByRole("link", { name: /fn two/ });
  await expect(hit).toBeVisible();
  await expect(page.getByRole("main").getByText("1 line in 1 file.")).toBeVisible();
  await expectAccessible(page, "what was found in files");
  watch.allow(/status of 400/); // half a pattern is none
  await page.getByRole("button", { name: "Regular expression" }).press("Enter");
  await expect(page.getByRole("alert")).toContainText("unclosed group");
  await field.fill("fn\\s+two");
  await hit.press("Enter");
  await expect(page).toHaveURL(/line=2/);
  await expect(page.getByText("fn two() {}").last()).toBeVisible();
});

test("a rule is written, listed and removed", { tag: "@phone" }, async ({ page }) => {
  await page.goto("/settings/rules");
  await expect(page.getByRole("heading", { name: "No rules yet" })).toBeVisible();
  await page.getByRole("button", { name: "New rule" }).click();
  await page.getByRole("dialog").getByLabel("Rule", { exact: true }).fill("Bash(git status:*)");
  await expectAccessible(page, "a new rule");
  // The choice is Baton's own control, by keyboard too.
  const where = page.getByRole("dialog", { name: "New rule" }).getByRole("button", { name: /^Where: / });
  await where.press("Enter");
  await page.getByRole("button", { name: "Everywhere on this machine", pressed: true }).press("Enter");
  await expect(where).toBeFocused();
  await page.getByRole("dialog").getByRole("button", { name: "Save rule" }).click();
  // What goes unasked everywhere is said before it is stored.
  await expect(page.getByRole("alert")).toContainText("Bash(git status:*)");
  await expect(page.getByRole("alert")).toContainText("every project on this machine");
  await expectAccessible(page, "a rule for every project");
  await page.getByRole("dialog").getByRole("button", { name: "Save it for every project" }).click();
  // The form names the rule too, until it is stored.
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByText("Bash(git status:*)")).toBeVisible();
  await page.getByRole("button", { name: "Remove Bash(git status:*)" }).click();
  await page.getByRole("button", { name: "Press again to remove Bash(git status:*)" }).click();
  await expect(page.getByRole("heading", { name: "No rules yet" })).toBeVisible();
});

test("Claude Code's own rules are offered once, and taken over when ticked", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const own = { permissions: { allow: ["Bash(ls:*)", "Bash", "Skill(review)"], deny: ["Read(.env)"] } };
  mkdirSync(join(daemon.home, ".claude"), { recursive: true });
  writeFileSync(join(daemon.home, ".claude/settings.json"), JSON.stringify(own));
  await page.goto("/settings/rules");
  await expect(page.getByRole("heading", { name: "Claude Code’s own list" })).toBeVisible();
  await expect(page.getByRole("checkbox", { name: /Bash\(ls:\*\)/ })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: /every shell command/ })).not.toBeChecked();
  await expect(page.getByRole("checkbox", { name: /Cannot be taken over/ })).toBeDisabled();
  await expectAccessible(page, "Claude Code's own rules");
  await page.getByRole("button", { name: "No, keep asking" }).click();
  await page.reload();
  await expect(page.getByRole("heading", { name: "No rules yet" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Claude Code’s own list" })).toBeHidden();
  await page.getByRole("button", { name: "Claude Code’s own list" }).click();
  await page.getByRole("button", { name: "Take over 2 rules" }).click();
  await expect(page.getByText("Denies reading `.env` anywhere in the project")).toBeVisible();
  await expect
    .poll(async () => {
      const { items } = await daemon.ask<{ items: { rule: string }[] }>("GET", "/rules");
      return items.map((one) => one.rule).sort();
    })
    .toEqual(["Bash(ls:*)", "Read(.env)"]);
});

test("a link made in settings lets another browser in", { tag: "@desktop" }, async ({
  page,
  browser,
  watch,
}) => {
  await page.goto("/settings/devices");
  await expect(page.getByText("This device", { exact: true })).toBeVisible();
  await expect(page.getByText(/^May do everything · signed in by link just now · seen/)).toBeVisible();
  await page.getByRole("button", { name: "Watch" }).click();
  await page.getByRole("button", { name: "Make a link" }).click();
  const address = await page
    .getByText(/#link=/)
    .first()
    .textContent();
  const context = await browser.newContext();
  await watch.over(context);
  const other = await context.newPage();
  await other.goto(address ?? "");
  await expect(other.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
  await context.close();
  await page.reload();
  await expect(page.getByText(/^May watch/)).toBeVisible();
});

test("usage counts what finished turns cost", { tag: "@phone" }, async ({ page, daemon }) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "help" });
  await daemon.settled(session.id);
  await page.goto("/usage");
  await expect(page.getByRole("heading", { name: "Usage" })).toBeVisible();
  await expectAccessible(page, "usage");
});

test("signing out ends the session of this browser", { tag: "@phone" }, async ({ page, watch }) => {
  watch.allow(/status of 401/);
  await page.goto("/settings/about");
  await page.getByRole("button", { name: "Sign out this device" }).click();
  await page.getByRole("button", { name: "Press again to sign out" }).click();
  await expect(page).toHaveURL(/\/signin/);
  await page.goto("/");
  await expect(page).toHaveURL(/\/signin/);
});

test("a session is renamed, found again by its words and exported", { tag: "@desktop" }, async ({
  page,
  daemon,
  browser,
}) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "help" });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  await page.getByRole("button", { name: "Session menu" }).click();
  await page.getByRole("button", { name: /Rename/ }).click();
  await page.getByLabel("Title").fill("A better name");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "A better name", level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Session menu" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Export events/ }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/\.(ndjson|jsonl)$/);
  await page.getByRole("button", { name: "Session menu" }).click();
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Save as a page/ }).click(),
  ]);
  // It reads anywhere, in both themes, and nothing in it runs.
  const text = readFileSync(await saved.path(), "utf8");
  const reader = await (await browser.newContext({ offline: true })).newPage();
  await reader.setContent(text);
  await expect(reader.getByRole("heading", { name: "A better name", level: 1 })).toBeVisible();
  expect(
    await reader.evaluate(() => getComputedStyle(document.querySelector(".you") as Element).borderRadius),
  ).not.toBe("0px");
  for (const colorScheme of ["light", "dark"] as const) {
    await reader.emulateMedia({ colorScheme });
    await expectAccessible(reader, `a saved page, ${colorScheme}`);
  }
  expect(await reader.evaluate(() => document.scripts.length)).toBe(0);
  await reader.context().close();
});
