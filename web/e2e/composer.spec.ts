/** Writing and sending: what a message may hold, when it goes, and how it is taken back. */
import { utimesSync } from "node:fs";
import { join } from "node:path";
import type { JSHandle, Page } from "@playwright/test";
import type { Envelope } from "../src/gen/events";
import { fake } from "./harness/fake";
import { holdCalls } from "./harness/line";
import { expect, test } from "./harness/test";
import { choose, composer, open, say, timeline, toEnd, turn } from "./harness/ui";

const messages = (events: Envelope[]) =>
  events.flatMap((event) => (event.type === "user.message" ? [event.payload] : []));

/** A picture of one point. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Playwright makes drags, but no pastes. */
const give = (page: Page, how: "paste" | "drop", transfer: JSHandle<DataTransfer>): Promise<unknown> =>
  composer(page).evaluate(
    (field, [how, data]) =>
      field.dispatchEvent(
        how === "paste"
          ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
      ),
    [how, transfer] as const,
  );

/** Brings files into the composer as a paste or a drop would. */
async function bring(
  page: Page,
  how: "paste" | "drop",
  name: string,
  type: string,
  bytes: string,
): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([name, type, bytes]) => {
      const data = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([data], name, { type }));
      return transfer;
    },
    [name, type, bytes] as const,
  );
  await give(page, how, transfer);
}

test.describe("while the agent works", () => {
  test.use({ settings: fake() });

  // 49
  test("messages queue, are put in another order, changed and taken back, and go as they stand then", {
    tag: "@desktop",
  }, async ({ page, daemon, another }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "write a.txt|one" });
    const asked = await daemon.asked(session.id);
    await open(page, session);
    const other = (await another()).page;
    await open(other, session);
    for (const text of ["say First.", "say Second.", "say Third."]) {
      await say(page, text);
      await expect(timeline(other).locator("[data-message]").filter({ hasText: text })).toBeVisible();
    }
    const queued = timeline(page).locator("[data-message]").filter({ hasText: "Queued" });
    await expect(queued).toHaveText([/First/, /Second/, /Third/]);
    await choose(page, queued.nth(2).getByRole("button", { name: "More" }), "Move up");
    await expect(queued).toHaveText([/First/, /Third/, /Second/]);
    await queued.nth(1).getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Waiting message" }).fill("say Third at last.");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(queued).toHaveText([/First/, /Third at last/, /Second/]);
    await queued.nth(2).getByRole("button", { name: "Take back" }).click();
    await expect(queued).toHaveText([/First/, /Third at last/]);
    // D16: its words are where they were written.
    await expect(composer(page)).toHaveValue("say Second.");
    await composer(page).fill("");
    await expect(timeline(other).locator("[data-message]").filter({ hasText: "Queued" })).toHaveText([
      /First/,
      /Third at last/,
    ]);
    await daemon.answer(asked, { decision: "allow" });
    await daemon.settled(session.id);
    await expect(queued).toHaveCount(0);
    for (const one of [page, other]) {
      await expect(timeline(one).getByText("First.", { exact: true })).toBeVisible();
      await expect(timeline(one).getByText("Third at last.", { exact: true })).toBeVisible();
      await expect(timeline(one).getByText("Second.", { exact: true })).toHaveCount(0);
    }
    const answers = await timeline(page).locator("article.text").allInnerTexts();
    expect(answers.map((text) => text.trim()).filter((text) => /First|Third/.test(text))).toEqual([
      "First.",
      "Third at last.",
    ]);
  });

  // 49
  test("a message that was delivered meanwhile cannot be taken back, and that is told", {
    tag: "@phone",
  }, async ({ page, daemon, watch }) => {
    watch.allow(/status of 409/); // It is refused.
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "write a.txt|one" });
    const asked = await daemon.asked(session.id);
    await open(page, session);
    await say(page, "say Too late.\nhang");
    const calls = await holdCalls(page, "DELETE", /\/messages\//);
    await timeline(page).getByRole("button", { name: "Take back" }).click();
    await calls.made;
    await expect(timeline(page).getByText("Taking back")).toBeVisible();
    await daemon.answer(asked, { decision: "allow" });
    await expect(timeline(page).getByText("Too late.", { exact: true })).toBeVisible();
    calls.release();
    await expect(timeline(page).getByRole("alert")).toHaveText("Already delivered");
  });
});

test.describe("the composer", () => {
  // 50
  test("and the last row stay in view above a keyboard", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    await open(page, await daemon.session(project, { prompt: "text think tools" }));
    await expect(turn(page, 1)).toBeVisible();
    await composer(page).tap();
    // Browsers shrink the page for their keyboard, as the page asks them to.
    await page.setViewportSize({ width: 390, height: 460 });
    await expect(composer(page)).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole("button", { name: "Send" })).toBeInViewport({ ratio: 1 });
    await expect(turn(page, 1)).toBeInViewport({ ratio: 1 });
    await expect.poll(() => toEnd(page)).toBeLessThanOrEqual(1);
    await composer(page).fill(Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n"));
    await expect(page.getByRole("button", { name: "Send" })).toBeInViewport({ ratio: 1 });
    const box = await composer(page).boundingBox();
    expect(box?.height).toBeLessThanOrEqual(460 * 0.4 + 1);
    await expect(turn(page, 1)).toBeInViewport({ ratio: 1 });
  });

  // 51
  test("sends by Enter with a keyboard, and makes a new line on a touch screen", async ({
    page,
    daemon,
    isMobile,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "text" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await composer(page).fill("help");
    await composer(page).press("Shift+Enter");
    await expect(composer(page)).toHaveValue("help\n");
    await composer(page).press("Backspace");
    await composer(page).press("Enter");
    if (isMobile) {
      await expect(composer(page)).toHaveValue("help\n");
      await composer(page).press("Control+Enter");
    }
    await expect(composer(page)).toHaveValue("");
    await expect(turn(page, 2)).toBeVisible();
    expect(messages(await daemon.events(session.id)).map((one) => one.text.trim())).toEqual(["text", "help"]);
  });

  // 51
  test("never sends what is still being composed", { tag: "@desktop" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "text" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    await composer(page).focus();
    const keyboard = await page.context().newCDPSession(page);
    await keyboard.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
    await expect(composer(page)).toHaveValue("にほん");
    // The key that takes a suggestion, as browsers tell of it.
    await composer(page).dispatchEvent("keydown", { key: "Enter", isComposing: true });
    await composer(page).dispatchEvent("keydown", { key: "Enter", keyCode: 229 });
    await keyboard.send("Input.insertText", { text: "日本" });
    await expect(composer(page)).toHaveValue("日本");
    await expect(timeline(page).locator("[data-message]")).toHaveCount(1);
    await composer(page).press("Enter");
    await expect(turn(page, 2)).toBeVisible();
    expect(messages(await daemon.events(session.id)).map((one) => one.text)).toEqual(["text", "日本"]);
  });

  // 52
  test("takes pictures by paste, drop and choice, shows them, and lets them go", { tag: "@phone" }, async ({
    page,
    daemon,
  }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "text" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    const files = page.getByRole("group", { name: "Composer" }).getByRole("list").getByRole("listitem");
    await bring(page, "paste", "pasted.png", "image/png", PNG);
    await expect(files).toHaveText([/pasted\.png.*70 B/]);
    await expect(files.locator("img")).toHaveJSProperty("naturalWidth", 1);
    await bring(page, "drop", "dropped.png", "image/png", PNG);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach files" }).click();
    await (await chooser).setFiles({
      name: "chosen.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("chosen words"),
    });
    await expect(files).toHaveText([/pasted\.png/, /dropped\.png/, /chosen\.txt.*12 B/]);
    await page.getByRole("button", { name: "Remove dropped.png" }).click();
    await expect(files).toHaveText([/pasted\.png/, /chosen\.txt/]);
    // Kept over a reload, like the words.
    await composer(page).fill("help");
    await expect.poll(() => draftFiles(page)).toBe(2);
    await page.reload();
    await expect(files).toHaveText([/pasted\.png/, /chosen\.txt/]);
    await page.getByRole("button", { name: "Send" }).click();
    await expect(turn(page, 2)).toBeVisible();
    await expect(files).toHaveCount(0);
    const sent = messages(await daemon.events(session.id)).at(-1);
    expect(sent?.attachments?.map((one) => one.name)).toEqual(["pasted.png", "chosen.txt"]);
  });

  // 52
  test("says what is too much before anything is sent", { tag: "@phone" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    await open(page, await daemon.session(project));
    const picker = page.locator("input[type=file]");
    await picker.setInputFiles({ name: "film.mp4", mimeType: "video/mp4", buffer: Buffer.alloc(20_000_001) });
    const problem = page.getByRole("group", { name: "Composer" }).getByRole("alert");
    await expect(problem).toHaveText(/film\.mp4 has .*20.* is the most/);
    await expect(page.getByRole("group", { name: "Composer" }).getByRole("list")).toHaveCount(0);
    await picker.setInputFiles(
      Array.from({ length: 11 }, (_, at) => ({
        name: `${at}.txt`,
        mimeType: "text/plain",
        buffer: Buffer.from("x"),
      })),
    );
    await expect(problem).toHaveText("At most 10 files go with a message.");
    await expect(
      page.getByRole("group", { name: "Composer" }).getByRole("list").getByRole("listitem"),
    ).toHaveCount(10);
  });

  // 52
  test("refuses what no agent would get when it is added, and draws no broken picture", {
    tag: "@desktop",
  }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    await open(page, await daemon.session(project));
    const picker = page.locator("input[type=file]");
    const group = page.getByRole("group", { name: "Composer" });
    for (const [name, mimeType, buffer, why] of [
      ["fake.png", "image/png", Buffer.from("just words"), "fake.png is given as PNG, but it is text."],
      ["other.gif", "image/gif", Buffer.from(PNG, "base64"), "other.gif is given as GIF, but it is PNG."],
      ["cut.png", "image/png", Buffer.from(PNG, "base64").subarray(0, 20), /cut\.png begins like PNG/],
      ["tool.bin", "application/octet-stream", Buffer.from([0, 1, 2]), /neither text nor an image/],
    ] as const) {
      await picker.setInputFiles({ name, mimeType, buffer });
      await expect(group.getByRole("alert")).toHaveText(why);
      await expect(group.getByRole("listitem")).toHaveCount(0);
    }
    await picker.setInputFiles({
      name: "right.png",
      mimeType: "image/png",
      buffer: Buffer.from(PNG, "base64"),
    });
    await expect(group.getByRole("alert")).toHaveCount(0);
    await expect(group.getByRole("listitem").locator("img")).toHaveJSProperty("naturalWidth", 1);
  });

  // P74
  test("and the header are in the role of danger where nothing is checked", async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { prompt: "text", permissionMode: "bypassPermissions" });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    const role = (name: string) =>
      page.evaluate((name) => {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style.color = `var(${name})`;
        const { color } = getComputedStyle(probe);
        probe.remove();
        return color;
      }, name);
    const box = composer(page).locator("..");
    await expect(box).toHaveCSS("border-top-color", await role("--danger"));
    const chip = page.locator("header .chip:visible").filter({ hasText: "No checks" });
    await expect(chip).toHaveCSS("background-color", await role("--danger-soft"));
  });

  // 52
  test("makes a file of a long paste", { tag: "@desktop" }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    await open(page, await daemon.session(project));
    const long = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.setData("text/plain", "x".repeat(4001));
      return transfer;
    });
    await give(page, "paste", long);
    const files = page.getByRole("group", { name: "Composer" }).getByRole("list").getByRole("listitem");
    await expect(files).toHaveText([/pasted\.txt/]);
    await expect(composer(page)).toHaveValue("");
  });
});

test.describe("lists above the composer", () => {
  test.use({ settings: fake() });

  // 53
  test("offer commands and files by keys and by touch, and go away without taking the text", async ({
    page,
    daemon,
    isMobile,
  }) => {
    const project = await daemon.project("ledger", {
      "src/main.rs": "fn main() {}\n",
      "README.md": "# Ledger\n",
    });
    // What was changed last comes first, and both may have been within the same moment.
    utimesSync(join(project.path, "src/main.rs"), 0, 0);
    const session = await daemon.session(project, { agent: "claude", prompt: "say Good morning." });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    const list = page.getByRole("listbox", { name: "Suggestions" });
    const field = composer(page);
    await field.focus();

    await page.keyboard.type("/comp");
    await expect(list.getByRole("option", { name: /^\/compact/ })).toBeVisible();
    await expect(field).toHaveAttribute("aria-activedescendant", /.+/);
    await page.keyboard.press("Escape");
    await expect(list).toHaveCount(0);
    await expect(field).toHaveValue("/comp");
    await expect(field).toBeFocused();
    await page.keyboard.type("a");
    await expect(list).toBeVisible();
    if (isMobile) await list.getByRole("option", { name: /^\/compact/ }).tap();
    else await page.keyboard.press("Enter");
    await expect(field).toHaveValue("/compact ");
    await expect(field).toBeFocused();

    await field.fill("");
    await page.keyboard.type("look at @");
    await expect(list.getByRole("option")).toHaveText([/README\.md/, /main\.rs/, /src\//]);
    await page.keyboard.type("sr");
    await expect(list.getByRole("option")).toHaveText([/src\//, /main\.rs/]);
    if (isMobile) await list.getByRole("option", { name: "src/", exact: true }).tap();
    else {
      await page.keyboard.press("ArrowDown");
      await expect(list.getByRole("option", { selected: true })).toHaveText(/main\.rs/);
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Tab");
    }
    // A folder opens the next list.
    await expect(field).toHaveValue("look at @src/");
    await expect(list.getByRole("option")).toHaveText([/main\.rs/]);
    if (isMobile) await list.getByRole("option", { name: "main.rs" }).tap();
    else await page.keyboard.press("Enter");
    await expect(field).toHaveValue("look at @src/main.rs ");
    await expect(list).toHaveCount(0);
    expect(messages(await daemon.events(session.id))).toHaveLength(1);
  });

  // D17
  test("find files in the whole project by a few letters, and never what git leaves out", {
    tag: "@desktop",
  }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger", {
      "src/api/handlers/post.rs": "",
      "src/api/handlers/poster.rs": "",
      "post/notes/readme.md": "",
      "target/debug/post.rs": "",
      ".gitignore": "target/\n",
    });
    utimesSync(join(project.path, "src/api/handlers/post.rs"), 0, 0);
    const session = await daemon.session(project, { agent: "claude", prompt: "say Good morning." });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    const list = page.getByRole("listbox", { name: "Suggestions" });
    await composer(page).focus();
    await page.keyboard.type("@");
    await expect(list.getByRole("option").first()).not.toHaveText(/post\.rs/);
    const { made, release } = await holdCalls(page, "GET", /\/files\/find\?letters=post$/);
    // Enter at once: what fits all letters is taken, even if it is only on its way, and not what fitted fewer.
    await page.keyboard.type("post");
    await page.keyboard.press("Enter");
    await made;
    release();
    await expect(composer(page)).toHaveValue("@src/api/handlers/post.rs ");
    await page.keyboard.type("and @post");
    await expect(list.getByRole("option").first()).toHaveText(/^\s*post\.rs\s*src\/api\/handlers\/\s*$/);
    await expect(list.getByRole("option")).toHaveCount(5);
    await expect(list.getByRole("option", { name: /target/ })).toHaveCount(0);
    await composer(page).fill("");
    await page.keyboard.type("@zzz");
    await expect(page.getByText("No file of this project fits.")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByText("No file of this project fits.")).toHaveCount(0);
    await expect(composer(page)).toHaveValue("@zzz");
    expect(messages(await daemon.events(session.id))).toHaveLength(1);
  });
});

const draftFiles = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((done) => {
        const opened = indexedDB.open("baton");
        opened.onsuccess = () => {
          const all = opened.result.transaction("drafts").objectStore("drafts").getAll();
          all.onsuccess = () => {
            opened.result.close();
            const [first] = all.result as { text: string; attachments: unknown[] }[];
            done(first?.text === "help" ? first.attachments.length : 0);
          };
        };
      }),
  );

test.describe("commands of the real CLI", () => {
  test.use({ cli: true });

  // 53
  test("are offered with what they do and take, without internal ones, and refused ones say why", {
    tag: "@desktop",
  }, async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "say Good morning." });
    await open(page, session);
    await expect(turn(page, 1)).toBeVisible();
    const list = page.getByRole("listbox", { name: "Suggestions" });
    await composer(page).focus();
    await page.keyboard.type("/");
    await expect(list.getByRole("option").first()).toBeVisible();
    await expect(list.getByRole("option", { name: /__|\(removed\)/ })).toHaveCount(0);
    await page.keyboard.type("compact");
    const compact = list.getByRole("option", { name: /^\/compact/ });
    await expect(compact).toContainText("custom summarization instructions");
    await expect(compact).toContainText(/Free up context|Clear conversation/);
    await page.keyboard.press("Enter");
    // What may follow stays in view while it is written.
    await expect(page.getByRole("status").filter({ hasText: "/compact" })).toContainText("instructions");
    await page.keyboard.type("keep the plan");
    await expect(page.getByRole("status").filter({ hasText: "/compact" })).toBeVisible();
    await composer(page).fill("");
    await page.keyboard.type("/config");
    await expect(list.getByRole("option", { name: /^\/config/ })).toContainText("Not sent: it would change");
    await page.keyboard.press("Enter");
    await expect(composer(page)).toHaveValue("/config");
    await expect(list).toBeVisible();
    expect(messages(await daemon.events(session.id))).toHaveLength(1);
  });
});
