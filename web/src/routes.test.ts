import { describe, expect, it } from "vitest";
import { match, ownPath } from "./routes";

const at = (path: string) => match(new URL(path, "https://baton.example"));

describe("addresses", () => {
  it("lead to screens", () => {
    expect(at("/")).toEqual({ name: "home" });
    expect(at("/inbox/apr_1")).toEqual({ name: "inbox", approval: "apr_1" });
    expect(at("/a/apr_1")).toEqual({ name: "inbox", approval: "apr_1" });
    expect(at("/new?project=web")).toEqual({ name: "new", project: "web" });
    expect(at("/p/web")).toEqual({ name: "project", slug: "web", tab: "sessions" });
    expect(at("/p/web/files/src/a%20b.ts?line=1-2")).toMatchObject({
      tab: "files",
      path: "src/a b.ts",
      lines: "1-2",
    });
    expect(at("/p/web/diff?file=x")).toMatchObject({ tab: "diff", path: "x" });
    expect(at("/p/web/s/ses_1?at=12")).toEqual({ name: "session", slug: "web", id: "ses_1", at: 12 });
    expect(at("/p/web/s/ses_1/agent/a1")).toMatchObject({ name: "session", panel: "agents" });
    expect(at("/p/web/s/ses_1/terminal")).toMatchObject({ name: "session", id: "ses_1", lacks: "terminal" });
    expect(at("/p/web/s/ses_1/files")).toMatchObject({ name: "project", slug: "web", tab: "files" });
    expect(at("/s/ses_1")).toEqual({ name: "session", id: "ses_1" });
    expect(at("/settings/rules")).toEqual({ name: "settings", page: "rules" });
    expect(at("/nonsense")).toEqual({ name: "missing" });
    expect(at("/p/%E0%A4%A/")).toMatchObject({ name: "project" });
  });

  it("after sign-in stay on this origin", () => {
    expect(ownPath("/p/web")).toBe("/p/web");
    for (const bad of [
      "//evil.example",
      "https://evil.example",
      "/\\evil.example",
      "javascript:alert(1)",
      "",
      null,
    ])
      expect(ownPath(bad)).toBe("/");
  });
});
