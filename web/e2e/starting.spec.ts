/** Before a session is: its agent comes up, its folder comes from elsewhere. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Daemon } from "./harness/daemon";
import { fake } from "./harness/fake";
import { type Forge, forge } from "./harness/forge";
import { expect, test } from "./harness/test";
import { allow, composer, expectAccessible, request, say, turn } from "./harness/ui";

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
const holders = (daemon: Daemon): string[] => names(join(daemon.data, "holders"));

test.describe("an agent", () => {
  test.use({ settings: fake() });

  test("comes up while New session is open, and goes with it unless it is begun", async ({
    page,
    daemon,
  }) => {
    await daemon.project("ledger");
    await daemon.project("shop");
    await page.goto("/new?project=ledger");
    await expect.poll(() => holders(daemon).length).toBe(1);
    const [first] = holders(daemon);
    // Another folder, another process.
    await page.getByRole("button", { name: /^Project:/ }).click();
    await page.getByRole("dialog", { name: "Project" }).getByRole("option", { name: /shop/ }).click();
    await expect.poll(() => holders(daemon).length === 1 && holders(daemon)[0] !== first).toBe(true);
    // Who goes elsewhere begins nothing.
    await page.goto("/");
    await expect.poll(() => holders(daemon).length).toBe(0);
    await page.goto("/new?project=shop");
    await expect.poll(() => holders(daemon).length).toBe(1);
    const waiting = holders(daemon);
    await page.getByLabel("What should be done?").fill("say done");
    // Up, not only started: the daemon has what it told.
    await page.getByRole("button", { name: "Start" }).click();
    await expect(turn(page, 1)).toBeVisible();
    expect(holders(daemon)).toEqual(waiting);
    await say(page, "say more");
    await expect(turn(page, 2)).toBeVisible();
    await expect(composer(page)).toBeVisible();
  });
});

test.describe("a repository from elsewhere", () => {
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  const host: { forge?: Forge } = {};
  test.use({
    // biome-ignore lint/correctness/noEmptyPattern: fixtures are found by this pattern
    settings: async ({}, use) => {
      host.forge = await forge({
        "README.md": "# Shop\n",
        ".claude/settings.json": JSON.stringify({ hooks }),
      });
      await use({ env: host.forge.env });
      await host.forge.close();
    },
  });

  test("is got, listed, and asks for trust like any other", async ({ page, daemon }) => {
    await page.goto("/new");
    await page.getByRole("button", { name: "Choose a folder" }).click();
    const sheet = page.getByRole("dialog", { name: "Add a folder" });
    // An address where a folder belongs is taken for what it is.
    await sheet.getByLabel(/^Folder on/).fill(`${host.forge?.url("shop")}`);
    await expect(sheet.getByLabel("Address of a repository")).toHaveValue(`${host.forge?.url("shop")}`);
    await expectAccessible(page, "getting a repository");
    await sheet.getByRole("button", { name: "Get it" }).click();
    await expect(page.getByText("starts without 1 hook of this folder")).toBeVisible();
    expect(names(join(daemon.home, "shop"))).toContain("README.md");
    await page.getByRole("link", { name: "What it would run" }).first().click();
    await expect(page.getByRole("button", { name: "Trust this folder" })).toBeVisible();
  });

  test("can be stopped on its way, and what cannot be had is explained", async ({ page, daemon, watch }) => {
    watch.allow(/status of 4\d\d/);
    await page.goto("/projects");
    await page.getByRole("button", { name: "Add a folder" }).first().click();
    const sheet = page.getByRole("dialog", { name: "Add a folder" });
    await sheet.getByRole("button", { name: "By its address" }).click();
    const address = sheet.getByLabel("Address of a repository");
    const tell = async (url: string) => {
      await address.fill(url);
      await address.press("Enter");
    };
    await tell("ftp://example.org/shop");
    await expect(sheet.getByRole("alert")).toHaveText("ftp is not spoken here; use https or ssh");
    await tell(`${host.forge?.url("shop")}s`);
    await expect(sheet.getByRole("alert")).toContainText("There is no such repository");
    await tell("https://127.0.0.1:9/shop");
    await expect(sheet.getByRole("alert")).toContainText("The host does not answer");
    const before = names(daemon.home);
    await tell(`${host.forge?.url("slow")}`);
    await expect(sheet.getByRole("progressbar")).toBeVisible();
    await expectAccessible(page, "a repository on its way");
    expect(names(daemon.home)).not.toEqual(before);
    await sheet.getByRole("button", { name: "Stop and remove it" }).click();
    await expect(address).toBeVisible();
    expect(names(daemon.home)).toEqual(before);
    // Who closes the sheet does not want it either.
    await tell(`${host.forge?.url("slow")}`);
    await expect(sheet.getByRole("progressbar")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect.poll(() => names(daemon.home)).toEqual(before);
  });
});

/** P67, with Claude Code itself: what is on the screen at each step is kept with the report. */
test.describe("a stranger's first minute", () => {
  test.use({ cli: true, signed: false });

  test(
    "link, folder, trust, words, a request, an answer, and no way that ends",
    {
      tag: "@phone",
    },
    async ({ page, daemon }, info) => {
      const film = async (name: string) =>
        info.attach(name, { body: await page.screenshot(), contentType: "image/png" });
      const hooks = { Stop: [{ hooks: [{ type: "command", command: "touch hook-ran" }] }] };
      const folder = join(daemon.home, "code", "ledger");
      mkdirSync(join(folder, ".claude"), { recursive: true });
      writeFileSync(join(folder, ".claude", "settings.json"), JSON.stringify({ hooks }));

      await page.goto(await daemon.link("admin"));
      await expect(page.getByRole("heading", { name: "No sessions yet" })).toBeVisible();
      const steps = page.getByRole("listitem");
      await expect(steps.filter({ hasText: "Claude Code" }).getByText(/^Found/)).toBeVisible();
      const demo = page.getByRole("button", { name: "Try the demo" });
      await expect(demo).toBeVisible();
      await film("1 the first screen");

      await page.getByRole("button", { name: "Choose a folder" }).tap();
      const sheet = page.getByRole("dialog", { name: "Add a folder" });
      await sheet.getByRole("button", { name: "code" }).tap();
      await sheet.getByRole("button", { name: "ledger" }).tap();
      await film("2 a folder");
      await sheet.getByRole("button", { name: "Add", exact: true }).tap();
      await expect(page.getByText("starts without 1 hook of this folder")).toBeVisible();
      // Nothing of it comes up before it is trusted, and the demo is still there.
      await expect(demo).toBeVisible();
      expect(holders(daemon)).toEqual([]);
      await film("3 not trusted");

      await page.getByRole("link", { name: "What it would run" }).first().tap();
      await expect(page.getByText("touch hook-ran")).toBeVisible();
      await film("4 what it would run");
      await page.getByRole("button", { name: "Trust this folder" }).tap();
      await expect(page.getByText("You trust this folder.")).toBeVisible();
      await page.getByRole("button", { name: "Back" }).tap();
      await expect(page.getByText("starts without")).toHaveCount(0);
      // The agent comes up while the words are written.
      await expect.poll(() => holders(daemon).length).toBe(1);
      await page.getByLabel("What should be done?").fill("RUN[echo made > made.txt]");
      await film("5 words");
      await page.getByRole("button", { name: "Start" }).tap();

      const card = await request(page, "Run a command?");
      await film("6 a request");
      expect(existsSync(join(folder, "made.txt"))).toBe(false);
      await allow(card);
      await expect(turn(page, 1)).toBeVisible();
      await film("7 an answer");
      expect(existsSync(join(folder, "made.txt"))).toBe(true);
      // It goes on from here, back to the list, and again into it.
      await expect(composer(page)).toBeVisible();
      await page
        .getByRole("link", { name: "Back" })
        .or(page.getByRole("button", { name: "Back" }))
        .first()
        .tap();
      await expect(page.getByRole("link", { name: /RUN|echo made/ }).first()).toBeVisible();
      await film("8 the list");
    },
  );
});
