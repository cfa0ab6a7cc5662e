import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineRange } from "./parts/files/words";
import { match, paths } from "./routes";

const at = (path: string) => match(new URL(path, "http://baton.test"));

describe("addresses lead back to what they were made of", () => {
  it("of any file, whatever its name", () => {
    const name = fc.string({ minLength: 1 }).filter((one) => !/[\ud800-\udfff\0]/.test(one));
    fc.assert(
      fc.property(name, (path) => {
        expect(at(paths.files("shop", path, "3-7"))).toEqual({
          name: "project",
          slug: "shop",
          tab: "files",
          path,
          lines: "3-7",
        });
      }),
    );
  });

  it("of a diff, a search, usage, a request and an event", () => {
    expect(at(paths.diff("shop", "a b.rs"))).toMatchObject({ tab: "diff", path: "a b.rs" });
    expect(at(paths.search("two words", "shop"))).toEqual({
      name: "search",
      q: "two words",
      project: "shop",
    });
    expect(at(paths.usage("7d", "project"))).toEqual({ name: "usage", range: "7d", by: "project" });
    expect(at(paths.request("apr_1"))).toEqual({ name: "inbox", approval: "apr_1" });
    expect(at(paths.event("shop", "ses_1", 12))).toMatchObject({ name: "session", id: "ses_1", at: 12 });
  });

  it("never end in a file's name, which a server would look for", () => {
    expect(new URL(paths.files("shop", "src/main.rs"), "http://baton.test").pathname).toBe("/p/shop/files");
  });
});

describe("lineRange", () => {
  it("reads one line, several, and the wrong way round", () => {
    expect(lineRange("12")).toEqual([12, 12]);
    expect(lineRange("12-20")).toEqual([12, 20]);
    expect(lineRange("20-12")).toEqual([12, 20]);
  });

  it("takes nothing else for lines", () => {
    for (const given of [undefined, "", "0", "a-b", "1-2-3", "-4", "99999999999"])
      expect(lineRange(given)).toBeUndefined();
  });
});
