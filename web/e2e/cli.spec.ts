/** The real CLI on the scripted model: what it asks, what it does on disk, and going back. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./harness/test";
import { allow, choose, composer, expectAccessible, open, request, say, timeline, turn } from "./harness/ui";
import { UNREACHABLE } from "./harness/watch";

test.use({ cli: true });

test("a write is shown as it would be, allowed, and on disk", { tag: "@phone" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger", { "src/main.rs": "fn main() {}\n" });
  const session = await daemon.session(project, {
    agent: "claude",
    prompt: "WRITE[src/flow.rs|fn flow() {}]",
  });
  await open(page, session);
  const card = await request(page, "Write flow.rs?");
  await expect(card).toContainText("fn flow() {}");
  await expectAccessible(page, "a request");
  expect(existsSync(join(project.path, "src/flow.rs"))).toBe(false);
  await allow(card);
  await expect(timeline(page).getByText(/Allowed once · you/)).toBeVisible();
  await expect(turn(page, 1)).toBeVisible();
  expect(readFileSync(join(project.path, "src/flow.rs"), "utf8")).toBe("fn flow() {}");
});

test("a denied command does not run, and the agent hears why", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "RUN[touch made-by-agent]" });
  await open(page, session);
  const card = await request(page, "Run a command?");
  await card.getByRole("button", { name: /^Deny/ }).click();
  await page.getByLabel(/Tell the agent why/).fill("use the test folder");
  await page.getByRole("dialog").getByRole("button", { name: "Deny", exact: true }).click();
  await expect(timeline(page).getByText(/Denied · you · “use the test folder”/)).toBeVisible();
  await expect(turn(page, 1)).toBeVisible();
  await expect(
    timeline(page).getByRole("button", { name: /^Run touch made-by-agent.*Not run/ }),
  ).toBeVisible();
  expect(existsSync(join(project.path, "made-by-agent"))).toBe(false);
  const told = (await daemon.events(session.id)).find((one) => one.type === "tool.completed");
  expect(JSON.stringify(told?.payload)).toContain("use the test folder");
});

test("a command is changed before it is allowed, and the changed one runs", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "RUN[touch first]" });
  await open(page, session);
  const card = await request(page, "Run a command?");
  await card.getByRole("button", { name: /^Edit/ }).click();
  await page.getByLabel("Command", { exact: true }).fill("touch second");
  await expect(page.getByRole("heading", { name: "What you change" })).toBeVisible();
  await expectAccessible(page, "editing a request");
  await page.getByRole("button", { name: "Allow changed version" }).click();
  await expect(timeline(page).getByText(/Allowed, changed by you/)).toBeVisible();
  await expect(turn(page, 1)).toBeVisible();
  await expect(timeline(page).getByRole("button", { name: /^Ran touch second/ })).toBeVisible();
  expect(existsSync(join(project.path, "first"))).toBe(false);
  expect(existsSync(join(project.path, "second"))).toBe(true);
});

test("what is always allowed is not asked again", { tag: "@desktop" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger");
  const prompt = "RUN[mkdir -p always/one] RUN[mkdir -p always/one]";
  const session = await daemon.session(project, { agent: "claude", prompt });
  await open(page, session);
  const card = await request(page, "Run a command?");
  await card.getByRole("button", { name: /Allow always/ }).click();
  const sheet = page.getByRole("dialog", { name: "Allow always" });
  await expect(sheet.getByText(/Looking back at/)).toBeVisible();
  await expectAccessible(page, "a rule");
  await sheet.getByText("This session").click();
  await sheet.getByRole("button", { name: "Save rule and allow" }).click();
  await expect(timeline(page).getByText(/Allowed by rule/)).toBeVisible();
  await expect(turn(page, 1)).toBeVisible();
  const asked = (await daemon.events(session.id)).filter((one) => one.type === "approval.resolved");
  expect(asked.map((one) => (one.payload as { by: string }).by)).toEqual(["user", "rule"]);
});

test("a question of the real CLI is answered", { tag: "@phone" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger");
  const prompt = "ASK[Which cache?|Redis|Memory]";
  await open(page, await daemon.session(project, { agent: "claude", prompt }));
  const question = page.getByRole("group", { name: "Question" });
  await question.getByText("Redis").first().click();
  await question.getByRole("button", { name: "Send answer" }).click();
  await expect(timeline(page).getByText("Which cache?", { exact: true })).toBeVisible();
  await expect(turn(page, 1)).toBeVisible();
});

test("a plan of the real CLI is read and approved into a mode", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "hello", permissionMode: "plan" });
  await daemon.settled(session.id);
  // The CLI presents what is in a file, whose name only its model is told.
  const plans = join(daemon.home, ".claude", "plans");
  mkdirSync(plans, { recursive: true });
  writeFileSync(join(plans, `${slugOf(daemon.home)}.md`), "## Cache\n\n1. Add Redis\n2. Test it\n");
  await open(page, session);
  await say(page, "PLAN[as in the file]");
  await page.getByRole("button", { name: "Read plan" }).click();
  const sheet = page.getByRole("dialog", { name: "Plan" });
  await expect(sheet.getByText("Add Redis")).toBeVisible();
  await sheet.getByText("Accept edits").click();
  await sheet.getByRole("button", { name: "Approve plan" }).click();
  await expect(turn(page, 2)).toBeVisible();
  await expect.poll(async () => (await daemon.view(session.id)).permissionMode).toBe("acceptEdits");
});

/** What the CLI calls its conversation in file names, as its transcript has it. */
function slugOf(home: string): string {
  const folder = join(home, ".claude", "projects");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const texts = names
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const slug = /"slug":"([^"]+)"/.exec(texts.join("\n"))?.[1];
  if (!slug) throw new Error("no transcript names a slug");
  return slug;
}

test("a sub-agent's request is answered from its parent's row", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const prompt = "AGENT[RUN[touch from-below]]";
  const session = await daemon.session(project, { agent: "claude", prompt });
  await open(page, session);
  const parent = timeline(page).getByRole("button", { name: /^Agent helper.*Needs you/ });
  await expect(parent).toBeVisible();
  const card = await request(page, "Run a command?");
  await allow(card);
  await expect(turn(page, 1)).toBeVisible();
  expect(existsSync(join(project.path, "from-below"))).toBe(true);
});

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR42mOItr/8YYsmg/z87GuuAQAqiwXP5i3yXwAAAABJRU5ErkJggg==";

test("a picture goes in with a message, and one that is read comes out", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  writeFileSync(join(project.path, "shot.png"), Buffer.from(PIXEL, "base64"));
  const session = await daemon.session(project, { agent: "claude", prompt: "hello" });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  await page.locator("input[type=file]").setInputFiles({
    name: "screen.png",
    mimeType: "image/png",
    buffer: Buffer.from(PIXEL, "base64"),
  });
  await expect(page.getByRole("group", { name: "Composer" }).getByText("screen.png")).toBeVisible();
  await say(page, `READ[${join(project.path, "shot.png")}]`);
  await expect(turn(page, 2)).toBeVisible();
  await expect(timeline(page).getByRole("img", { name: "screen.png" })).toBeVisible();
  const picture = timeline(page).getByRole("img", { name: /^Made by the agent/ });
  await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(2);
  const sent = (await daemon.events(session.id)).filter((one) => one.type === "user.message").at(-1);
  expect(JSON.stringify(sent?.payload)).toContain("screen.png");
});

test("a session is forked from a message", { tag: "@phone" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "first words" });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  await say(page, "second words");
  await expect(turn(page, 2)).toBeVisible();
  const menus = timeline(page).getByRole("button", { name: "Actions for this message" });
  await choose(page, menus.last(), /Go back here/);
  await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click();
  await expect(page).not.toHaveURL(new RegExp(session.id));
  // What it begins with stands above the line that says where it comes from, and nothing after the cut does.
  const past = timeline(page).getByRole("region", { name: "Before the fork" });
  await expect(past.getByText("first words", { exact: true })).toBeVisible();
  await expect(past.getByText("You said: first words")).toBeVisible();
  await expect(timeline(page).getByText("second words")).toHaveCount(0);
  const from = timeline(page).getByText(/^Forked from first words at /);
  await expect(from).toBeVisible();
  const [history, line] = [await past.boundingBox(), await from.boundingBox()];
  expect((history?.y ?? 0) + (history?.height ?? 0)).toBeLessThanOrEqual(line?.y ?? 0);
  await expect(from.getByRole("link", { name: "first words" })).toHaveAttribute(
    "href",
    // At the very row with which it began.
    new RegExp(`${session.id}\\?at=\\d+$`),
  );
  await expectAccessible(page, "a fork");
  // It is called after the other until it has words of its own.
  await expect(page.getByRole("heading", { name: "first words, fork" })).toBeVisible();
  await say(page, "other words");
  await expect(timeline(page).getByText("You said: other words")).toBeVisible();
  await expect(page.getByRole("heading", { name: "other words" })).toBeVisible();
  await expect(turn(page, 1)).toBeVisible();
  // The one it was made from has not moved.
  await from.getByRole("link", { name: "first words" }).click();
  await expect(turn(page, 2)).toBeVisible();
  await expect(timeline(page).getByText("You said: other words")).toBeHidden();
  // And it leads to its fork, also for who comes later.
  for (const again of [false, true]) {
    if (again) await page.reload();
    const made = timeline(page)
      .getByText(/^Forked \d/)
      .getByRole("link", { name: "other words" });
    await expect(made).toBeVisible();
    await expect(made).not.toHaveAttribute("href", new RegExp(session.id));
  }
});

test("a message is edited and sent again in a fork", { tag: "@desktop" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "first words" });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  const menu = timeline(page).getByRole("button", { name: "Actions for this message" });
  await choose(page, menu, /Go back here/);
  await page.getByRole("dialog").getByRole("button", { name: "Edit in a fork" }).click();
  await expect(page).not.toHaveURL(new RegExp(session.id));
  await expect(composer(page)).toHaveValue("first words");
  // Nothing is sent by itself.
  await expect(turn(page, 1)).toBeHidden();
  await say(page, "better words");
  await expect(timeline(page).getByText("You said: better words")).toBeVisible();
});

test("files are put back to where they were, after they were listed", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger", { "notes.txt": "before\n" });
  const file = join(project.path, "notes.txt");
  const session = await daemon.session(project, {
    agent: "claude",
    prompt: `EDIT[${file}|before|after]`,
    permissionMode: "acceptEdits",
  });
  await open(page, session);
  await expect(turn(page, 1)).toBeVisible();
  expect(readFileSync(file, "utf8")).toBe("after\n");
  const menu = timeline(page).getByRole("button", { name: "Actions for this message" });
  await choose(page, menu, /Go back here/);
  await page.getByRole("dialog").getByRole("button", { name: "Show which files" }).click();
  const sheet = page.getByRole("dialog", { name: "Rewind files" });
  await expect(sheet.getByText("notes.txt")).toBeVisible();
  await expect(sheet.getByText(/What shell commands changed is not covered/)).toBeVisible();
  await expectAccessible(page, "what a rewind would change");
  expect(readFileSync(file, "utf8")).toBe("after\n");
  await sheet.getByRole("button", { name: "Rewind 1 file" }).click();
  await expect(page.getByRole("dialog").getByText(/1 file went back/)).toBeVisible();
  expect(readFileSync(file, "utf8")).toBe("before\n");
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await expect(
    timeline(page)
      .getByText(/Rewound|put back/i)
      .first(),
  ).toBeVisible();
});

test("a session begun in a terminal goes on here", { tag: "@desktop" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger");
  await daemon.claude(["--print", "said in a terminal"], project.path);
  await page.goto(`/p/${project.slug}`);
  await expect(page.getByRole("heading", { name: "Begun in a terminal" })).toBeVisible();
  await page.getByRole("button", { name: /Resume said in a terminal/ }).click();
  await expect(timeline(page).getByText("You said: said in a terminal")).toBeVisible();
  await say(page, "said in Baton");
  await expect(timeline(page).getByText("You said: said in Baton")).toBeVisible();
  await page.goto(`/p/${project.slug}`);
  await expect(page.getByRole("heading", { name: "Sessions", exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Begun in a terminal" })).toBeHidden();
});

test("a request outlives a crash of the daemon", { tag: "@phone" }, async ({ page, daemon, watch }) => {
  // While there is no daemon nobody answers, and browsers say so.
  watch.allow(...UNREACHABLE);
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "WRITE[kept.txt|kept]" });
  await open(page, session);
  await request(page, "Write kept.txt?");
  await daemon.kill();
  await daemon.start();
  await allow(await request(page, "Write kept.txt?"));
  await expect(turn(page, 1)).toBeVisible();
  expect(readFileSync(join(project.path, "kept.txt"), "utf8")).toBe("kept");
});
