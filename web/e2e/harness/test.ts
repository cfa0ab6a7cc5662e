/** The `test` of all browser tests: a daemon, signed-in browsers, and watch kept over them. */
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { Daemon, type Settings } from "./daemon";
import { type Model, startModel } from "./model";
import { Watch } from "./watch";

export interface Screen {
  readonly page: Page;
  readonly context: BrowserContext;
}

export interface Options {
  /** What the daemon is set to; `test.use({ settings: … })`. */
  settings: Settings;
  /** Whether the real CLI is there, on the scripted model; `test.use({ cli: true })`. */
  cli: boolean;
  /** Whether the page is signed in when the test begins. */
  signed: boolean;
  /** What browsers call the daemon, in place of its address; the project says where that leads. */
  called: string | undefined;
}

interface Fixtures {
  daemon: Daemon;
  watch: Watch;
  /** Opens a further browser, signed in to the same daemon. */
  another: (options?: { scope?: string; userAgent?: string }) => Promise<Screen>;
}

export const test = base.extend<Options & Fixtures, { model: Model }>({
  settings: [{}, { option: true }],
  cli: [false, { option: true }],
  signed: [true, { option: true }],
  called: [undefined, { option: true }],
  model: [
    // biome-ignore lint/correctness/noEmptyPattern: fixtures are found by this pattern
    async ({}, use) => {
      const model = await startModel();
      await use(model);
      await model.end();
    },
    { scope: "worker" },
  ],
  daemon: async ({ settings, cli, model, called }, use) => {
    const daemon = await Daemon.start(cli ? { ...settings, model: model.url } : settings);
    try {
      if (called) await daemon.called(called);
      await use(daemon);
    } finally {
      await daemon.end();
    }
  },
  baseURL: async ({ daemon }, use) => use(daemon.origin),
  watch: async ({ daemon }, use) => {
    const watch = new Watch(daemon.origin);
    await use(watch);
    expect(watch.faults, "the console, the policy and the network stay clean").toEqual([]);
  },
  context: async ({ context, watch }, use) => {
    await watch.over(context);
    await use(context);
  },
  /** Signed in, on the first screen, unless the test wants it otherwise. */
  page: async ({ page, daemon, signed }, use) => {
    if (signed) await signIn(page, daemon);
    await use(page);
  },
  another: async (
    { browser, daemon, watch, contextOptions, serviceWorkers, viewport, hasTouch, isMobile },
    use,
  ) => {
    const open: BrowserContext[] = [];
    await use(async ({ scope, userAgent } = {}) => {
      const context = await browser.newContext({
        ...contextOptions,
        serviceWorkers,
        viewport,
        hasTouch,
        isMobile,
        userAgent,
        baseURL: daemon.origin,
      });
      open.push(context);
      await watch.over(context);
      const page = await context.newPage();
      await signIn(page, daemon, scope);
      return { page, context };
    });
    for (const context of open) await context.close();
  },
});

export async function signIn(page: Page, daemon: Daemon, scope?: string): Promise<void> {
  await page.goto(await daemon.link(scope));
  await expect(page.getByRole("main")).toBeVisible();
  await expect(page).not.toHaveURL(/signin/);
}

export { expect };
