/** One folder for everything that a run makes, so that nothing of it can be left behind. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAllBelow } from "./processes";

export default function run(): () => Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "baton-e2e-"));
  process.env.BATON_E2E_ROOT = root;
  return async () => {
    await endAllBelow(root);
    rmSync(root, { recursive: true, force: true });
  };
}
