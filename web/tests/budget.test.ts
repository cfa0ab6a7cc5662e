import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";

/** Of the build in `dist`, which `scripts/web` makes before it runs the tests. */
const dist = new URL("../dist/", import.meta.url);
const KB = 1024;
const packed = (name: string): number => gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length;

describe("the build", () => {
  beforeAll(() => {
    if (!existsSync(new URL("index.html", dist))) throw new Error("there is no build: run scripts/web");
  });

  it("starts with at most 40 kB of scripts", () => {
    const page = readFileSync(new URL("index.html", dist), "utf8");
    const names = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, name]) => name ?? "");
    expect(names.length).toBeGreaterThan(0);
    expect(names.reduce((sum, name) => sum + packed(name), 0)).toBeLessThanOrEqual(40 * KB);
  });

  it("shows a session with at most 60 kB more", () => {
    const names = readdirSync(new URL("assets/", dist)).filter((name) => /^Session-.*\.js$/.test(name));
    expect(names).toHaveLength(1);
    expect(packed(`assets/${names[0]}`)).toBeLessThanOrEqual(60 * KB);
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
