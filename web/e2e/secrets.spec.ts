/** Secrets in what an agent wants to run: covered on every screen until one is asked for, and run as they were asked. */
import { asks, scripted } from "./harness/fake";
import { expect, test } from "./harness/test";
import { expectAccessible, open, request, timeline, twice } from "./harness/ui";

const TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const PASSWORD = "hunter22";
const command = `PGPASSWORD=${PASSWORD} test -n ${TOKEN} && true`;

test.use({ settings: scripted(...asks("toolu_secret", "Bash", { command })) });

test("are covered in cards, rows and lists until they are asked for one by one", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  await daemon.project("web-shop");
  const session = await daemon.session(project, { agent: "claude", prompt: "go" });
  await daemon.asked(session.id);
  /** Neither in the text nor in what a pointer or a screen reader is told. */
  const clean = async (): Promise<void> => {
    const all = await page.content();
    expect(all).not.toContain(TOKEN);
    expect(all).not.toContain(PASSWORD);
  };
  for (const path of ["/", "/inbox"]) {
    await page.goto(path);
    const shown = page.getByRole("main").getByText(/PGPASSWORD=/);
    await expect(shown.filter({ visible: true }).first(), path).toBeVisible();
    await clean();
  }

  await open(page, session);
  const card = await request(page);
  const token = card.getByRole("button", { name: "hidden secret, token, press to show" });
  const password = card.getByRole("button", { name: "hidden secret, password, press to show" });
  await expect(token).toBeVisible();
  await clean();
  await expectAccessible(page, "a request with secrets");
  await password.click();
  await expect(card.getByText(PASSWORD)).toBeVisible();
  await expect(card.getByText(TOKEN)).toHaveCount(0);
  await token.focus();
  await page.keyboard.press("Enter");
  await expect(card.getByText(TOKEN)).toBeVisible();
  const shown = card.getByRole("button", { name: /^secret, press to hide/ });
  await expect(shown).toHaveCount(2);
  await shown.first().click();
  await expect(card.getByText(PASSWORD)).toHaveCount(0);

  await twice(card, (button) => button.click());
  await expect(timeline(page).getByText(/Allowed once/)).toBeVisible();
  await daemon.settled(session.id);
  const events = await daemon.events(session.id);
  const asked = events.flatMap((event) => (event.type === "approval.requested" ? [event.payload.input] : []));
  expect(asked).toEqual([{ command }]);
  const answers = events.flatMap((event) => (event.type === "approval.resolved" ? [event.payload] : []));
  expect(answers).toMatchObject([{ decision: "allow" }]);
  expect(answers[0]?.modifiedInput ?? null).toBeNull();

  await page.reload();
  await expect(timeline(page).getByText(/Allowed once/)).toBeVisible();
  const row = timeline(page).locator("article.tool");
  await expect(row.getByRole("button", { name: "hidden secret, token, press to show" })).toBeVisible();
  await clean();
});

test("are not pointed out to who must not see them", { tag: "@desktop" }, async ({
  page,
  daemon,
  another,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { agent: "claude", prompt: "go" });
  await daemon.asked(session.id);
  await page.goto("/");
  const watching = (await another({ scope: "observe" })).page;
  await open(watching, session);
  await expect(watching.getByText(/PGPASSWORD=•••/).first()).toBeVisible();
  const all = await watching.content();
  expect(all).not.toContain(TOKEN);
  expect(all).not.toContain(PASSWORD);
  await expect(watching.getByRole("button", { name: /hidden secret/ })).toHaveCount(0);
});
