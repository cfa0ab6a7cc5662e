import { describe, expect, it } from "vitest";
import { linkAddress, onlyHere } from "./links";

const made = { link: "s3cret", url: "http://192.168.1.20:2633/#link=s3cret" };

describe("the address of a one-time link", () => {
  it("is where this page was opened, with the secret in the fragment", () => {
    const here = { origin: "https://studio.example", hostname: "studio.example" };
    expect(linkAddress(made, here, "/p/shop/s/ses_1")).toBe(
      "https://studio.example/p/shop/s/ses_1#link=s3cret",
    );
  });

  it("is what the daemon names when this page is on the machine itself", () => {
    const here = { origin: "http://127.0.0.1:2633", hostname: "127.0.0.1" };
    expect(linkAddress(made, here, "/")).toBe("http://192.168.1.20:2633/#link=s3cret");
    expect(linkAddress({ link: "s3cret" }, here, "/")).toBe("http://127.0.0.1:2633/#link=s3cret");
  });

  it("is of this machine alone only for its own names", () => {
    expect(["localhost", "127.0.0.1", "[::1]"].every(onlyHere)).toBe(true);
    expect(["localhost.example", "192.168.1.20", "studio.local"].some(onlyHere)).toBe(false);
  });
});
