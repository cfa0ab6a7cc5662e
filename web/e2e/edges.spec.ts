/** One content edge per page: on a large screen everything on it begins where its title does. */
import type { Page } from "@playwright/test";
import { expect, test } from "./harness/test";

const BESIDE_PX = 200;

/** How far the leftmost thing of every line of the page stands from its title. */
const strays = (page: Page): Promise<string[]> =>
  page.evaluate((BESIDE) => {
    const view = document.querySelector(".view");
    const title = [...(view?.querySelectorAll("h1, form") ?? [])].find((one) => !one.matches(".hidden"));
    if (!view || !title) return ["no title"];
    const left = (node: Node): DOMRect[] => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [...range.getClientRects()].filter((one) => one.width > 1 && one.height > 1);
    };
    const edge = title.matches("h1") ? (left(title)[0]?.left ?? 0) : title.getBoundingClientRect().left;
    const ground = view.getBoundingClientRect().left;
    const seen: { top: number; bottom: number; left: number; what: string }[] = [];
    for (const element of view.querySelectorAll<HTMLElement>("*")) {
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      if (box.width < 2 || box.height < 2 || style.visibility === "hidden") continue;
      // What says that there is nothing stands in the middle; files of a tree stand behind the arrows of its folders.
      if (element.closest(".empty, .hidden, .tree li li, .tree .name, .tree a")) continue;
      const painted =
        style.borderLeftWidth !== "0px" ||
        style.boxShadow !== "none" ||
        style.backgroundColor !== "rgba(0, 0, 0, 0)" ||
        element.matches("svg, img, input, select, textarea");
      const add = (rect: DOMRect): void => {
        const { top, bottom } = rect;
        seen.push({
          top,
          bottom,
          left: rect.left,
          what: `${element.tagName} ${element.className} ${element.textContent?.trim().slice(0, 30)}`,
        });
      };
      // The ground of the row that one is on may stand out, and one that goes to the very edge of the page is none of its content.
      if (painted && box.left > ground + 1 && !element.ariaCurrent) add(box);
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) left(node).forEach(add);
    }
    const found = new Map<number, string>();
    for (let y = 0; y < innerHeight; y += 4) {
      const line = seen.filter((one) => one.top <= y && one.bottom > y);
      const first = line.toSorted((a, b) => a.left - b.left)[0];
      const off = first ? Math.round(first.left - edge) : 0;
      // Further in begins what stands beside it.
      if (first && (off < -1 || (off > 1 && off < BESIDE)) && !found.has(off))
        found.set(off, `${off} px: ${first.what}`);
    }
    return [...found.values()];
  }, BESIDE_PX);

test("every page has one content edge", { tag: "@desktop" }, async ({ page, daemon }) => {
  const project = await daemon.project("ledger", {
    "src/main.rs": "fn main() {}\n",
    "CLAUDE.md": "Be kind.\n",
  });
  await daemon.session(await daemon.project("second"), { prompt: "help" });
  await daemon.session(project, { prompt: "approval" });
  await daemon.session(project, { prompt: "error" });
  const at = `/p/${project.slug}`;
  const pages = [
    "/",
    "/inbox",
    "/board",
    "/projects",
    at,
    `${at}/files`,
    `${at}/diff`,
    `${at}/trust`,
    "/search",
    "/search?q=help",
    "/usage",
    "/settings",
    "/settings/appearance",
    "/settings/rules",
    "/settings/devices",
    "/settings/agents",
    "/settings/about",
    "/more",
  ];
  const found: Record<string, string[]> = {};
  for (const path of pages) {
    await page.goto(path);
    await expect(page.locator(".view h1")).toBeVisible();
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    await page.waitForLoadState("networkidle");
    for (const width of [1440, 1920]) {
      await page.setViewportSize({ width, height: 1000 });
      // What scripts change for another width comes a frame later.
      await page.evaluate(async () => {
        for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
      });
      const off = await strays(page);
      if (off.length > 0) found[`${path} at ${width}`] = off;
    }
  }
  expect(found).toEqual({});
});
