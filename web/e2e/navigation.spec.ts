/** Where things are, how one gets there and back: points 11 to 17 of the guide. */
import { expect, test } from "./harness/test";
import { composer, firstRow, request, timeline, turn } from "./harness/ui";

/** Point 11. */
test("the bar is on root screens and project pages only, and makes room for a keyboard", {
  tag: "@phone",
}, async ({ page, daemon }) => {
  const project = await daemon.project("ledger", { "a.txt": "a\n" });
  await daemon.project("web-shop");
  const session = await daemon.session(project, { prompt: "question" });
  await daemon.asked(session.id);
  const bar = page.getByRole("navigation", { name: "Main" });
  const at = `/p/${project.slug}`;
  for (const path of ["/", "/inbox", "/projects", "/more", at]) {
    await page.goto(path);
    await expect(bar, path).toBeVisible();
    await expect(composer(page)).toHaveCount(0);
  }
  const without = [
    `${at}/s/${session.id}`,
    `${at}/files`,
    `${at}/diff`,
    `${at}/trust`,
    "/new",
    "/search",
    "/usage",
  ];
  for (const path of without) {
    await page.goto(path);
    await expect(page.getByRole("main")).toBeVisible();
    await expect(bar, path).toBeHidden();
  }
  // Emulation shrinks the screen too, which a keyboard does not.
  await page.addInitScript(() => Object.defineProperty(screen, "height", { value: 844 }));
  await page.goto("/inbox");
  await page.getByText("Something else…").click();
  await page.getByRole("textbox", { name: "Your own answer" }).focus();
  await expect(bar).toBeVisible();
  // What a keyboard leaves of the screen.
  await page.setViewportSize({ width: 390, height: 420 });
  await expect(bar).toBeHidden();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(bar).toBeVisible();
});

/** Point 12. */
test("Back closes what is on top, then goes up, and the draft survives", async ({ page, daemon }) => {
  const project = await daemon.project("ledger");
  await daemon.project("web-shop");
  const session = await daemon.session(project, { prompt: "help" });
  await daemon.settled(session.id);
  await page.goto("/");
  await page.getByRole("main").getByRole("link", { name: /help/ }).click();
  await expect(turn(page, 1)).toBeVisible();
  await composer(page).fill("half a thought");
  await page.getByRole("button", { name: "Session menu" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  const sheet = page.getByRole("dialog", { name: /Rename|Title/ });
  await expect(sheet).toBeVisible();
  await page.goBack();
  await expect(sheet).toBeHidden();
  await expect(page).toHaveURL(new RegExp(session.id));
  await expect(composer(page)).toHaveValue("half a thought");
  await page.getByRole("button", { name: "Session menu" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("dialog")).toBeHidden();
  await page.goBack();
  await expect(page).toHaveURL(/\/$/);
  await page.goForward();
  await expect(composer(page)).toHaveValue("half a thought");
  await page.reload();
  await expect(composer(page)).toHaveValue("half a thought");
});

/** Point 13. */
test("every address shows the same after a reload", { tag: "@desktop" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger", { "src/a.rs": "fn a() {}\nfn b() {}\n" });
  await daemon.project("web-shop");
  const session = await daemon.session(project, { prompt: "approval" });
  const { approval, seq } = await daemon.asked(session.id);
  const at = `/p/${project.slug}`;
  const shown: [string, string | RegExp][] = [
    ["/", "Needs you"],
    ["/inbox", /Write baton-demo.txt/],
    [`/inbox/${approval.approvalId}`, /Write baton-demo.txt/],
    [`/new?project=${project.slug}`, "Ask first"],
    [at, "Sessions"],
    [`${at}/trust`, /run/],
    [`${at}/files`, "src"],
    [`${at}/files?path=src%2Fa.rs&line=2`, "fn b() {}"],
    [`${at}/diff`, "No changes in the working tree"],
    [`${at}/s/${session.id}`, /Write baton-demo.txt/],
    [`${at}/s/${session.id}?at=${seq}`, /Write baton-demo.txt/],
    ["/search?q=approval", /approval/],
    ["/usage?range=7d&by=project", /7 d/],
    ["/settings/rules", "New rule"],
    ["/settings/devices", "Let another device in"],
    ["/settings/agents", "Doctor"],
    ["/settings/appearance", "Theme"],
    ["/settings/about", "Made with"],
  ];
  for (const [path, text] of shown) {
    await page.goto(path);
    const seen = page.locator("body").getByText(text).filter({ visible: true }).first();
    await expect(seen, path).toBeVisible();
    // The mark before it comes with the request, which may be later than the words.
    const plain = async () => (await page.title()).replace(/^● /, "");
    const [url, title] = [page.url(), await plain()];
    await page.reload();
    await expect(seen, `${path} again`).toBeVisible();
    expect(page.url()).toBe(url);
    await expect.poll(plain).toBe(title);
  }
});

/** Point 14. */
test("an address from a notification opens its request, in one history entry", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  await daemon.project("web-shop");
  const first = await daemon.session(project, { prompt: "approval" });
  const second = await daemon.session(project, { prompt: "plan" });
  const { approval } = await daemon.asked(first.id);
  await daemon.asked(second.id);
  await page.goto("/more");
  await page.goto(`/a/${approval.approvalId}`);
  await request(page, "Write baton-demo.txt?");
  await expect(page).toHaveURL(new RegExp(`/inbox/${approval.approvalId}$`));
  await page.goBack();
  await expect(page).toHaveURL(/\/more$/);
  await page.goto(`/s/${first.id}`);
  await expect(page).toHaveURL(new RegExp(`/p/${project.slug}/s/${first.id}$`));
  await page.goBack();
  await expect(page).toHaveURL(/\/more$/);
});

test("an address of an event without a row leads to the row it is about", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "think todo tools subagent text" });
  await daemon.settled(session.id);
  await daemon.say(session.id, "text");
  await daemon.settled(session.id);
  const done = (await daemon.events(session.id)).find((event) => event.type === "tool.completed");
  await page.goto(`/s/${session.id}?at=${done?.seq}`);
  const lit = timeline(page).locator("article.lit");
  await expect(lit).toBeVisible();
  await expect(lit).toBeInViewport();
});

test("an address of a terminal says that there is none, and shows the session", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "help" });
  await daemon.settled(session.id);
  for (const path of [`/s/${session.id}/terminal`, `/p/${project.slug}/s/${session.id}/terminal`]) {
    await page.goto(path);
    await expect(page.getByRole("status").filter({ hasText: "cannot show a terminal yet" })).toBeVisible();
    await expect(turn(page, 1)).toBeVisible();
    await expect(page).toHaveURL(/\/terminal$/);
  }
  // Nowhere is it offered.
  await expect(page.locator('a[href*="/terminal"]')).toHaveCount(0);
});

/** Point 15. */
test("a new session takes two taps from Home", async ({ page, daemon }) => {
  await daemon.project("ledger");
  await daemon.project("web-shop");
  await page.goto("/");
  await page.getByRole("link", { name: "New session" }).filter({ visible: true }).first().click();
  const prompt = page.getByLabel("What should be done?");
  await expect(prompt).toBeFocused();
  await page.keyboard.type("help");
  await page.getByRole("button", { name: "Start" }).click();
  await expect(turn(page, 1)).toBeVisible();
});

test("a new session is begun in the project that one looks at", async ({ page, daemon, watch, isMobile }) => {
  watch.allow(/status of 409/); // A busy daemon may not have looked yet whether there is git.
  const project = await daemon.project("ledger");
  const asked = await daemon.session(project, { prompt: "help" });
  await daemon.settled(asked.id);
  // The newest session is another's, which is what is taken where no project is looked at.
  const latest = await daemon.session(await daemon.project("web-shop"), { prompt: "help" });
  await daemon.settled(latest.id);
  const chosen = page.getByRole("button", { name: /^Project:/ });
  const link = page.getByRole("link", { name: "New session" }).filter({ visible: true }).first();
  // A phone shows what is inside a project alone.
  const inside = isMobile ? [] : ["/p/ledger/files", `/p/ledger/s/${asked.id}`, `/s/${asked.id}`];
  for (const path of ["/p/ledger", ...inside]) {
    await page.goto(path);
    await expect(link).toHaveAttribute("href", "/new?project=ledger");
    await link.click();
    await expect(page).toHaveURL(/\/new\?project=ledger$/);
    await expect(chosen).toContainText("ledger");
  }
  if (!isMobile) {
    await page.goto("/p/ledger");
    await expect(link).toHaveAttribute("href", "/new?project=ledger");
    await page.keyboard.press("c");
    await expect(chosen).toContainText("ledger");
  }
  await page.goto("/inbox");
  await expect(link).toHaveAttribute("href", "/new");
});

test("with one project, Home is that project, until there is another", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "help" });
  await daemon.settled(session.id);
  await page.goto("/");
  await expect(page).toHaveURL(new RegExp(`/p/${project.slug}$`));
  await expect(page.getByRole("main").getByRole("link", { name: /help/ })).toBeVisible();
  await daemon.project("web-shop");
  await page.goto("/");
  await expect(page.getByRole("heading", { name: /^(Baton|Home)$/, level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
});

/** Point 16. */
test("where somebody read is where they come back to", async ({ page, daemon }) => {
  const project = await daemon.project("ledger", { "a.txt": "a\n" });
  const session = await daemon.session(project, { prompt: "think todo tools subagent text" });
  await daemon.settled(session.id);
  await daemon.say(session.id, "think todo tools subagent text");
  await daemon.settled(session.id);
  await page.goto(`/p/${project.slug}`);
  await page.getByRole("main").getByRole("link", { name: /think/ }).click();
  await expect(turn(page, 2)).toBeVisible();
  await timeline(page).evaluate((box) => box.scrollBy(0, -700));
  await expect(page.getByRole("button", { name: "Latest" })).toBeVisible();
  const before = await firstRow(page);
  await page.goBack();
  await page.getByRole("link", { name: "Files" }).click();
  await expect(page.getByText("a.txt")).toBeVisible();
  await page.goBack();
  await page.goForward();
  await page.goBack();
  await page.getByRole("main").getByRole("link", { name: /think/ }).click();
  await expect(page.getByRole("button", { name: "Latest" })).toBeVisible();
  await expect
    .poll(async () => {
      const after = await firstRow(page);
      return after.key === before.key && Math.abs(after.top - before.top) <= 1;
    })
    .toBe(true);
});

/** Point 17. */
test("the palette reaches every screen and every action of a session by keyboard", {
  tag: "@desktop",
}, async ({ page, daemon }) => {
  const project = await daemon.project("ledger", { "a.txt": "a\n" });
  await daemon.project("web-shop");
  const session = await daemon.session(project, { prompt: "help" });
  await daemon.settled(session.id);
  const palette = page.getByRole("dialog", { name: "Go anywhere" });
  const reach = async (words: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await expect(palette).toBeVisible();
    await page.keyboard.type(words);
    await expect(palette.getByRole("option").first()).toContainText(words);
    await page.keyboard.press("Enter");
    await expect(palette).toBeHidden();
  };
  await page.goto("/more");
  const screens: [string, RegExp][] = [
    ["Inbox", /\/inbox$/],
    ["New session", /\/new$/],
    ["Projects", /\/projects$/],
    ["Search", /\/search$/],
    ["Usage", /\/usage/],
    ["Settings", /\/settings$/],
    ["Rules", /\/settings\/rules$/],
    ["Devices", /\/settings\/devices$/],
    ["Agents", /\/settings\/agents$/],
    ["Appearance", /\/settings\/appearance$/],
    ["About", /\/settings\/about$/],
    ["Home", /\/$/],
    ["More", /\/more$/],
    ["ledger: Diff", /\/p\/ledger\/diff$/],
    ["ledger: Files", /\/p\/ledger\/files$/],
    ["ledger: What it runs", /\/p\/ledger\/trust$/],
    ["ledger: New session", /\/new\?project=ledger$/],
    ["help", new RegExp(session.id)],
  ];
  for (const [words, url] of screens) {
    await reach(words);
    await expect(page).toHaveURL(url);
  }
  await expect(turn(page, 1)).toBeVisible();
  await page.keyboard.press("Control+k");
  const actions = [
    "Find",
    "Rename",
    "Copy link",
    "Export events",
    "End session",
    "Mode: Plan",
    "Model: Default",
  ];
  for (const name of actions)
    await expect(palette.getByRole("option").filter({ hasText: name }).first()).toBeAttached();
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
  await reach("Rename");
  await expect(page.getByRole("dialog").getByLabel("Title")).toBeVisible();
  await page.keyboard.press("Escape");
  await reach("Find");
  await expect(page.getByRole("dialog", { name: "Find in session" })).toBeVisible();
  await page.keyboard.press("Escape");
  await reach("End session");
  await expect(timeline(page).getByText(/^Stopped|^Ended/)).toBeVisible();
  await reach("Continue this session");
  await expect.poll(async () => (await daemon.view(session.id)).state).toBe("idle");
});

test("a session that went on while nobody looked says so in lists", { tag: "@phone" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger");
  const session = await daemon.session(project, { prompt: "help" });
  await daemon.settled(session.id);
  const row = page.getByRole("main").getByRole("link").filter({ hasText: /^help/ });
  const fresh = row.getByText("New answer");
  await page.goto(`/p/${project.slug}`);
  await row.click();
  await expect(turn(page, 1)).toBeVisible();
  await page.goBack();
  await expect(row).toBeVisible();
  await daemon.say(session.id, "think");
  await expect(fresh).toBeVisible();
  await row.click();
  await expect(turn(page, 2)).toBeVisible();
  await page.goBack();
  await expect(row).toContainText("2 turns");
  await expect(fresh).toHaveCount(0);
});
