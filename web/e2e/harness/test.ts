/** The `test` of all browser tests: a daemon, signed-in browsers, and watch kept over them. */
import {
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  expect,
  type Page,
} from "@playwright/test";
import { called as nameOf } from "../../src/store/device";
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

type Kept = Exclude<BrowserContextOptions["storageState"], string | undefined>;

interface Login {
  token: string;
  device: { id: string; scope: string };
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
  /** Signed in, unless the test wants it otherwise. No page is opened for it: that costs as much as a short test. */
  storageState: async ({ daemon, signed, userAgent }, use) =>
    use(signed ? await signedIn(daemon, { userAgent }) : undefined),
  /** As of somebody who was here before: what the worker keeps is there, and every page is under it. */
  page: async ({ page, signed, serviceWorkers }, use) => {
    if (signed && serviceWorkers === "allow") {
      await page.goto("/");
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    }
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
        storageState: await signedIn(daemon, { scope, userAgent }),
      });
      open.push(context);
      await watch.over(context);
      return { page: await context.newPage(), context };
    });
    for (const context of open) await context.close();
  },
});

/** What a browser keeps once a link has let it in: as the page asks for it, and under the page's own names. */
async function signedIn(
  daemon: Daemon,
  { scope, userAgent = "Chrome Linux" }: { scope?: string; userAgent?: string },
): Promise<Kept> {
  const { hash } = new URL(await daemon.link(scope));
  const link = decodeURIComponent(hash.slice("#link=".length));
  const body = { link, name: nameOf(userAgent, 0) };
  const { token, device } = await daemon.ask<Login>("POST", "/auth/login", body);
  const kept = { "baton.token": token, "baton.device": device.id, "baton.scope": device.scope };
  const localStorage = Object.entries(kept).map(([name, value]) => ({ name, value }));
  return { cookies: [], origins: [{ origin: daemon.origin, localStorage }] };
}

export { expect };
