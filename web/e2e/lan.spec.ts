/**
 * On a plain-http address of the local network, as most people reach Baton first.
 *
 * Browsers keep much back there: no `randomUUID`, no clipboard, no service
 * worker. Everything but install, push and the page without connection works.
 */
import { expect, test } from "./harness/test";
import { composer, expectAccessible, request, say, timeline, turn } from "./harness/ui";

/** A picture of one point. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

test.use({ signed: false });
// A header that does its work only over HTTPS is ignored here, and browsers say so.
test.beforeEach(({ watch }) => watch.allow(/Cross-Origin-Opener-Policy header has been ignored/));

test("the browser does keep things back here", async ({ page }) => {
  await page.goto("/signin");
  const there = await page.evaluate(() => ({
    secure: isSecureContext,
    uuid: "randomUUID" in crypto,
    clipboard: "clipboard" in navigator,
    worker: "serviceWorker" in navigator,
  }));
  expect(there).toEqual({ secure: false, uuid: false, clipboard: false, worker: false });
});

test("a PIN signs in, and what is sent, asked, copied and attached works", async ({ page, daemon }) => {
  await daemon.pin("271828");
  const project = await daemon.project("ledger");
  await page.goto("/new");
  await expect(page.getByText(/This connection is not encrypted/)).toBeVisible();
  await expectAccessible(page, "sign-in without encryption");
  for (const digit of "271828") await page.getByRole("button", { name: digit, exact: true }).click();
  await page.getByRole("button", { name: "Sign in" }).click();

  await page.getByLabel("What should be done?").fill("approval");
  await page.getByRole("button", { name: "Start" }).click();
  const card = await request(page, "Write baton-demo.txt?");
  await card.getByRole("button", { name: "Allow once" }).click();
  await expect(timeline(page).getByText("as you allowed.")).toBeVisible();
  await expect(turn(page, 1)).toBeVisible();
  await say(page, "help me, please");
  await expect(turn(page, 2)).toBeVisible();

  await timeline(page).getByRole("button", { name: "Actions for this message" }).last().click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Copy$/ })
    .click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  // Nobody may read the clipboard here, but whoever pastes sees what is in it.
  await composer(page).focus();
  await page.keyboard.press("ControlOrMeta+v");
  await expect(composer(page)).toHaveValue("help me, please");

  await composer(page).fill("what is on it?");
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles({ name: "screen.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") });
  await expect(page.getByText("screen.png").first()).toBeVisible();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(turn(page, 3)).toBeVisible();
  await expect(timeline(page).getByRole("img", { name: "screen.png" })).toBeVisible();
  const { items } = await daemon.ask<{ items: { id: string }[] }>(
    "GET",
    `/projects/${project.slug}/sessions`,
  );
  const events = await daemon.events(items[0]?.id ?? "");
  const sent = events.flatMap((event) => (event.type === "user.message" ? [event.payload] : []));
  expect(sent.map(({ text }) => text)).toEqual(["approval", "help me, please", "what is on it?"]);
  expect(sent.at(-1)?.attachments).toHaveLength(1);
});

test("settings say what HTTPS would add", async ({ page, daemon }) => {
  await page.goto(await daemon.link());
  await expect(page.getByRole("main")).toBeVisible();
  await page.goto("/settings/about");
  await expect(page.getByRole("heading", { name: "What HTTPS would add" })).toBeVisible();
  for (const gain of [/Installing Baton/, /without connection/, /Notifications/, /read along/])
    await expect(page.getByRole("listitem").filter({ hasText: gain })).toBeVisible();
  await expectAccessible(page, "what HTTPS would add");
});
