/** Every screen at every width, in both themes, at twice the size of text: nothing sticks out, nothing is too small, axe finds nothing. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { Daemon } from "./harness/daemon";
import { expect, test } from "./harness/test";
import { expectAccessible } from "./harness/ui";

/** Screens are looked at in a few tests: opening one takes longer than most looks at it. */
const PARTS = ["lists", "projects", "sessions", "settings"] as const;

interface Place {
  readonly part: (typeof PARTS)[number];
  readonly name: string;
  readonly path: string;
  /** What has to be there before it is looked at. */
  readonly shows: string | RegExp;
}

test.slow();

/** A daemon with something of everything on it, and all its screens. */
async function places(daemon: Daemon): Promise<Place[]> {
  const project = await daemon.project("ledger", {
    "src/payments/post.rs": "fn post() {\n    insert(&mut tx, req)\n}\n",
    ".claude/settings.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}\n',
  });
  const second = await daemon.project("web-shop", { "README.md": "# Shop\n" });
  writeFileSync(join(second.path, "README.md"), "# Shop\n\nIt sells things.\n");
  const start = (prompt: string) => daemon.session(project, { prompt });
  const all = await start("think todo tools subagent image background notices text");
  const failed = await start("error");
  const asking = await start("approval");
  const question = await start("question");
  const plan = await start("plan");
  const ended = await start("help");
  for (const one of [all, failed, ended]) await daemon.settled(one.id);
  await daemon.ask("POST", `/sessions/${ended.id}/stop`, {});
  const { approval } = await daemon.asked(asking.id);
  await daemon.asked(question.id);
  await daemon.asked(plan.id);
  const at = `/p/${project.slug}`;
  return [
    { part: "lists", name: "home", path: "/", shows: "Needs you" },
    { part: "lists", name: "inbox", path: "/inbox", shows: /Write baton-demo.txt/ },
    {
      part: "lists",
      name: "one request",
      path: `/inbox/${approval.approvalId}`,
      shows: /Write baton-demo.txt/,
    },
    { part: "lists", name: "board", path: "/board", shows: /Needs you/ },
    { part: "lists", name: "new session", path: "/new", shows: "Ask first" },
    { part: "lists", name: "projects", path: "/projects", shows: "web-shop" },
    { part: "lists", name: "more", path: "/more", shows: "Cost and tokens" },
    { part: "projects", name: "project", path: at, shows: /wants to run/ },
    { part: "projects", name: "trust", path: `${at}/trust`, shows: /Stop/ },
    { part: "projects", name: "files", path: `${at}/files`, shows: "src" },
    { part: "projects", name: "a file", path: `${at}/files?path=src%2Fpayments%2Fpost.rs`, shows: /insert/ },
    { part: "projects", name: "diff", path: `/p/${second.slug}/diff`, shows: /It sells things/ },
    { part: "sessions", name: "session", path: `${at}/s/${all.id}`, shows: /^Turn 1/ },
    { part: "sessions", name: "failed session", path: `${at}/s/${failed.id}`, shows: /^Turn 1/ },
    // Where it is taller than the screen it has to be read first.
    { part: "sessions", name: "request", path: `${at}/s/${asking.id}`, shows: /^(Allow once|Show the rest)/ },
    { part: "sessions", name: "question", path: `${at}/s/${question.id}`, shows: "Send answer" },
    { part: "sessions", name: "plan", path: `${at}/s/${plan.id}`, shows: "Read plan" },
    { part: "sessions", name: "ended session", path: `${at}/s/${ended.id}`, shows: /^Stopped/ },
    { part: "lists", name: "search", path: "/search?q=typo", shows: /The typo is fixed|typo/ },
    { part: "lists", name: "usage", path: "/usage", shows: /recorded|Cost/ },
    { part: "settings", name: "settings", path: "/settings", shows: "Appearance" },
    { part: "settings", name: "rules", path: "/settings/rules", shows: "New rule" },
    { part: "settings", name: "devices", path: "/settings/devices", shows: "Let another device in" },
    { part: "settings", name: "agents", path: "/settings/agents", shows: "Doctor" },
    { part: "settings", name: "appearance", path: "/settings/appearance", shows: "Theme" },
    { part: "settings", name: "about", path: "/settings/about", shows: "Made with" },
    { part: "lists", name: "nowhere", path: "/nowhere", shows: /not|nothing/i },
  ];
}

async function go(page: Page, { path, shows }: Place): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("main").getByText(shows).filter({ visible: true }).first()).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
}

/** Point 6: what is written smaller than anybody should have to read; labels of tabs may be. */
const tiny = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Set<string>();
    while (texts.nextNode()) {
      const { parentElement: holder, textContent: text } = texts.currentNode;
      if (!holder || !text?.trim() || holder.closest("nav[aria-label=Main], .hidden, svg")) continue;
      if (!holder.checkVisibility({ visibilityProperty: true })) continue;
      const size = Number.parseFloat(getComputedStyle(holder).fontSize);
      if (size < 12.99) found.add(`${size} px: ${text.trim().slice(0, 40)}`);
    }
    return [...found];
  });

/** Whether all fonts, and there are some, came from the page's own origin. */
const fonts = (page: Page): Promise<boolean[]> =>
  page.evaluate(() => {
    const all = performance.getEntriesByType("resource").map((one) => new URL(one.name));
    const fonts = all.filter((one) => one.pathname.endsWith(".woff2"));
    return [...new Set(fonts.map((one) => one.origin === location.origin))];
  });

/** Point 5: what is too small for a thumb, and does not stand alone. */
const small = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const wanted = "a[href], button, input, select, textarea, summary, [role=option]";
    const targets = [...document.querySelectorAll<HTMLElement>(wanted)]
      .map((one) =>
        one.matches("input[type=radio], input[type=checkbox]") ? (one.closest("label") ?? one) : one,
      )
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".hidden, [inert]"))
      .map((one) => ({ one, box: one.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    const near = (a: DOMRect, b: DOMRect): boolean =>
      a.left < b.right + 8 && b.left < a.right + 8 && a.top < b.bottom + 8 && b.top < a.bottom + 8;
    return targets
      .filter(({ box }) => box.width < 43.5 || box.height < 43.5)
      .filter(({ one, box }) =>
        targets.some(
          (other) =>
            other.one !== one && !other.one.contains(one) && !one.contains(other.one) && near(box, other.box),
        ),
      )
      .map(
        ({ one, box }) =>
          `${Math.round(box.width)} × ${Math.round(box.height)} ${one.ariaLabel ?? (one.textContent ?? "").slice(0, 40)} <${one.tagName.toLowerCase()} class="${one.className}">`,
      );
  });

const WIDTHS = [320, 360, 390, 768, 1100, 1440].map((width) => ({ width, height: 800 }));
// What is left of 1440 × 900 at 400 %.
WIDTHS.push({ width: 360, height: 225 });

/** Points 4 and 7: at which widths something sticks out. */
async function wide(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const size of WIDTHS) {
    await page.setViewportSize(size);
    const over = await page.evaluate(async () => {
      // What scripts change for a narrower screen comes a frame later.
      for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
      const boxes = [document.scrollingElement, ...document.querySelectorAll("main, [role=region]")];
      return Math.max(...boxes.map((box) => (box ? box.scrollWidth - box.clientWidth : 0)));
    });
    if (over > 0) found.push(`at ${size.width} × ${size.height} ${over} px too wide`);
  }
  return found;
}

/** What sticks out, or cannot be read, where text is twice as large. */
const crowded = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    document.documentElement.style.fontSize = "200%";
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
    const told: string[] = [];
    const boxes = [document.scrollingElement, ...document.querySelectorAll("main")];
    const over = Math.max(...boxes.map((box) => (box ? box.scrollWidth - box.clientWidth : 0)));
    if (over > 0) told.push(`${over} px too wide`);
    const title = document.querySelector<HTMLElement>("h1");
    // Long ones may be cut, but not to a letter.
    if (title && title.clientWidth > 1 && title.scrollWidth > title.clientWidth && title.clientWidth < 150)
      told.push(`${title.textContent} has ${title.clientWidth} px`);
    const labels = [...document.querySelectorAll("svg[role=img] text")].map((one) =>
      one.getBoundingClientRect(),
    );
    const touching = labels.filter((a, at) =>
      labels.some(
        (b, other) =>
          other !== at && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom,
      ),
    );
    if (touching.length > 0) told.push(`${touching.length} labels of a plot touch`);
    return told;
  });

for (const part of PARTS)
  test(`nothing is wrong on any screen: ${part}`, async ({ page, daemon, isMobile }) => {
    const faults: string[] = [];
    const note = (name: string, found: readonly string[]) =>
      faults.push(...found.map((one) => `${name}: ${one}`));
    const usual = page.viewportSize() ?? { width: 0, height: 0 };
    const here = (await places(daemon)).filter((place) => place.part === part);
    expect(here.length).toBeGreaterThan(0);
    for (const place of here) {
      // A small screen first shows the rest of what is asked.
      await page.setViewportSize(usual);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await go(page, place);
      note(place.name, await tiny(page));
      await expectAccessible(page, `${place.name}, light`);
      await page.emulateMedia({ colorScheme: "dark" });
      await expectAccessible(page, `${place.name}, dark`);
      // A mouse needs less room than a thumb, and a wide screen has it.
      if (isMobile) {
        note(place.name, await small(page));
        note(`${place.name} at 200 %`, await crowded(page));
        await expectAccessible(page, `${place.name} at 200 %`);
      } else note(place.name, await wide(page));
    }
    expect(faults).toEqual([]);
    expect(await fonts(page), "where fonts come from").toEqual([true]);
  });
