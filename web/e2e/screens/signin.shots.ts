/** Before anybody is signed in, and before there is anything to see. */
import { expect, test } from "./camera";

test.describe("signed out", () => {
  test.use({ signed: false });

  test("sign-in", async ({ page, stage, shoot, watch }) => {
    watch.allow(/status of 4(01|29)/, /ERR_FAILED/);
    await stage.daemon.pin("271828");
    const alert = page.getByRole("alert");
    await page.goto("/signin");
    await page.keyboard.type("271");
    await expect(page.getByRole("img", { name: "3 digits entered" })).toBeVisible();
    await shoot(page, "signin-pin");
    await page.keyboard.type("829");
    await page.keyboard.press("Enter");
    await expect(alert).toHaveText("Wrong PIN, or none is set.");
    await shoot(page, "signin-wrong");
    for (let times = 0; times < 5; times++) {
      await expect(page.getByRole("img", { name: "0 digits entered" })).toBeVisible();
      await page.keyboard.type("314159");
      await page.keyboard.press("Enter");
    }
    await expect(alert).toContainText("Too many tries");
    await shoot(page, "signin-locked");
    await page.getByRole("button", { name: "Use a token" }).click();
    await page.getByLabel("Token").fill("not the token, but as long");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(alert).toHaveText("Wrong token.");
    await shoot(page, "signin-token");
    await page.goto("about:blank");
    await page.goto("/#link=used-already");
    await expect(alert).toContainText("This link was used");
    await shoot(page, "signin-link");
    await page.goto("/signin");
    await page.route(/auth\/login/, (route) => route.abort());
    await page.keyboard.type("271828");
    await page.keyboard.press("Enter");
    await expect(alert).not.toBeEmpty();
    await shoot(page, "signin-unreachable");
  });
});

test("nothing yet", async ({ page, stage, shoot }) => {
  const titles: [string, string, RegExp][] = [
    ["home-nothing", "/", /No sessions yet/],
    ["inbox-nothing", "/inbox", /Nothing needs you/],
    ["projects-nothing", "/projects", /Add a folder/],
    ["usage-nothing", "/usage", /No cost/],
    ["rules-nothing", "/settings/rules", /No rules yet/],
    ["search", "/search", /./],
    ["missing", "/nowhere", /./],
  ];
  for (const [name, path, shows] of titles) {
    await page.goto(path);
    await expect(page.getByRole("main").getByText(shows).filter({ visible: true }).first()).toBeVisible();
    await shoot(page, name);
  }
  const project = await stage.daemon.project("ledger-api", { "README.md": "# Ledger\n" });
  await page.goto("/");
  await expect(page.getByRole("heading", { name: /No sessions/ })).toBeVisible();
  await shoot(page, "home-one-project");
  await page.goto(`/p/${project.slug}/diff`);
  await expect(page.getByText(/No changes/)).toBeVisible();
  await shoot(page, "diff-nothing");
  const session = await stage.daemon.session(project, {});
  await page.goto(`/s/${session.id}`);
  await expect(page.getByRole("region", { name: "Timeline" })).toBeVisible();
  await shoot(page, "session-nothing");
});
