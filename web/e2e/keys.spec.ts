/** Keys: what has the focus is what is shown is what a key answers, in every list there is. */
import { asking, card } from "./harness/asking";
import { fake, type Step, scripted } from "./harness/fake";
import { holdCalls } from "./harness/line";
import { expect, test } from "./harness/test";
import { open, request, timeline, turn } from "./harness/ui";

test.describe("requests in the inbox", () => {
  test.use({ settings: fake() });

  test("a key answers the one that has the focus, which is the one shown", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const all = await asking(daemon, "one", "two", "three");
    await page.goto(`/inbox/${all.of("one").approval}`);
    await request(page);
    await expect(card(page)).toContainText("rm -rf one");
    const focused = page.locator("[data-aims]:focus");
    await page.keyboard.press("j");
    await expect(focused).toContainText("rm -rf one");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect(focused).toContainText("rm -rf three");
    await expect(card(page).locator("pre")).toHaveText("rm -rf three");
    await expect(page).toHaveURL(new RegExp(`/inbox/${all.of("three").approval}$`));
    // The button names what it allows, and shows its key only where the key counts.
    await request(page);
    await expect(card(page).getByRole("button", { name: "Allow once rm -rf three" })).toBeVisible();
    await expect(card(page).locator("kbd").first()).toBeVisible();

    // One press for one request and one for another is one press for each.
    await page.keyboard.press("y");
    await expect(
      card(page).getByRole("button", { name: /^Press again to allow rm -rf three/ }),
    ).toBeVisible();
    await page.keyboard.press("k");
    await expect(card(page).locator("pre")).toHaveText("rm -rf two");
    await request(page);
    await page.keyboard.press("y");
    await expect(card(page).getByRole("button", { name: /^Press again to allow rm -rf two/ })).toBeVisible();
    expect(await all.decided()).toEqual({ one: [], two: [], three: [] });
    await page.keyboard.press("y");
    await expect.poll(all.decided).toEqual({ one: [], two: ["allow"], three: [] });

    // Nothing has the focus now: a key has no object, does nothing and says so.
    await expect(page.locator("[data-aims]")).toHaveCount(2);
    await request(page);
    await page.keyboard.press("y");
    await expect(card(page).getByText("Keys answer the request that has the focus")).toBeVisible();
    await expect(card(page).locator("kbd")).toHaveCount(0);
    await page.keyboard.press("y");
    expect(await all.decided()).toEqual({ one: [], two: ["allow"], three: [] });
  });

  test("what is denied is named before it is denied", { tag: "@desktop" }, async ({ page, daemon }) => {
    const all = await asking(daemon, "one", "two");
    await page.goto("/inbox");
    await request(page);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect(card(page).locator("pre")).toHaveText("rm -rf two");
    await request(page);
    await page.keyboard.press("n");
    const sheet = page.getByRole("dialog", { name: "Deny" });
    await expect(sheet).toContainText("Run a command");
    await expect(sheet.locator("pre")).toHaveText("rm -rf two");
    // One types at once, and no letter is taken for a key.
    await expect(sheet.getByRole("textbox")).toBeFocused();
    await page.keyboard.type("nay");
    await expect(sheet.getByRole("textbox")).toHaveValue("nay");
    await sheet.getByRole("button", { name: "Deny", exact: true }).click();
    await expect.poll(all.decided).toEqual({ one: [], two: ["deny"] });
  });

  test("without a list beside them, keys go along the requests themselves", { tag: "@phone" }, async ({
    page,
    daemon,
  }) => {
    const all = await asking(daemon, "one", "two");
    await page.goto("/inbox");
    await expect(card(page)).toHaveCount(2);
    for (const at of [0, 1]) await expect(card(page).nth(at)).toHaveAttribute("data-armed", "true");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect(page.locator("[data-item]:focus")).toContainText("rm -rf two");
    await page.keyboard.press("y");
    await expect(card(page).getByRole("button", { name: /^Press again to allow rm -rf two/ })).toBeVisible();
    await page.keyboard.press("y");
    await expect.poll(all.decided).toEqual({ one: [], two: ["allow"] });
  });

  test("from Home, the sheet says what is denied", { tag: "@phone" }, async ({ page, daemon }) => {
    await asking(daemon, "one", "two");
    await daemon.project("web-shop");
    await page.goto("/");
    const need = page.getByRole("main").locator(".card.needs").filter({ hasText: "rm -rf two" });
    await need.getByRole("button", { name: "Deny" }).click();
    await expect(page.getByRole("dialog", { name: "Deny" }).locator("pre")).toHaveText("rm -rf two");
  });
});

test.describe("requests in a session", () => {
  const call = (id: string, name: string, input: unknown, parent: string | null): Step => ({
    emit: {
      type: "assistant",
      message: {
        id: `msg_${id}`,
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [{ type: "tool_use", id, name, input }],
      },
      parent_tool_use_id: parent,
      session_id: "$session",
    },
  });
  const ask = (id: string, input: unknown): Step => ({
    emit: {
      type: "control_request",
      request_id: `request-${id}`,
      request: { subtype: "can_use_tool", tool_name: "Bash", input, tool_use_id: id },
    },
  });
  const answered: Step = { expect: { type: "control_response" } };
  const commands = ["one", "two", "three"].map((word) => ({ command: `rm -rf ${word}` }));
  test.use({
    settings: scripted(
      call("toolu_a", "Agent", { description: "Look around", prompt: "look" }, null),
      call("toolu_1", "Bash", commands[0], "toolu_a"),
      call("toolu_2", "Bash", commands[1], "toolu_a"),
      call("toolu_3", "Bash", commands[2], null),
      ask("toolu_1", commands[0]),
      ask("toolu_2", commands[1]),
      ask("toolu_3", commands[2]),
      answered,
      answered,
      answered,
    ),
  });

  test("a key on a row answers the only one in it, and none of several", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "go" });
    await open(page, session);
    await expect(card(page)).toHaveCount(3);
    for (const at of [0, 1, 2]) await expect(card(page).nth(at)).toHaveAttribute("data-armed", "true");
    await timeline(page).focus();
    await page.keyboard.press("j");
    const row = page.locator("[data-key]:focus");
    await expect(row).toContainText("rm -rf three");
    await expect(row.locator("kbd")).toHaveCount(4);
    // The sub-agent above has two: no key can mean both.
    await page.keyboard.press("k");
    await expect(row).toContainText("rm -rf one");
    await expect(card(page).locator("kbd")).toHaveCount(0);
    await page.keyboard.press("y");
    await expect(card(page).first().getByText("Keys answer the request that has the focus")).toBeVisible();
    await expect(page.getByRole("button", { name: /Press again/ })).toHaveCount(0);
    // Inside one of them, it is that one.
    const second = card(page).filter({ hasText: "rm -rf two" });
    await second.getByRole("button", { name: "Deny" }).focus();
    await page.keyboard.press("y");
    await page.keyboard.press("y");
    const done = async () =>
      (await daemon.events(session.id)).flatMap((event) =>
        event.type === "approval.resolved" ? [event.payload.decision] : [],
      );
    await expect.poll(done).toEqual(["allow"]);
    await expect(card(page)).toHaveCount(2);
    await expect(card(page).filter({ hasText: "rm -rf two" })).toHaveCount(0);
  });
});

test("a number on a question in the list chooses its answer", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const session = await daemon.session(await daemon.project("ledger"), { prompt: "question" });
  await daemon.asked(session.id);
  await page.goto("/inbox");
  await expect(page.getByRole("radio").first()).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("2");
  await expect(page.getByRole("radio").nth(1)).toBeChecked();
});

test("in every list J and K move the focus, and Enter opens what has it", { tag: "@desktop" }, async ({
  page,
  daemon,
}) => {
  const project = await daemon.project("ledger", { "a.txt": "a\n", "b.txt": "b\n", "src/c.rs": "c\n" });
  await daemon.project("web-shop");
  for (const prompt of ["help", "think"]) {
    const { id } = await daemon.session(project, { prompt });
    await daemon.settled(id);
  }
  const past = await daemon.session(project, { prompt: "approval" });
  await daemon.answer(await daemon.asked(past.id), { decision: "deny" });
  await daemon.settled(past.id);
  const at = `/p/${project.slug}`;
  const lists = ["/", "/projects", "/inbox", "/more", "/settings", "/search?q=help", at, `${at}/files`];
  const items = page.locator("main [data-item]");
  for (const path of lists) {
    await page.goto(path);
    await expect(items.nth(path === "/inbox" ? 0 : 1), path).toBeVisible();
    const count = await items.count();
    const current = await items.evaluateAll((all) => all.findIndex((one) => one.ariaCurrent));
    // Where a field waits for words, letters are words.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press("j");
    const first = Math.max(0, current);
    await expect(items.nth(first), path).toBeFocused();
    if (first + 1 < count) {
      await page.keyboard.press("j");
      await expect(items.nth(first + 1), path).toBeFocused();
      await page.keyboard.press("k");
      await expect(items.nth(first), path).toBeFocused();
    }
    const link = items.nth(first);
    const href = await link.getAttribute("href");
    await page.keyboard.press("Enter");
    // A folder opens in place.
    if (href)
      await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).search).toContain(href);
    else await expect(link).toHaveAttribute("aria-expanded", "true");
  }
  await page.goto(`/s/${past.id}`);
  await expect(turn(page, 1)).toBeVisible();
  await timeline(page).focus();
  await page.keyboard.press("j");
  const row = page.locator("[data-key]:focus");
  const last = await row.getAttribute("data-key");
  await page.keyboard.press("k");
  await expect(row).not.toHaveAttribute("data-key", last ?? "");
});

test("a key that is pressed before the page has all its parts is not lost", { tag: "@desktop" }, async ({
  page,
}) => {
  const { made, release } = await holdCalls(page, "GET", /\/assets\/hotkeys/);
  await page.goto("/more", { waitUntil: "commit" });
  await made;
  await expect(page.getByRole("heading", { name: "More" })).toBeVisible();
  await page.keyboard.press("Control+k");
  release();
  await expect(page.getByRole("dialog", { name: "Go anywhere" })).toBeVisible();
});
