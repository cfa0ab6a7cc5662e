/** Whose changes are whose: git knows the folder, the log knows the session. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fake } from "./harness/fake";
import { expect, test } from "./harness/test";
import { open, turn } from "./harness/ui";

test.use({ settings: fake() });

test("a session shows its own changes apart, and says what cannot be told", async ({
  page,
  daemon,
  isMobile,
  watch,
}) => {
  watch.allow(/status of 409/); // A message to a session that has ended continues it.
  const files = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" };
  const project = await daemon.project("ledger", files);
  const start = { agent: "claude", permissionMode: "acceptEdits" } as const;
  const mine = await daemon.session(project, { ...start, prompt: "write a.txt|mine" });
  await daemon.settled(mine.id);
  const other = await daemon.session(project, { ...start, prompt: "write b.txt|other" });
  await daemon.ask("PATCH", `/sessions/${other.id}`, { title: "The other" });
  await daemon.settled(other.id);
  writeFileSync(join(daemon.root, "projects", "ledger", "c.txt"), "by hand\n");
  await open(page, mine);
  await expect(turn(page, 1)).toBeVisible();
  await page.goto(`/s/${mine.id}/changes`);
  const panel = page.getByRole("complementary", { name: "Beside the timeline" });
  await expect(panel.getByRole("tab", { name: "Changes 1" })).toBeVisible();
  const heads = panel.getByRole("heading", { level: 2 });
  const order = async () => (await heads.allInnerTexts()).map((text) => text.split("\n")[0]?.trim());
  await expect
    .poll(order)
    .toEqual(["Changed by this session’s tools", "a.txt", "Changed otherwise", "b.txt", "c.txt"]);
  await expect(panel.getByText(/^By other sessions, by hand, or before it began\.$/)).toBeVisible();
  await expect(panel.getByText(/they may include changes by others/)).toBeVisible();
  await expect(panel.getByText(/was changed by the tools of/)).toHaveCount(0);
  // A file that two of them changed is both's, and says so.
  await daemon.say(other.id, "write a.txt|both");
  await expect(
    panel.getByText(/^a\.txt was changed by the tools of another session too:\s+The other$/),
  ).toBeVisible();
  await expect(panel.getByRole("link", { name: "The other" })).toHaveAttribute("href", /ses_/);

  // Comments go to the session on the screen, though another was used last, and though it has ended.
  await daemon.ask("POST", `/sessions/${mine.id}/stop`, {});
  await expect.poll(async () => (await daemon.view(mine.id)).state).toBe("ended");
  await panel.locator("button.number, button.gutter").first().click();
  await expect(panel.getByRole("button", { name: /^To: write a\.txt/ })).toBeVisible();
  if (isMobile) return;
  await panel.getByRole("textbox").fill("why?");
  await panel.getByRole("button", { name: "Send to session" }).click();
  await expect
    .poll(async () => (await daemon.events(mine.id)).filter((event) => event.type === "user.message").length)
    .toBe(2);
});

test("what commands change cannot be told, and that is said", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger", { "a.txt": "a\n" });
  const session = await daemon.session(project, { agent: "claude", prompt: "bash printf more >> a.txt" });
  await daemon.answer(await daemon.asked(session.id), { decision: "allow" });
  await daemon.settled(session.id);
  await page.goto(`/s/${session.id}/changes`);
  const panel = page.getByRole("complementary", { name: "Beside the timeline" });
  await expect(
    panel.getByRole("heading", { name: "This session’s tools changed none of these" }),
  ).toBeVisible();
  await expect(panel.getByRole("tab", { name: /^Changes$/ })).toBeVisible();
  await expect(panel.getByText(/or by 1 command or other call of this session/)).toBeVisible();
});
