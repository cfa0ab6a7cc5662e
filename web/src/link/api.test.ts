// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bytes, call, isHere, Problem } from "./api";

const asked = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();
beforeEach(() => vi.stubGlobal("fetch", asked));
afterEach(() => {
  vi.unstubAllGlobals();
  asked.mockReset();
});

const said = (body: unknown, status = 200): void =>
  void asked.mockImplementation(async () => new Response(body ? JSON.stringify(body) : null, { status }));
const last = (): [string, RequestInit] => asked.mock.lastCall ?? ["", {}];

it("puts names into the path so that they cannot lead elsewhere", async () => {
  said({ items: [] });
  await call("GET", "/projects/{slug}/comments", { slug: "a/b ?#ü", query: { path: "x&y=z/ü.ts" } });
  expect(last()[0]).toBe("/api/v1/projects/a%2Fb%20%3F%23%C3%BC/comments?path=x%26y%3Dz%2F%C3%BC.ts");
});

it("asks only for what was given", async () => {
  said({ items: [] });
  await call("GET", "/search", { query: { q: "x", limit: 5, project: undefined } });
  expect(last()[0]).toBe("/api/v1/search?q=x&limit=5");
  await call("GET", "/approvals/past", { query: { cursor: undefined } });
  expect(last()[0]).toBe("/api/v1/approvals/past");
  expect(last()[1].body).toBeUndefined();
});

it("sends a body as JSON and reads the answer", async () => {
  said({ id: "r", extra: 1 });
  const body = { rule: "Bash(ls)", decision: "allow", scope: "user" } as const;
  expect(await call("POST", "/rules", { body })).toEqual({ id: "r", extra: 1 });
  const [, init] = last();
  expect(init.method).toBe("POST");
  expect(JSON.parse(String(init.body))).toEqual(body);
  expect(new Headers(init.headers).get("content-type")).toBe("application/json");
});

it("has nothing to say where the daemon has not", async () => {
  said(undefined, 204);
  expect(await call("POST", "/auth/logout")).toBeUndefined();
});

it("turns a refusal into a problem", async () => {
  said({ code: "not_found", title: "gone" }, 404);
  const failed = await bytes("/sessions/{id}/images/{imageId}", { id: "s", imageId: "i" }).catch(
    (one) => one,
  );
  expect(failed).toBeInstanceOf(Problem);
  expect(failed).toMatchObject({ status: 404, code: "not_found" });
});

it("asks about the network only where one is between", () => {
  for (const host of ["localhost", "127.0.0.1", "127.8.0.1", "[::1]"]) expect(isHere(host), host).toBe(true);
  for (const host of ["127.example.org", "192.168.0.7", "box.lan", "localhost.lan"])
    expect(isHere(host), host).toBe(false);
});
