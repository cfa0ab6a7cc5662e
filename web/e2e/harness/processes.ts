/**
 * Ends what a test started, also the parts that left their parent.
 *
 * A daemon and its agents detach on purpose, so that nothing but what they
 * inherited says whose they are: every test has a folder of its own, and its
 * path is in their home, in their holder's mark or on their command line.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const LOOK_MS = 50;
const LOOKS = 200;
const MARKS = ["HOME=", "BATON_HOLDER="];

/** Kills every process that belongs to a folder, and returns when none is left. */
export async function endAllBelow(root: string): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const found = allBelow(root);
    if (found.length === 0) return;
    for (const pid of found) end(pid);
    await pause(LOOK_MS);
  }
  throw new Error(`processes of ${root} do not end: ${allBelow(root).join(", ")}`);
}

export const isAlive = (pid: number): boolean => {
  const stat = read(pid, "stat");
  // A zombie only waits for its parent.
  return stat !== "" && !/\) [ZX] /.test(stat);
};

function allBelow(root: string): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => pid !== process.pid && isAlive(pid) && belongs(pid, root));
}

function belongs(pid: number, root: string): boolean {
  const inherited = read(pid, "environ")
    .split("\0")
    .some((variable) => MARKS.some((mark) => variable.startsWith(`${mark}${root}/`)));
  return inherited || read(pid, "cmdline").includes(`${root}/`);
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // Gone, or not ours to look at, and then not ours to end either.
    return "";
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
