/** What the browser itself measures of a layout that moves (`layout-shift`). */
import type { Page } from "@playwright/test";

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources?: readonly {
    readonly node?: Node;
    readonly previousRect: DOMRectReadOnly;
    readonly currentRect: DOMRectReadOnly;
  }[];
}

/** Call before a page is opened. */
export async function measureShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(window, { batonShifts: shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as Shift[]) {
        // What a person did may move things.
        if (entry.hadRecentInput) continue;
        const moved = (entry.sources ?? []).map(({ node, previousRect: a, currentRect: b }) => {
          const name =
            node instanceof Element ? `${node.tagName}.${node.getAttribute("class")}` : node?.nodeName;
          const text = (node?.textContent ?? "").trim().slice(0, 30);
          return `${name} "${text}" ${a.x},${a.y} ${a.width}×${a.height} → ${b.x},${b.y} ${b.width}×${b.height}`;
        });
        shifts.push(`${entry.value.toFixed(5)}: ${moved.join("; ")}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/** Every shift since the page was opened, and their sum. */
export const shifted = (page: Page): Promise<{ all: string[]; sum: number }> =>
  page.evaluate(async () => {
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
    const all = (window as unknown as { batonShifts: string[] }).batonShifts;
    return { all, sum: all.reduce((sum, one) => sum + Number.parseFloat(one), 0) };
  });
