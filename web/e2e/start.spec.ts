/** The first minutes: signing in, the first project, the first session. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./harness/test";
import { allow, composer, expectAccessible, request, say, timeline, turn, uncovered } from "./harness/ui";

test.describe("signed out", () => {
  // These tests sign in themselves.
  test.use({ signed: false });

  test("a PIN signs in, and a wrong one is told so", { tag: "@phone" }, async ({ page, daemon, watch }) => {
    // A refused sign-in is an answer like any other, but browsers write it to the console.
    watch.allow(/status of 401/);
    await daemon.pin("271828");
    await page.goto("/usage");
    await expect(page).toHaveURL(/\/signin\?next=%2Fusage$/);
    await expectAccessible(page, "sign-in");
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page, "sign-in, dark");
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

  test("the token signs in, and anything else does not", { tag: "@desktop" }, async ({
    page,
    daemon,
    watch,
  }) => {
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

  test("a one-time link signs in once and leaves the address", { tag: "@phone" }, async ({
    page,
    daemon,
    browser,
    watch,
  }) => {
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

  /** P67. */
  test("a stranger's first minute: link, folder, trust, words, a request, an answer", {
    tag: "@phone",
  }, async ({ page, daemon }) => {
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
    const folder = join(daemon.home, "ledger");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify({ hooks }));
    await page.goto(await daemon.link());
    await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Try the demo" })).toBeVisible();
    await expectAccessible(page, "the first screen");
    await page.getByRole("button", { name: "Choose a folder" }).tap();
    const sheet = page.getByRole("dialog", { name: "Add a folder" });
    await sheet.getByRole("button", { name: "ledger" }).tap();
    await sheet.getByRole("button", { name: "Add", exact: true }).tap();
    await expect(page.getByText("starts without 1 hook of this folder")).toBeVisible();
    await page.getByRole("link", { name: "What it would run" }).first().tap();
    await page.getByRole("button", { name: "Trust this folder" }).tap();
    await expect(page.getByText("You trust this folder.")).toBeVisible();
    await page.getByRole("button", { name: "Back" }).tap();
    await page.getByLabel("What should be done?").fill("approval");
    await expect(page.getByText("starts without")).toHaveCount(0);
    await page.getByRole("button", { name: "Start" }).tap();
    await allow(await request(page));
    await expect(turn(page, 1)).toBeVisible();
  });
});

test("a folder is found by going through them, and added", { tag: "@desktop" }, async ({ page, daemon }) => {
  const folder = join(daemon.home, "code", "ledger-api");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(daemon.home, ".hidden"));
  await page.goto("/projects");
  await page.getByRole("button", { name: "Add a folder" }).first().click();
  const sheet = page.getByRole("dialog", { name: "Add a folder" });
  const folders = sheet.getByRole("navigation", { name: "Folders" });
  await expect(folders.getByRole("button", { name: "code" })).toBeVisible();
  await expect(folders.getByText(".hidden")).toHaveCount(0);
  await folders.getByRole("button", { name: "code" }).click();
  await folders.getByRole("button", { name: "ledger-api" }).click();
  await expect(sheet.getByLabel(/^Folder on/)).toHaveValue("~/code/ledger-api");
  await expect(folders.getByText("No folders in here.")).toBeVisible();
  await expectAccessible(page, "adding a folder");
  await sheet.getByRole("button", { name: "Add", exact: true }).click();
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

// D7
test("a folder is typed with ~, and one that is not there is refused with a reason", {
  tag: "@phone",
}, async ({ page, daemon, watch }) => {
  watch.allow(/status of 4\d\d/);
  mkdirSync(join(daemon.home, "shop"));
  await page.goto("/projects");
  await page.getByRole("button", { name: "Add a folder" }).first().click();
  const sheet = page.getByRole("dialog", { name: "Add a folder" });
  const field = sheet.getByLabel(/^Folder on/);
  await field.fill("/nowhere/at/all");
  await field.press("Enter");
  await expect(sheet.getByRole("alert")).toHaveText("/nowhere/at/all is not there");
  await field.fill("~/shop");
  await field.press("Enter");
  await expect(page.getByRole("heading", { name: "shop", exact: true })).toBeVisible();
});

/** P66. */
test("a new session is written, told where and how, and started by keyboard alone", {
  tag: "@desktop",
}, async ({ page, daemon }) => {
  await daemon.project("ledger", { "src/posting.ts": "export {};\n" });
  const shop = await daemon.project("shop");
  await daemon.settled((await daemon.session(shop, { prompt: "help" })).id);
  await page.goto("/new?project=shop");
  const field = page.getByLabel("What should be done?");
  await expect(field).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: /^Project: *shop/ })).toBeFocused();
  await page.keyboard.press("Enter");
  const places = page.getByRole("dialog", { name: "Project" });
  await expect(places.getByRole("combobox")).toBeFocused();
  await expectAccessible(page, "choosing a project");
  await page.keyboard.type("ledg");
  await page.keyboard.press("Enter");
  await expect(places).toBeHidden();
  await expect(page.getByRole("button", { name: /^Project: *ledger/ })).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(field).toBeFocused();
  await page.keyboard.type("text @post");
  await expect(page.getByRole("option", { name: /posting\.ts/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(field).toHaveValue("text @src/posting.ts ");
  await expectAccessible(page, "a new session");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/p\/ledger\/s\/ses_/);
  await expect(turn(page, 1)).toBeVisible();
});

test("what was asked before is offered again, and how it may work is remembered", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const before = await daemon.session(project, { prompt: "text about the ledger" });
  await daemon.settled(before.id);
  await page.goto("/new");
  await expect(page.getByRole("main").getByRole("link", { name: /text about the ledger/ })).toBeVisible();
  const field = page.getByLabel("What should be done?");
  const again = page.getByRole("button", { name: "text about the ledger", exact: true });
  await field.fill("Written before.");
  // What is written outlives a page that goes in the same moment.
  await page.reload();
  await expect(field).toHaveValue("Written before.");
  await again.click();
  await expect(field).toHaveValue("Written before.\n\ntext about the ledger");
  await field.fill("");
  for (const _ of [1, 2]) {
    await again.click();
    await expect(field).toHaveValue("text about the ledger");
  }
  await page.getByRole("button", { name: /^Mode:/ }).click();
  await page
    .getByRole("dialog", { name: "Mode" })
    .getByRole("button", { name: /^Refuse/ })
    .click();
  await uncovered(page);
  await page.reload();
  await expect(page.getByRole("button", { name: /^Mode: *Refuse/ })).toBeVisible();
  // The draft is kept as well.
  await expect(field).toHaveValue("text about the ledger");
  await page.getByRole("button", { name: "Start" }).click();
  await expect(turn(page, 1)).toBeVisible();
});

test("the demo is one tap away, and needs no folder of the user's", { tag: "@phone" }, async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Try the demo" }).click();
  await expect(page).toHaveURL(/\/s\/ses_/);
  await expect(turn(page, 1)).toBeVisible();
});

test("streamed text is shown while it comes", { tag: "@desktop" }, async ({ page, daemon }) => {
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

test("a new session says what a folder that nobody trusts goes without", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  await daemon.project("calm");
  const project = await daemon.project("ledger", {
    ".claude/settings.json": JSON.stringify({ hooks }),
  });
  await page.goto(`/new?project=${project.slug}`);
  const note = page.getByRole("region", { name: "Not trusted" });
  await expect(note).toContainText("starts without 1 hook of this folder");
  await expectAccessible(page, "a new session in a folder that is not trusted");
  await page.goto("/new?project=calm");
  await expect(page.getByRole("button", { name: /^Project: *calm/ })).toBeVisible();
  await expect(note).toHaveCount(0);
  await page.goto(`/new?project=${project.slug}`);
  await note.getByRole("link", { name: "What it would run" }).click();
  await expect(page).toHaveURL(/\/p\/ledger\/trust$/);
});
