import { accessSync, constants } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, devices } from "@playwright/test";
import type { Options } from "./harness/test";

/** A condition that is not met after this long is not going to be: the machine may be slow and busy. */
const LIMIT_MS = 30_000;

/** The browser of the system: the one that Playwright would fetch is another build for every version of it. */
function chromium(): string {
  const folders = (process.env.PATH ?? "").split(":");
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
  for (const path of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  throw new Error("there is no chromium on the PATH: run scripts/setup");
}

/** How the browser is started. Nothing here is drawn in three dimensions, so a graphics card made of software is only work. */
const launched = (...args: string[]) => ({ executablePath: chromium(), args: ["--disable-gpu", ...args] });

/** A name of the local network: browsers trust it as little as they should. */
const LAN = "baton.example";
const phone = { ...devices["Pixel 7"], viewport: { width: 390, height: 844 }, deviceScaleFactor: 1 };

export default defineConfig<Options>({
  testDir: ".",
  outputDir: "../node_modules/.e2e",
  globalSetup: "./harness/run.ts",
  fullyParallel: true,
  // Most of a test's time is spent on waiting for an agent, a daemon or a frame: half of them do so at any moment.
  workers: 2 * availableParallelism(),
  // A starved machine may fail a test that is sound. One that passes later is listed as flaky, never passed over.
  retries: process.env.CI ? 2 : 0,
  forbidOnly: true,
  reporter: [["line"], ["./harness/report.ts"]],
  // Only against what never ends: a test waits for many conditions, and a busy machine takes its time for each.
  timeout: 5 * LIMIT_MS,
  // Several steps that are tried again together take longer than one, and still not for ever.
  expect: { timeout: LIMIT_MS, toPass: { timeout: 2 * LIMIT_MS } },
  use: {
    browserName: "chromium",
    launchOptions: launched(),
    // In every new browser it fetches the whole page once more, which costs as much as a short test.
    // Where it matters: `test.use({ serviceWorkers: "allow" })`.
    serviceWorkers: "block",
    actionTimeout: LIMIT_MS,
    navigationTimeout: LIMIT_MS,
    locale: "en-GB",
    timezoneId: "UTC",
    trace: "off",
    screenshot: "only-on-failure",
  },
  // On both screens runs only what is laid out or worked differently there; of everything else a tag says on which.
  projects: [
    { name: "phone", grepInvert: /@desktop/, testIgnore: "lan.spec.ts", use: phone },
    {
      name: "desktop",
      grepInvert: /@phone/,
      testIgnore: "lan.spec.ts",
      use: { viewport: { width: 1440, height: 900 } },
    },
    {
      name: "lan",
      testMatch: "lan.spec.ts",
      use: {
        ...phone,
        called: LAN,
        launchOptions: launched(`--host-resolver-rules=MAP ${LAN} 127.0.0.1`),
      },
    },
  ],
});
