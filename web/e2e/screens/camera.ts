/** Takes a picture of a screen at every width and in both themes. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { test as base, expect } from "../harness/test";
import { Stage } from "./stage";

/** Where all pictures go; which of them are kept says `docs/screens/README.md`. */
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "../../node_modules/.screens");

export interface Size {
  readonly width: number;
  readonly height: number;
}

const PHONE: readonly Size[] = [
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];
const DESKTOP: readonly Size[] = [{ width: 1440, height: 900 }];

export interface Fixtures {
  stage: Stage;
  /** Takes the screen as it is; other sizes than the usual ones where they are the point. */
  shoot: (page: Page, name: string, sizes?: readonly Size[]) => Promise<void>;
}

export const test = base.extend<Fixtures>({
  stage: async ({ settings }, use) => {
    const stage = await Stage.open(settings);
    try {
      await use(stage);
    } finally {
      await stage.daemon.end();
    }
  },
  daemon: async ({ stage }, use) => use(stage.daemon),
  shoot: async ({ isMobile }, use) => {
    mkdirSync(FOLDER, { recursive: true });
    const usual = isMobile ? PHONE : DESKTOP;
    await use(async (page, name, sizes = usual) => {
      const [first] = usual as [Size];
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        for (const { width, height } of sizes) {
          await page.setViewportSize({ width, height });
          await still(page);
          await page.screenshot({
            path: join(FOLDER, `${name}-${width}-${colorScheme}.png`),
            caret: "initial",
          });
        }
      }
      await page.setViewportSize(first);
    });
  },
});

/** Nothing is on its way any more that would be on the next picture. */
async function still(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  });
  await page.waitForFunction(
    () =>
      document.querySelectorAll("[aria-busy=true]").length === 0 &&
      [...document.images].every((one) => one.complete) &&
      document
        .getAnimations()
        .every(
          (one) =>
            one.playState !== "running" || one.effect?.getTiming().iterations === Number.POSITIVE_INFINITY,
        ),
  );
}

export { expect };
