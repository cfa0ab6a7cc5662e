/** The time between frames, and every task that kept a page from answering. */
import type { Page } from "@playwright/test";

export const watchFrames = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen = window as unknown as { gaps: number[]; long: number[]; frames: boolean };
    Object.assign(seen, { gaps: [], long: [], frames: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.long.push(entry.duration);
    }).observe({ type: "longtask" });
    let last = performance.now();
    const frame = (now: number) => {
      seen.gaps.push(now - last);
      last = now;
      if (seen.frames) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });

export const frames = (page: Page): Promise<{ gaps: number[]; long: number[] }> =>
  page.evaluate(() => {
    const seen = window as unknown as { gaps: number[]; long: number[]; frames: boolean };
    seen.frames = false;
    return { gaps: seen.gaps.slice(1), long: seen.long };
  });
