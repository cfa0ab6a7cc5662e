import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";

/** Of the build in `dist`, which `scripts/web` makes before it runs the tests. */
const dist = new URL("../dist/", import.meta.url);
const KB = 1024;
const packed = (name: string): number => gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length;

/** The scripts that the page names itself. */
function entry(): string[] {
  const page = readFileSync(new URL("index.html", dist), "utf8");
  return [...page.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map(([, name]) => name ?? "");
}

/** These and all that they need before they run. */
function scripts(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const code = readFileSync(new URL(`assets/${name}`, dist), "utf8");
    scripts(
      [...code.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)].map(([, other]) => other ?? ""),
      found,
    );
  }
  return found;
}

const weight = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + packed(`assets/${name}`), 0);

describe("the build", () => {
  beforeAll(() => {
    if (!existsSync(new URL("index.html", dist))) throw new Error("there is no build: run scripts/web");
  });

  it("starts with at most 40 kB of scripts", () => {
    expect(scripts(entry()).size).toBeGreaterThan(0);
    expect(weight(scripts(entry()))).toBeLessThanOrEqual(40 * KB);
  });

  it("shows a session with at most 75 kB more, whatever files that comes in", () => {
    const [session, ...more] = readdirSync(new URL("assets/", dist)).filter((name) =>
      /^Session-.*\.js$/.test(name),
    );
    expect(more).toEqual([]);
    const start = scripts(entry());
    const further = [...scripts([session ?? ""])].filter((name) => !start.has(name));
    expect(weight(further)).toBeLessThanOrEqual(75 * KB);
  });

  it("draws formulas and diagrams with what is neither fetched nor kept before", () => {
    const names = readdirSync(new URL("assets/", dist)).filter((name) => /^(math|diagram|KaTeX)/.test(name));
    expect(names.length).toBeGreaterThan(3);
    const kept = readFileSync(new URL("sw.js", dist), "utf8");
    const [session] = readdirSync(new URL("assets/", dist)).filter((name) => /^Session-.*\.js$/.test(name));
    const early = scripts([...entry(), session ?? ""]);
    expect(names.filter((name) => kept.includes(name) || early.has(name))).toEqual([]);
    expect(names.filter((name) => /\.(woff|ttf)$/.test(name))).toEqual([]);
  });

  it("has no inline script or style, and loads nothing from elsewhere", () => {
    const page = readFileSync(new URL("index.html", dist), "utf8");
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it("has everything that gets smaller in compressed form too", () => {
    for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
      if (!/\.(js|css|html|svg|webmanifest)$/.test(name)) continue;
      expect(existsSync(new URL(`${name}.br`, dist)), name).toBe(true);
      expect(existsSync(new URL(`${name}.gz`, dist)), name).toBe(true);
    }
  });
});
