/** The first minutes: signing in, the first project, the first session. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./harness/test";
import { composer, expectAccessible, say, timeline, turn } from "./harness/ui";

test.describe("signed out", () => {
  // These tests sign in themselves.
  test.use({ signed: false });

  test("a PIN signs in, and a wrong one is told so", async ({ page, daemon, watch }) => {
    // A refused sign-in is an answer like any other, but browsers write it to the console.
    watch.allow(/status of 401/);
    await daemon.pin("271828");
    await page.goto("/usage");
    await expect(page).toHaveURL(/\/signin\?next=%2Fusage$/);
    await expectAccessible(page, "sign-in");
    for (const digit of "271829") await page.getByRole("button", { name: digit, exact: true }).click();
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).toHaveText("Wrong PIN, or none is set.");
    await page.keyboard.type("271828");
    await expect(page.getByRole("img", { name: "6 digits entered" })).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/usage/);
    await expect(page.getByRole("heading", { name: "Usage" })).toBeVisible();
  });

  test("a long PIN can be typed and pasted", { tag: "@phone" }, async ({ page, daemon, watch }) => {
    watch.allow(/status of 401/);
    const pin = "27182818284590452353602874713526";
    await daemon.pin(pin);
    await page.goto("/usage");
    await expect(page.getByText("Enter the PIN")).toBeVisible();
    await page.keyboard.type(pin);
    await expect(page.getByRole("img", { name: "32 digits entered" })).toBeVisible();
    await expectAccessible(page, "sign-in with a long PIN");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Usage" })).toBeVisible();
    await page.evaluate(() => localStorage.clear());
    await page.goto("/usage");
    await expect(page.getByText("Enter the PIN")).toBeVisible();
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text", text);
      window.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data }));
    }, pin);
    await expect(page.getByRole("img", { name: "32 digits entered" })).toBeVisible();
  });

  test("the token signs in, and anything else does not", async ({ page, daemon, watch }) => {
    watch.allow(/status of 401/);
    await page.goto("/");
    await page.getByRole("button", { name: "Use a token" }).click();
    await page.getByLabel("Token").fill("not the token, but as long as one");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).not.toBeEmpty();
    await page.getByLabel("Token").fill((await daemon.baton(["token", "show"])).trim());
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
  });

  test("too many wrong PINs do not keep out the token", { tag: "@phone" }, async ({
    page,
    daemon,
    watch,
  }) => {
    watch.allow(/status of (401|429)/);
    await daemon.pin("271828");
    await page.goto("/");
    await expect(async () => {
      await page.keyboard.type("314159");
      await page.keyboard.press("Enter");
      await expect(page.getByRole("alert")).toHaveText(/^Too many tries. Again in \d+ m \d\d s.$/, {
        timeout: 1000,
      });
    }).toPass();
    await expect(page.getByRole("button", { name: "5", exact: true })).toBeDisabled();
    await expectAccessible(page, "sign-in after too many tries");
    await page.getByRole("button", { name: "Use a token" }).click();
    await page.getByLabel("Token").fill((await daemon.baton(["token", "show"])).trim());
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
  });

  test("a one-time link signs in once and leaves the address", async ({ page, daemon, browser, watch }) => {
    watch.allow(/status of 401/);
    const link = await daemon.link();
    await page.goto(link);
    await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
    expect(page.url()).not.toContain("link");
    const other = await browser.newContext();
    await watch.over(other);
    const second = await other.newPage();
    await second.goto(link);
    await expect(second.getByRole("alert")).toContainText("baton link");
    await expect(second).toHaveURL(/signin/);
    await other.close();
  });
});

test("a folder is added and its first session started, all on the screen", async ({ page, daemon }) => {
  const folder = join(daemon.root, "projects", "ledger-api");
  mkdirSync(folder);
  await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
  await page.goto("/projects");
  await page.getByRole("button", { name: "Add a folder" }).first().click();
  await page.getByLabel(/as a whole path/).fill(folder);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("heading", { name: "ledger-api", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "New session" }).filter({ visible: true }).first().click();
  await page.getByLabel("What should be done?").fill("text");
  await page.getByRole("button", { name: "Start" }).click();
  await expect(turn(page, 1)).toBeVisible();
  await expect(page).toHaveURL(/\/p\/ledger-api\/s\/ses_/);
  // What was typed to start it is not offered again.
  await page.goto("/new");
  await expect(page.getByLabel("What should be done?")).toHaveValue("");
});

test("a folder that is not there is refused with a reason", async ({ page, watch }) => {
  watch.allow(/status of 4\d\d/);
  await page.goto("/projects");
  await page.getByRole("button", { name: "Add a folder" }).first().click();
  await page.getByLabel(/as a whole path/).fill("/nowhere/at/all");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).not.toBeEmpty();
});

test("streamed text is shown while it comes", async ({ page, daemon }) => {
  const project = await daemon.project("ledger");
  const { id } = await daemon.session(project, { prompt: "text" });
  await daemon.settled(id);
  await page.goto(`/s/${id}`);
  await say(page, "slow");
  await expect(timeline(page).getByText("I will count slowly.")).toBeVisible();
  await expect(timeline(page).getByText("60", { exact: true })).toBeVisible();
  await expect(turn(page, 2)).toBeVisible();
  await expect(composer(page)).toHaveValue("");
});

test("a new session says what a folder that nobody trusts goes without", async ({ page, daemon }) => {
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  await daemon.project("calm");
  const project = await daemon.project("ledger", {
    ".claude/settings.json": JSON.stringify({ hooks }),
  });
  await page.goto("/new");
  await page.getByLabel("Where").selectOption(project.slug);
  const note = page.getByRole("region", { name: "You have not trusted this folder" });
  await expect(note).toContainText("The session runs without 1 hook of it.");
  await expectAccessible(page, "a new session in a folder that is not trusted");
  await page.getByLabel("Where").selectOption("calm");
  await expect(note).toHaveCount(0);
  await page.getByLabel("Where").selectOption(project.slug);
  await note.getByRole("link", { name: "Look at it and decide" }).click();
  await expect(page).toHaveURL(/\/p\/ledger\/trust$/);
});
