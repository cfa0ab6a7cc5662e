import { beforeEach, expect, test, vi } from "vitest";
import { Suggest } from "./suggest.svelte";

beforeEach(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {}, removeItem: () => {} });
});

const ground = { slug: () => "shop", commands: async () => [] };

test("no file is said to fit only if the daemon said so", async () => {
  const suggest = new Suggest(ground);
  vi.stubGlobal("fetch", async () => Response.json({ items: [], truncated: false }));
  await suggest.look("see @nothing", 12);
  expect(suggest.vain).toBe(true);

  vi.stubGlobal("fetch", async () => {
    throw new TypeError("no connection");
  });
  await suggest.look("see @nothin", 11);
  expect([suggest.vain, suggest.open]).toEqual([false, false]);

  const lost = new Suggest({ ...ground, slug: () => undefined });
  await lost.look("see @nothing", 12);
  expect(lost.vain).toBe(false);
});
