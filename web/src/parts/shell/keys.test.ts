import { describe, expect, it } from "vitest";
import { meaningOf, type Press } from "./keys";

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  ctrl: false,
  shift: false,
  alt: false,
  ...more,
});

describe("meaningOf", () => {
  it("opens the palette even while somebody types", () => {
    expect(meaningOf(press("k", { ctrl: true }), false, true, false)).toEqual({ do: "palette" });
  });

  it("takes no letter while somebody types", () => {
    for (const key of ["g", "c", "j", "k", "N", "?", "/"])
      expect(meaningOf(press(key), false, true, true)).toBeUndefined();
  });

  it("takes no letter when letters are turned off, but still shows the keys", () => {
    expect(meaningOf(press("c"), false, false, false)).toBeUndefined();
    expect(meaningOf(press("?"), false, false, false)).toEqual({ do: "keys" });
  });

  it("goes places by G and a letter", () => {
    expect(meaningOf(press("g"), false, false, true)).toEqual({ do: "await" });
    expect(meaningOf(press("i"), true, false, true)).toEqual({ do: "go", to: "/inbox" });
    expect(meaningOf(press("x"), true, false, true)).toBeUndefined();
  });

  it("begins a session by C", () => {
    expect(meaningOf(press("c"), false, false, true)).toEqual({ do: "begin" });
  });

  it("leaves keys of the browser alone", () => {
    expect(meaningOf(press("c", { ctrl: true }), false, false, true)).toBeUndefined();
    expect(meaningOf(press("j", { alt: true }), false, false, true)).toBeUndefined();
  });
});
