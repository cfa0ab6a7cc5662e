/** Answers, as people read them: tables, code, other scripts, tasks, footnotes, formulas, diagrams, files. */
import type { Page } from "@playwright/test";
import { answers, asks, begun, ended, script, scripted, streams } from "./harness/fake";
import { answer, code, files } from "./harness/rich";
import { expect, test } from "./harness/test";
import { expectAccessible, open, timeline, turn } from "./harness/ui";

test.describe("an answer with everything in it", () => {
  test.use({ settings: scripted(answers(answer)) });

  test.beforeEach(async ({ page, daemon }) => {
    const project = await daemon.project("ledger", files);
    const session = await daemon.session(project, { agent: "claude", prompt: "go" });
    await daemon.settled(session.id);
    await open(page, session);
    await expect(timeline(page).getByRole("heading", { name: "What I found" })).toBeAttached();
  });

  test("has tables that scroll inside themselves, aligned, with whole words", async ({ page, isMobile }) => {
    for (const width of isMobile ? [320, 390, 768] : [1100, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await brokenWords(page), `at ${width}`).toEqual([]);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide, `at ${width}`).toBeLessThanOrEqual(0);
    }
    const table = page.locator(".prose .table").first();
    const side = (name: string) => table.getByRole("cell", { name, exact: true });
    await expect(side("12,400")).toHaveCSS("text-align", "right");
    await expect(side("31 ms")).toHaveCSS("text-align", "right");
    await expect(side("web")).toHaveCSS("text-align", "center");
    if (!isMobile) return;
    await page.setViewportSize({ width: 390, height: 844 });
    await table.focus();
    expect(await table.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
    // The shade at the edge is there as long as there is more.
    expect(await table.evaluate((one) => getComputedStyle(one).backgroundAttachment)).toContain("local");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => table.evaluate((one) => one.scrollLeft)).toBeGreaterThan(0);
  });

  test("has code that is named, copied as it is, wrapped, and reached by the keyboard", {
    tag: "@desktop",
  }, async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const block = page.locator('.prose .code[data-lang="rust"]');
    await expect(block).toContainText("rust");
    await expect(block.locator(".hljs-keyword").first()).toBeAttached();
    await block.scrollIntoViewIfNeeded();
    await block.hover();
    await block.getByRole("button", { name: "Copy" }).click();
    await expect(block.getByRole("button", { name: "Copied" })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
    const text = block.locator("pre");
    await text.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => text.evaluate((one) => one.scrollLeft)).toBeGreaterThan(0);
    await block.getByRole("button", { name: "Wrap" }).click();
    await expect.poll(() => text.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  });

  test("begins right-to-left text at the right, and leaves code in it alone", { tag: "@phone" }, async ({
    page,
  }) => {
    const starts = await page.evaluate(() => {
      const places: Record<string, number> = {};
      for (const [name, words] of [
        ["arabic", "تم إصلاح"],
        ["item", "أولاً"],
        ["hebrew", "פתחתי"],
        ["english", "The write happens"],
      ] as const) {
        const block = [...document.querySelectorAll(".prose :is(p, li)")].find((one) =>
          one.textContent?.trim().startsWith(words),
        );
        const range = document.createRange();
        const text = block?.firstChild as Text;
        range.setStart(text, 0);
        range.setEnd(text, 1);
        const box = (block as Element).getBoundingClientRect();
        places[name] = (range.getBoundingClientRect().left - box.left) / box.width;
      }
      return places;
    });
    expect(starts.arabic).toBeGreaterThan(0.9);
    expect(starts.item).toBeGreaterThan(0.9);
    expect(starts.hebrew).toBeGreaterThan(0.9);
    expect(starts.english).toBeLessThan(0.1);
    const inside = page.locator(".prose p > a > code", { hasText: "src/post.rs:42" });
    await expect(inside.first()).toHaveCSS("direction", "ltr");
    const table = page.locator(".prose .table").nth(1);
    const [first, second] = await table
      .getByRole("columnheader")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
    expect(first).toBeGreaterThan(second ?? 0);
  });

  test("has formulas and diagrams drawn, with their source at hand", { tag: "@desktop" }, async ({
    page,
  }) => {
    const formula = page.locator(".prose .formula .katex-html");
    await expect(formula).toBeVisible();
    await expect(page.locator(".prose p .math math")).toHaveCount(2);
    // Its parts are where they belong, under a policy that knows no styles in attributes.
    await expect
      .poll(() => formula.evaluate((one) => one.getBoundingClientRect().height))
      .toBeGreaterThan(40);
    const box = page.locator(".prose .formula");
    await box.hover();
    await box.getByRole("button", { name: "TeX" }).click();
    await expect(box.locator("code")).toContainText("\\prod_{i=1}");
    await expect(formula).toBeHidden();
    const block = page.locator('.prose .code[data-lang="mermaid"]');
    const picture = block.getByRole("img");
    await expect(picture).toBeVisible();
    expect(await picture.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBeGreaterThan(300);
    const height = await block.evaluate((one) => one.getBoundingClientRect().height);
    await block.hover();
    await block.getByRole("button", { name: "Source" }).click();
    await expect(block.locator("pre")).toBeVisible();
    await expect(picture).toBeHidden();
    expect(await block.evaluate((one) => one.getBoundingClientRect().height)).toBe(height);
    await expectAccessible(page, "an answer with everything");
  });

  test("has links to files that are there, and to their lines", { tag: "@phone" }, async ({ page }) => {
    const link = timeline(page).getByRole("link", { name: "src/post.rs:42" }).first();
    await expect(link).toBeVisible();
    await expect(timeline(page).getByRole("link", { name: "src/post.rs:7-9" })).toBeVisible();
    await expect(timeline(page).getByRole("link", { name: "the readme" })).toBeVisible();
    await expect(timeline(page).getByText("src/gone.rs:3")).toBeVisible();
    await expect(timeline(page).getByRole("link", { name: "src/gone.rs:3" })).toHaveCount(0);
    await link.click();
    await expect(page).toHaveURL(/files\?path=src%2Fpost\.rs&line=42/);
    await expect(page.locator(".meant").first()).toContainText("line 42");
    await expect(page.locator(".meant").first()).toBeInViewport();
  });

  test("asks for each folder once, however often its files are named", { tag: "@desktop" }, async ({
    page,
  }) => {
    const links = timeline(page).getByRole("link", { name: "src/post.rs:42" });
    // All that the first look asks for has come.
    await expect(links.first()).toBeVisible();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (/\/files(\?|$)/.test(request.url())) asked.push(new URL(request.url()).search);
    });
    await page.reload();
    await expect(links.first()).toBeVisible();
    await expect(timeline(page).getByRole("link", { name: "README.md" }).first()).toBeVisible();
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.length).toBe(2);
  });

  test("has tasks and footnotes", { tag: "@phone" }, async ({ page }) => {
    await expect(page.locator(".prose li.task")).toHaveCount(4);
    await expect(page.getByRole("img", { name: "Done" })).toHaveCount(1);
    const mark = page.getByRole("button", { name: "Footnote 1", exact: true });
    await mark.press("Enter");
    const back = page.getByRole("button", { name: "Back to where footnote 1 is" });
    await expect(back).toBeFocused();
    await expect(back).toBeInViewport();
    await back.press("Enter");
    await expect(mark).toBeFocused();
  });
});

test.describe("an answer under way", () => {
  // What draws came with the first answer, which fills the screen: a short timeline stands at the bottom and moves up.
  const [, ...next] = begun;
  const first = [...begun, answers(`First, $x^2$.\n\n${"Words.\n\n".repeat(60)}`, "msg_first"), ended];
  test.use({ settings: script(...first, ...next, ...streams(answer), answers(answer), ended) });

  test("shifts nothing that is on the screen, drawings included", async ({ page, daemon }) => {
    await page.addInitScript(() => {
      const shifts: [number, string][] = [];
      (window as unknown as { shifts: typeof shifts }).shifts = shifts;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as Shift[]) {
          if (entry.hadRecentInput) continue;
          const nodes = (entry.sources ?? []).map(({ node }) =>
            node instanceof Element ? `${node.tagName}.${node.getAttribute("class")}` : node?.nodeName,
          );
          shifts.push([entry.value, nodes.join(" ")]);
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    const project = await daemon.project("ledger", files);
    const session = await daemon.session(project, { agent: "claude", prompt: "go" });
    await daemon.settled(session.id);
    await open(page, session);
    await expect(page.locator(".prose .katex-html")).toBeAttached();
    await page.evaluate(() => (window as unknown as { shifts: unknown[] }).shifts.splice(0));
    await daemon.say(session.id, "on");
    await expect(turn(page, 2)).toBeVisible();
    await expect(page.locator(".prose .picture img")).toBeAttached();
    await expect(page.locator(".prose .formula .katex-html")).toBeAttached();
    const shifts = await page.evaluate(() => (window as unknown as { shifts: [number, string][] }).shifts);
    const all = shifts.reduce((sum, [value]) => sum + value, 0);
    expect(all, JSON.stringify(shifts)).toBeLessThan(SHIFT);
  });
});

test.describe("a plain answer", () => {
  test.use({ settings: scripted(answers("Only `words`, for $5.")) });

  test("fetches nothing that draws @desktop", async ({ page, daemon }) => {
    const fetched: string[] = [];
    page.on("request", (request) => fetched.push(request.url()));
    const session = await daemon.session(await daemon.project("ledger"), { agent: "claude", prompt: "go" });
    await daemon.settled(session.id);
    await open(page, session);
    await expect(timeline(page).getByText("Only words, for $5.")).toBeVisible();
    await page.waitForLoadState("networkidle");
    expect(fetched.filter((one) => /math-|diagram|KaTeX/.test(one))).toEqual([]);
  });
});

test.describe("what cannot be drawn", () => {
  const text = '```mermaid\npie title Pets\n  "Dogs" : 3\n```\n\nand $\\frac{1$ too.\n';
  test.use({ settings: scripted(answers(text)) });

  test("is shown as its source, with a line that says why @desktop", async ({ page, daemon }) => {
    const session = await daemon.session(await daemon.project("ledger"), { agent: "claude", prompt: "go" });
    await daemon.settled(session.id);
    await open(page, session);
    const block = page.locator('.prose .code[data-lang="mermaid"]');
    await expect(block).toContainText("not drawn: “pie” is not a kind that can be drawn here");
    await expect(block.locator("pre")).toBeVisible();
    await expect(page.locator(".prose code.math")).toHaveText("\\frac{1");
    await expect(page.locator(".prose code.math")).toHaveAttribute("title", /^Not drawn: /);
  });
});

test.describe("a tool that failed", () => {
  const failed = {
    type: "user",
    message: {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          is_error: true,
          content: "<tool_use_error>File has not been read yet.</tool_use_error>",
        },
      ],
    },
    parent_tool_use_id: null,
  };
  const [call] = asks("toolu_1", "Read", { file_path: "a.txt" });
  test.use({ settings: scripted(...(call ? [call] : []), { emit: failed }, answers("Done.")) });

  // It opens by itself.
  test("is told without the marks around it @desktop", async ({ page, daemon }) => {
    const session = await daemon.session(await daemon.project("ledger"), { agent: "claude", prompt: "go" });
    await daemon.settled(session.id);
    await open(page, session);
    await expect(timeline(page).getByText("File has not been read yet.")).toBeVisible();
    await expect(timeline(page).getByText(/tool_use_error/)).toHaveCount(0);
  });
});

test.describe("an output that is too long for the model", () => {
  test.use({ cli: true });

  test("is there as a whole @desktop", async ({ page, daemon }) => {
    const project = await daemon.project("ledger");
    const session = await daemon.session(project, { agent: "claude", prompt: "RUN[seq 1 200000]" });
    await daemon.settled(session.id);
    await open(page, session);
    await timeline(page)
      .getByRole("button", { name: /seq 1 200000/ })
      .click();
    await expect(timeline(page).getByText(/persisted-output/)).toHaveCount(0);
    await timeline(page)
      .getByRole("button", { name: /^Full output, 1\.[23] MB/ })
      .click();
    await expect(timeline(page).locator("pre.well").last()).toContainText("\n200000");
  });
});

interface Shift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources?: { node?: Node }[];
}
/** As in `calm.spec.ts`: a state's word that changes moves its neighbours. */
const SHIFT = 0.005;

/** Words in cells that stand on more than one line. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.locator(".prose :is(th, td)").evaluateAll((cells) =>
    cells.flatMap((cell) => {
      const broken: string[] = [];
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = texts.currentNode as Text;
        for (const found of node.data.matchAll(/\S+/g)) {
          const range = document.createRange();
          range.setStart(node, found.index);
          range.setEnd(node, found.index + found[0].length);
          const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
          if (lines.size > 1) broken.push(found[0]);
        }
      }
      return broken;
    }),
  );
