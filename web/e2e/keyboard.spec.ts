/** Every flow by the keyboard alone: no test here touches a mouse. */
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
