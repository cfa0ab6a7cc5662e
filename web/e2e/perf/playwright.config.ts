/** Measures the page in a browser; `scripts/e2e --perf`. Nothing here passes or fails by the clock. */
import { defineConfig } from "@playwright/test";
import base from "../playwright.config";

const MINUTES = 60_000;

export default defineConfig({
  ...base,
  testDir: ".",
  testMatch: "*.bench.ts",
  globalSetup: "../harness/run.ts",
  outputDir: "../../node_modules/.perf",
  fullyParallel: false,
  workers: 1,
  retries: 0,
  timeout: 20 * MINUTES,
  // As a person's browser is.
  use: { ...base.use, serviceWorkers: "allow", launchOptions: { ...base.use?.launchOptions, args: [] } },
  projects: base.projects?.filter((project) => project.name === "desktop"),
});
