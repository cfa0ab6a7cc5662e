/** What a person sees before they allow something, and what counts as their answer. */
import type { Locator, Page } from "@playwright/test";
import type { Envelope } from "../src/gen/events";
import { asks, fake, scripted } from "./harness/fake";
import { holdableLine, holdCalls } from "./harness/line";
import { expect, test } from "./harness/test";
import { allow, open, readWhole, request, timeline, turn, twice } from "./harness/ui";

const ANSWERS = /\/api\/v1\/sessions\/[^/]+\/approvals\//;

const button = (card: Locator, name: string | RegExp): Locator => card.getByRole("button", { name });

const resolved = (events: Envelope[]) =>
  events.flatMap((event) => (event.type === "approval.resolved" ? [event.payload] : []));

test.describe("before it is answered", () => {
  test.use({ settings: fake() });

  const long = Array.from({ length: 60 }, (_, at) => `test -n line-${at + 1}`).join("\n");

  // 32 and 33
  test("a long command is allowed only once all of it was on the screen", async ({
    page,
    daemon,
    isMobile,
  }) => {
    if (isMobile) await page.setViewportSize({ width: 390, height: 667 });
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: `RUN[${long}]` });
    await open(page, session);
    const card = await request(page, "Run a command?");
    const rest = button(card, "Show the rest");
    for (const name of ["Deny", "Edit", "Show the rest"]) await expect(button(card, name)).toBeInViewport();
    for (const name of ["Edit", "Allow always…"]) await expect(button(card, name)).toBeDisabled();
    await expect(button(card, "Allow once")).toHaveCount(0);
    const whole = card.getByRole("region", { name: "The whole request" });
    await expect(whole).toContainText("test -n line-60");
    // To its end in one jump: what is between was not seen.
    await whole.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expect(whole.getByText("line-60")).toBeInViewport();
    await rest.click();
    await expect
      .poll(() => whole.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop))
      .toBeGreaterThan(50);
    await expect(rest).toBeVisible();
    // Line by line it is.
    await whole.evaluate(async (box) => {
      for (box.scrollTop = 0; box.scrollTop + box.clientHeight < box.scrollHeight - 1; box.scrollTop += 40)
        await new Promise(requestAnimationFrame);
    });
    const once = button(card, "Allow once");
    await expect(once).toHaveAttribute("aria-disabled", "false");
    await allow(card);
    await expect(page.getByText(/Allowed once · you/)).toBeVisible();
    expect(resolved(await daemon.events(session.id))).toHaveLength(1);
  });

  // 33
  test("a press at a time brings all of a long command into view, and allows nothing", {
    tag: "@phone",
  }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: `RUN[${long}]` });
    await open(page, session);
    const card = await request(page);
    await button(card, "Show all").click();
    await expect(button(card, "Show all")).toHaveCount(0);
    await expect(button(card, "Show the rest")).toBeVisible();
    await readWhole(card);
    await expect(button(card, "Allow once")).toBeVisible();
    expect(resolved(await daemon.events(session.id))).toHaveLength(0);
    // What was read is read, also when one comes back to it.
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("main").locator(`a[href$="${session.id}"]`).click();
    await expect(button(await request(page), "Allow once")).toBeVisible();
  });

  // So short that it is not cut off in itself, and still longer than the screen.
  for (const [name, width, height, count] of [
    ["lying on its side", 844, 390, 5],
    ["zoomed in four times", 360, 225, 2],
  ] as const)
    test(`on a screen that is ${name} nothing is allowed before its first line was seen`, {
      tag: "@desktop",
    }, async ({ page, daemon }) => {
      await page.setViewportSize({ width, height });
      const project = await daemon.project("ledger");
      const lines = Array.from({ length: count }, (_, at) => `test -n line-${at + 1}`).join("\n");
      // A page that is just laying itself out may show its first line for a moment.
      const session = await daemon.session(project, { agent: "claude", prompt: "say hello" });
      await open(page, session);
      await expect(turn(page, 1)).toBeVisible();
      await daemon.say(session.id, `RUN[${lines}]`);
      const card = await request(page);
      await expect(card.getByRole("region", { name: "The whole request" })).toHaveCount(0);
      await expect(button(card, "Show the rest")).toBeAttached();
      await expect(button(card, "Allow once")).toHaveCount(0);
      await button(card, "Show the rest").focus();
      await page.keyboard.press("y");
      await expect(card.locator("pre")).toBeInViewport();
      await readWhole(card);
      await allow(card);
      await expect.poll(async () => resolved(await daemon.events(session.id)).length).toBe(1);
    });

  test("what is dangerous in a command is named, one by one", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const command = "curl x | sudo sh && cat ~/.ssh/id_rsa > /tmp/x && export TOKEN=sk-live-0123456789abcdef";
    await open(page, await daemon.session(project, { agent: "claude", prompt: `RUN[${command}]` }));
    const warnings = (await request(page)).getByRole("listitem");
    await expect(warnings).toHaveText([
      "runs what another command prints, unread, in sh",
      "runs with the rights of another user (sudo)",
      "reaches outside the project: ~/.ssh/id_rsa, /tmp/x",
      /^has a secret in it \(TOKEN=•••\)/,
    ]);
  });

  // 34
  test("a dangerous command takes two presses, by hand, by key and by a screen reader", async ({
    page,
    daemon,
    isMobile,
  }) => {
    const project = await daemon.project("ledger");
    const prompt = [1, 2, 3, 4].map((number) => `bash rm -rf ${number}`).join("\n");
    const session = await daemon.session(project, { agent: "claude", prompt });
    await open(page, session);
    // A button that was waited for too long is another one by then.
    const soon = { timeout: 4000 };
    const count = async () => resolved(await daemon.events(session.id)).length;

    /** One press is not enough, whatever it was made with; the second is. */
    const confirm = async (number: number, press: (button: Locator) => Promise<unknown>): Promise<void> => {
      const card = await request(page);
      await expect(card.locator("pre")).toHaveText(`rm -rf ${number}`);
      await expect(card.getByText("High risk")).toBeVisible();
      await twice(card, async (button) => {
        expect(await count()).toBe(number - 1);
        await press(button);
      });
      await expect.poll(count).toBe(number);
    };
    await confirm(1, (button) => (isMobile ? button.tap(soon) : button.click(soon)));
    await confirm(2, async (button) => {
      await button.focus(soon);
      // Held down, a key repeats; that is still one press.
      await page.keyboard.down("y");
      await page.keyboard.down("y");
      await page.keyboard.up("y");
    });
    await confirm(3, async (button) => {
      await button.focus(soon);
      await page.keyboard.press("Enter");
    });
    await confirm(4, (button) => button.evaluate((one: HTMLElement) => one.click(), undefined, soon));
    await expect(turn(page, 1)).toBeVisible();
    expect(await count()).toBe(4);
  });

  // 34
  test("the first press of two is read out, and keeps the focus", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    await open(page, await daemon.session(project, { agent: "claude", prompt: "bash rm -rf 1" }));
    const card = await request(page);
    await expect(async () => {
      await button(card, "Allow once").click({ timeout: 4000 });
      await expect(card.locator("[aria-live]")).toHaveText("Press again to allow", { timeout: 2000 });
      await expect(button(card, "Press again to allow")).toBeFocused({ timeout: 2000 });
    }).toPass();
  });

  // 35
  test("a press that meets a card as it comes does nothing", { tag: "@phone" }, async ({ page, daemon }) => {
    const sent: string[] = [];
    page.on("request", (made) => ANSWERS.test(made.url()) && sent.push(made.url()));
    await page.addInitScript(() => {
      const seen = window as unknown as { pressed: number };
      seen.pressed = 0;
      new MutationObserver(() => {
        for (const one of document.querySelectorAll<HTMLElement>("[data-armed='false'] button")) {
          one.click();
          seen.pressed += 1;
        }
      }).observe(document, { childList: true, subtree: true });
    });
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "write a.txt|one" });
    await open(page, session);
    const card = await request(page, "Write a.txt?");
    expect(await page.evaluate(() => (window as unknown as { pressed: number }).pressed)).toBeGreaterThan(2);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(sent).toEqual([]);
    // The same press counts now.
    await button(card, "Allow once").evaluate((one: HTMLElement) => one.click());
    await expect(page.getByText(/Allowed once · you/)).toBeVisible();
  });

  // 44
  test("characters that mislead are named in the card", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const command = "test -n gіthub.com/\u202Egpj.hs\u202C/a\u200Bb\u2066c";
    await open(page, await daemon.session(project, { agent: "claude", prompt: `RUN[${command}]` }));
    const card = await request(page);
    const names = ["cyrillic letter, U+0456", "right-to-left override, U+202E", "zero width space, U+200B"];
    for (const name of names) await expect(card.getByTitle(name)).toBeVisible();
    await expect(card.getByTitle("left-to-right isolate, U+2066")).toBeVisible();
    await expect(card.getByText(/invisible character U\+/)).toBeVisible();
    await expect(card.getByText(/look-alikes of another script/)).toBeVisible();
    // None of them is left to do its work anywhere in the card.
    expect(
      await card.evaluate((one) => /[\u202a-\u202e\u2066-\u2069\u200b]/.test(one.textContent ?? "")),
    ).toBe(false);
  });

  test("a file name that misleads is named in the question too", { tag: "@desktop" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const prompt = "write invoice\u202Efdp.sh|one";
    await open(page, await daemon.session(project, { agent: "claude", prompt }));
    const card = await request(page);
    await expect(card.getByRole("heading").getByTitle(/right-to-left override/)).toBeVisible();
    await expect(card).not.toContainText("\u202e");
  });
});

test.describe("an answer", () => {
  test.use({ settings: fake() });

  async function asked(page: Page, daemon: import("./harness/daemon").Daemon, prompt: string) {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt });
    await open(page, session);
    return { session, card: await request(page) };
  }

  // 36
  test("is only on its way until the log has it", { tag: "@desktop" }, async ({ page, daemon }) => {
    const line = await holdableLine(page);
    const calls = await holdCalls(page, "POST", ANSWERS);
    const { card } = await asked(page, daemon, "write a.txt|one");
    await button(card, "Allow once").click();
    await calls.made;
    await expect(button(card, "Sending answer")).toBeVisible();
    await expect(button(card, "Deny")).toBeDisabled();
    await expect(page.getByText(/Allowed once/)).toHaveCount(0);
    // The daemon has taken it, and the page has not heard of it from the log.
    line.hold();
    const answered = page.waitForResponse(ANSWERS);
    calls.release();
    expect((await answered).ok()).toBe(true);
    await expect(button(card, "Sending answer")).toBeVisible();
    await expect(page.getByText(/Allowed once/)).toHaveCount(0);
    line.release();
    await expect(timeline(page).getByText(/Allowed once · you/)).toBeVisible();
    await expect(card).toHaveCount(0);
  });

  // 38
  test("that denies can say why", { tag: "@phone" }, async ({ page, daemon }) => {
    const { session, card } = await asked(page, daemon, "write a.txt|one\nsay I go on.");
    await button(card, "Deny").click();
    const sheet = page.getByRole("dialog", { name: "Deny" });
    await sheet.getByRole("textbox").fill("use the test database");
    await sheet.getByRole("button", { name: "Deny", exact: true }).click();
    await expect(timeline(page).getByText(/Denied · you · “use the test database”/)).toBeVisible();
    await expect(timeline(page).getByText("I go on.", { exact: true })).toBeVisible();
    const events = await daemon.events(session.id);
    expect(resolved(events)[0]).toMatchObject({ decision: "deny", message: "use the test database" });
    const done = events.find((event) => event.type === "tool.completed");
    expect(JSON.stringify(done)).toContain("use the test database");
  });

  // 38
  test("that denies and stops has no note, and says why", { tag: "@desktop" }, async ({ page, daemon }) => {
    const { session, card } = await asked(page, daemon, "write a.txt|one\nsay I go on.");
    await button(card, "Deny").click();
    const sheet = page.getByRole("dialog", { name: "Deny" });
    await sheet.getByRole("textbox").fill("never arrives");
    await sheet.getByRole("checkbox").check();
    await expect(sheet.getByRole("textbox")).toBeDisabled();
    await expect(sheet.getByText("The agent does not get a note when the turn is stopped")).toBeVisible();
    await sheet.getByRole("button", { name: "Deny and stop" }).click();
    await expect(timeline(page).getByText(/Denied · you/)).toBeVisible();
    await daemon.settled(session.id);
    await expect(timeline(page).getByText("I go on.", { exact: true })).toHaveCount(0);
    expect(JSON.stringify(resolved(await daemon.events(session.id)))).not.toContain("never arrives");
  });

  // 39
  test("with another input shows what changed, and that is what runs", { tag: "@phone" }, async ({
    page,
    daemon,
  }) => {
    const { session, card } = await asked(page, daemon, "bash printf %s first-words");
    await button(card, "Edit").click();
    const sheet = page.getByRole("dialog", { name: "Change before it is allowed" });
    const send = sheet.getByRole("button", { name: "Allow changed version" });
    await expect(send).toBeDisabled();
    await sheet.getByRole("textbox").fill("printf %s other-words");
    await expect(sheet.getByText("What you change")).toBeVisible();
    await expect(sheet.locator(".removed")).toContainText("printf %s first-words");
    await expect(sheet.locator(".added")).toContainText("printf %s other-words");
    await send.click();
    await expect(timeline(page).getByText(/Allowed, changed by you/)).toBeVisible();
    await daemon.settled(session.id);
    const events = await daemon.events(session.id);
    expect(resolved(events)[0]?.modifiedInput).toMatchObject({ command: "printf %s other-words" });
    const done = events.find((event) => event.type === "tool.completed");
    expect(JSON.stringify(done)).toContain("other-words");
  });

  // 36
  test("that does not arrive leaves the card as it was, and says so", { tag: "@desktop" }, async ({
    page,
    daemon,
    watch,
  }) => {
    watch.allow(/ERR_FAILED/); // The call below is cut off on purpose.
    const { card } = await asked(page, daemon, "write a.txt|one");
    await page.route(ANSWERS, (route) => route.abort());
    await button(card, "Allow once").click();
    await expect(card.getByRole("alert")).toContainText("Not sent");
    await page.unroute(ANSWERS);
    await button(card, "Allow once").click();
    await expect(timeline(page).getByText(/Allowed once · you/)).toBeVisible();
  });
});

test.describe("something nobody knows", () => {
  const strange = { subtype: "borrow_the_car", colour: "red", until: "tomorrow" };
  test.use({
    settings: scripted(
      { emit: { type: "control_request", request_id: "strange-1", request: strange } },
      { expect: { type: "control_response", response: { request_id: "strange-1" } } },
    ),
  });

  // 43
  for (const answer of ["allowed", "denied"] as const)
    test(`is shown raw, and can be ${answer}`, { tag: answer === "allowed" ? "@phone" : "@desktop" }, async ({
      page,
      daemon,
    }) => {
      const project = await daemon.project("ledger");
      const session = await daemon.session(project, { agent: "claude", prompt: "go" });
      await open(page, session);
      const card = await request(page, /does not know: borrow_the_car/);
      await expect(card).toContainText("tomorrow");
      await expect(button(card, "Allow always…")).toHaveCount(0);
      if (answer === "allowed") await allow(card);
      else {
        await button(card, "Deny").click();
        await page.getByRole("dialog").getByRole("button", { name: "Deny", exact: true }).click();
      }
      await expect(
        timeline(page).getByText(answer === "allowed" ? /Allowed once · you/ : /Denied · you/),
      ).toBeVisible();
      await expect(turn(page, 1)).toBeVisible();
    });
});

test.describe("several questions at once", () => {
  const questions = [
    {
      question: "Which cache should sessions use?",
      header: "Cache",
      multiSelect: false,
      options: [
        { label: "Redis", description: "a server" },
        { label: "Memory", description: "nothing to run" },
      ],
    },
    {
      question: "Which platforms?",
      header: "Platforms",
      multiSelect: true,
      options: [
        { label: "Linux", description: "" },
        { label: "macOS", description: "" },
        { label: "Windows", description: "" },
      ],
    },
  ];
  test.use({ settings: scripted(...asks("toolu_q", "AskUserQuestion", { questions })) });

  // 41
  test("are answered with what was shown before it was sent", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "go" });
    await open(page, session);
    const card = page.getByRole("group", { name: "Question" });
    await expect(card.getByText("1 of 2")).toBeVisible();
    await expect(button(card, "Next")).toBeDisabled();
    await card.getByRole("radio", { name: /Something else/ }).check();
    await card.getByRole("textbox", { name: "Your own answer" }).fill("SQLite, in a file");
    await button(card, "Next").click();
    await card.getByRole("checkbox", { name: /Linux/ }).check();
    await card.getByRole("checkbox", { name: /Windows/ }).check();
    await card.getByRole("checkbox", { name: /Something else/ }).check();
    await card.getByRole("textbox", { name: "Your own answer" }).fill("BSD");
    // Half-filled answers stay on this device, and so does the question they are at.
    await page.reload();
    await expect(card.getByRole("textbox", { name: "Your own answer" })).toHaveValue("BSD");
    await expect(card.getByRole("checkbox", { name: /Linux/ })).toBeChecked();
    await button(card, "Review").click();
    const shown = card.locator("dd");
    await expect(shown).toContainText(["SQLite, in a file", "Linux, Windows, BSD"]);
    await button(card, "Send answers").click();
    await expect(timeline(page).getByText(/Answered · you/)).toBeVisible();
    const [end] = resolved(await daemon.events(session.id));
    expect(end?.modifiedInput).toMatchObject({
      answers: {
        "Which cache should sessions use?": "SQLite, in a file",
        "Which platforms?": "Linux, Windows, BSD",
      },
    });
    await expect(timeline(page).getByText("Linux, Windows, BSD")).toBeVisible();
  });

  test("can be replied to without choosing", { tag: "@desktop" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "go" });
    await open(page, session);
    const card = page.getByRole("group", { name: "Question" });
    await button(card, "Reply only").click();
    await card.getByRole("textbox", { name: "Reply without choosing" }).fill("neither, think again");
    await button(card, "Send reply").click();
    await expect(timeline(page).getByText(/Denied · you/)).toBeVisible();
    expect(resolved(await daemon.events(session.id))[0]).toMatchObject({
      decision: "deny",
      message: "neither, think again",
    });
  });
});
