/** Every screen at every width, in both themes: nothing sticks out, nothing is too small, axe finds nothing. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { Daemon } from "./harness/daemon";
import { expect, test } from "./harness/test";
import { expectAccessible } from "./harness/ui";

interface Place {
  readonly name: string;
  readonly path: string;
  /** What has to be there before it is looked at. */
  readonly shows: string | RegExp;
}

// Every screen is looked at in one test, because making what they show takes longer than looking.
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
    { name: "home", path: "/", shows: "Needs you" },
    { name: "inbox", path: "/inbox", shows: /Write baton-demo.txt/ },
    { name: "one request", path: `/inbox/${approval.approvalId}`, shows: /Write baton-demo.txt/ },
    { name: "new session", path: "/new", shows: "Ask first" },
    { name: "projects", path: "/projects", shows: "web-shop" },
    { name: "more", path: "/more", shows: "Cost and tokens" },
    { name: "project", path: at, shows: /wants to run/ },
    { name: "trust", path: `${at}/trust`, shows: /Stop/ },
    { name: "files", path: `${at}/files`, shows: "src" },
    { name: "a file", path: `${at}/files?path=src%2Fpayments%2Fpost.rs`, shows: /insert/ },
    { name: "diff", path: `/p/${second.slug}/diff`, shows: /It sells things/ },
    { name: "session", path: `${at}/s/${all.id}`, shows: /^Turn 1/ },
    { name: "failed session", path: `${at}/s/${failed.id}`, shows: /^Turn 1/ },
    // Where it is taller than the screen it has to be read first.
    { name: "request", path: `${at}/s/${asking.id}`, shows: /^(Allow once|Show the rest)/ },
    { name: "question", path: `${at}/s/${question.id}`, shows: "Send answer" },
    { name: "plan", path: `${at}/s/${plan.id}`, shows: "Read plan" },
    { name: "ended session", path: `${at}/s/${ended.id}`, shows: /^Stopped/ },
    { name: "search", path: "/search?q=typo", shows: /The typo is fixed|typo/ },
    { name: "usage", path: "/usage", shows: /recorded|Cost/ },
    { name: "settings", path: "/settings", shows: "Appearance" },
    { name: "rules", path: "/settings/rules", shows: "New rule" },
    { name: "devices", path: "/settings/devices", shows: "Let another device in" },
    { name: "agents", path: "/settings/agents", shows: "Doctor" },
    { name: "appearance", path: "/settings/appearance", shows: "Theme" },
    { name: "about", path: "/settings/about", shows: "Made with" },
    { name: "nowhere", path: "/nowhere", shows: /not|nothing/i },
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

/** Points 6 and 10; the console, the policy and the origin (point 7) are watched on every screen too. */
for (const theme of ["light", "dark"] as const)
  test(`axe finds nothing on any screen, ${theme}`, async ({ page, daemon }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const place of await places(daemon)) {
      await go(page, place);
      await expectAccessible(page, `${place.name}, ${theme}`);
      expect(await tiny(page), `small text on ${place.name}`).toEqual([]);
    }
  });

/** Points 4 and 7. */
test("no screen scrolls sideways at any width, nor zoomed in four times", async ({
  page,
  daemon,
  isMobile,
}) => {
  test.skip(isMobile, "the widths are the same there");
  const sizes = [320, 360, 390, 768, 1100, 1440].map((width) => ({ width, height: 800 }));
  // What is left of 1440 × 900 at 400 %.
  sizes.push({ width: 360, height: 225 });
  const wide: string[] = [];
  for (const place of await places(daemon)) {
    // A small screen first shows the rest of what is asked.
    await page.setViewportSize({ width: 1440, height: 800 });
    await go(page, place);
    for (const size of sizes) {
      await page.setViewportSize(size);
      const over = await page.evaluate(async () => {
        // What scripts change for a narrower screen comes a frame later.
        for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
        const boxes = [document.scrollingElement, ...document.querySelectorAll("main, [role=region]")];
        return Math.max(...boxes.map((box) => (box ? box.scrollWidth - box.clientWidth : 0)));
      });
      if (over > 0) wide.push(`${place.name} at ${size.width} × ${size.height}: ${over} px too wide`);
    }
  }
  expect(wide).toEqual([]);
  const fonts = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map((one) => new URL(one.name))
      .filter((one) => one.pathname.endsWith(".woff2"))
      .map((one) => one.origin === location.origin),
  );
  expect(fonts.length).toBeGreaterThan(0);
  expect(fonts).not.toContain(false);
});

test("at twice the size of text, nothing sticks out and every title can be read", async ({
  page,
  daemon,
  isMobile,
}) => {
  test.skip(!isMobile, "a wide screen has the room");
  await page.addInitScript(() => {
    new MutationObserver((_, watcher) => {
      if (!document.documentElement) return;
      document.documentElement.style.fontSize = "200%";
      watcher.disconnect();
    }).observe(document, { childList: true });
  });
  const faults: string[] = [];
  for (const place of await places(daemon)) {
    await go(page, place);
    const found = await page.evaluate(async () => {
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
    faults.push(...found.map((one) => `${place.name}: ${one}`));
  }
  expect(faults).toEqual([]);
});

/** Point 5. */
test("every target is large enough for a thumb, or stands alone", async ({ page, daemon, isMobile }) => {
  test.skip(!isMobile, "a mouse needs less");
  const small: string[] = [];
  for (const place of await places(daemon)) {
    await go(page, place);
    const found = await page.evaluate(() => {
      const wanted = "a[href], button, input, select, textarea, summary, [role=option]";
      const targets = [...document.querySelectorAll<HTMLElement>(wanted)]
        .map((one) =>
          one.matches("input[type=radio], input[type=checkbox]") ? (one.closest("label") ?? one) : one,
        )
        .filter(
          (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".hidden, [inert]"),
        )
        .map((one) => ({ one, box: one.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 1 && box.height > 1);
      const near = (a: DOMRect, b: DOMRect): boolean =>
        a.left < b.right + 8 && b.left < a.right + 8 && a.top < b.bottom + 8 && b.top < a.bottom + 8;
      return targets
        .filter(({ box }) => box.width < 43.5 || box.height < 43.5)
        .filter(({ one, box }) =>
          targets.some(
            (other) =>
              other.one !== one &&
              !other.one.contains(one) &&
              !one.contains(other.one) &&
              near(box, other.box),
          ),
        )
        .map(
          ({ one, box }) =>
            `${Math.round(box.width)} × ${Math.round(box.height)} ${one.ariaLabel ?? (one.textContent ?? "").slice(0, 40)} <${one.tagName.toLowerCase()} class="${one.className}">`,
        );
    });
    small.push(...found.map((one) => `${place.name}: ${one}`));
  }
  expect(small).toEqual([]);
});
