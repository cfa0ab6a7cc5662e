import { defineConfig } from "@playwright/test";
import base from "../playwright.config";

/** Takes pictures of every screen: `scripts/e2e --screens`. They tell nothing by themselves; people look at them. */
export default defineConfig(base, {
  testDir: ".",
  testMatch: "*.shots.ts",
  globalSetup: "../harness/run.ts",
  outputDir: "../../node_modules/.e2e-screens",
});
