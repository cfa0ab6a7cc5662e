import { defineConfig } from "@playwright/test";
import base from "../playwright.config";

/** As sharp as the screens that people look at pictures with. */
const SHARP = 2;

/** Takes pictures of every screen: `scripts/e2e --screens`. They tell nothing by themselves; people look at them. */
export default defineConfig({
  ...base,
  testDir: ".",
  testMatch: "*.shots.ts",
  globalSetup: "../harness/run.ts",
  outputDir: "../../node_modules/.e2e-screens",
  // Some pictures are of a page without a daemon.
  use: { ...base.use, serviceWorkers: "allow" },
  workers: 2,
  projects: (base.projects ?? [])
    .filter(({ name }) => name !== "lan")
    .map((project) => ({ ...project, use: { ...project.use, deviceScaleFactor: SHARP } })),
});
