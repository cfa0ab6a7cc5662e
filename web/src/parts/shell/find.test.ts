import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { find } from "./find";

const entries = [
  { name: "Home" },
  { name: "Inbox" },
  { name: "Add idempotency keys", note: "ledger-api" },
  { name: "Keys", note: "Every key there is" },
];

describe("find", () => {
  it("shows all without letters, in their order", () => {
    expect(find(entries, "  ")).toEqual(entries);
  });

  it("puts a name that begins with the letters first", () => {
    expect(find(entries, "key").map((one) => one.name)).toEqual(["Keys", "Add idempotency keys"]);
  });

  it("wants every word, in name or note", () => {
    expect(find(entries, "idem ledger").map((one) => one.name)).toEqual(["Add idempotency keys"]);
    expect(find(entries, "idem shop")).toEqual([]);
  });

  it("takes whatever is typed", () => {
    fc.assert(
      fc.property(fc.string(), (typed) => {
        expect(find(entries, typed).length).toBeLessThanOrEqual(entries.length);
      }),
    );
  });
});
