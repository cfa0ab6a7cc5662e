import { beforeEach, expect, test, vi } from "vitest";

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.resetModules();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
});

async function opened(hash: string): Promise<string | null> {
  vi.resetModules();
  vi.stubGlobal("location", { hash, pathname: "/s/1", search: "" });
  vi.stubGlobal("history", { state: null, replaceState: () => {} });
  return (await import("./share")).shared;
}

test("a link to one session counts for its tab, until that is to sign in", async () => {
  expect(await opened("#share=abc")).toBe("abc");
  expect(await opened("")).toBe("abc");
  expect(await opened("#link=xyz")).toBe(null);
  expect(await opened("")).toBe(null);
});
