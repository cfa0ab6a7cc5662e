/** What goes on after its turn is over: it is in the state, in the lists, and can be stopped. */
import { fake } from "./harness/fake";
import { expect, test } from "./harness/test";
import { allow, composer, open, request, timeline, turn } from "./harness/ui";

test.describe("a command in the background", () => {
  test.use({ settings: fake() });

  test("keeps its session at work on every screen", async ({ page, daemon, isMobile }) => {
    const project = await daemon.project("ledger", { "wait.sh": "sleep 300\n" });
    await daemon.project("web-shop");
    const session = await daemon.session(project, { agent: "claude", prompt: "background sh wait.sh" });
    await open(page, session);
    // A person sees that it goes on after the call, before they allow it and after.
    const card = await request(page, "Run a command in the background?");
    await expect(card.getByText("Goes on in the background after the call returns")).toBeVisible();
    await allow(card);
    await expect(turn(page, 1)).toBeVisible();
    await expect(
      page.locator("header").getByText("Working in the background").filter({ visible: true }),
    ).toBeVisible();
    await expect(page.locator("header").getByText("Idle")).toHaveCount(0);
    await expect(timeline(page).getByText(/Allowed once · you.*Started in the background/)).toBeVisible();
    await expect(
      timeline(page).getByRole("button", { name: /^Started sh wait\.sh.*Background/ }),
    ).toBeVisible();
    // A message does not wait for it.
    await expect(composer(page)).toHaveAttribute("placeholder", /^Message\. /);
    const strip = page.getByRole("region", { name: "In the background" });
    await expect(strip.getByRole("button", { expanded: false })).toContainText(/sh wait\.sh · since \d/);
    await strip.getByRole("button", { expanded: false }).click();
    await expect(strip.getByRole("listitem")).toContainText("sh wait.sh");
    await expect(strip.getByRole("button", { name: "Stop sh wait.sh" })).toBeEnabled();
    if (!isMobile)
      await expect(
        page.getByRole("navigation", { name: "Sessions" }).getByText(/sh wait\.sh · since/),
      ).toBeVisible();
    for (const path of ["/", `/p/${project.slug}`]) {
      await page.goto(path);
      const line = page.getByRole("main").getByRole("link").filter({ hasText: "background sh wait.sh" });
      await expect(line, path).toContainText("Working");
      await expect(line, path).toContainText(/sh wait\.sh · since/);
    }
  });
});

test.describe("with the real CLI", () => {
  test.use({ cli: true });

  test("a command in the background can be stopped by itself", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "BG[sleep 300]" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await expect(
      page.locator("header").getByText("Working in the background").filter({ visible: true }),
    ).toBeVisible();
    const strip = page.getByRole("region", { name: "In the background" });
    await strip.getByRole("button", { expanded: false }).click();
    await strip.getByRole("button", { name: /^Stop / }).click();
    await expect(strip).toHaveCount(0);
    await expect(timeline(page).getByText("Stopped", { exact: true })).toBeVisible();
    await expect(page.locator("header").getByText("Idle").filter({ visible: true })).toBeVisible();
  });
});
