import { describe, expect, it } from "vitest";
import type { OfferedRule } from "../../link/records";
import { chosen, inOrder, keyOf, tickedAtFirst } from "./ownRules";

const rule = (text: string, more: Partial<OfferedRule> = {}): OfferedRule => ({
  rule: text,
  decision: "allow",
  source: "settings.json",
  scope: "user",
  words: "Allows it",
  known: false,
  ...more,
});

describe("Claude Code's own rules", () => {
  const plain = rule("Bash(ls:*)");
  const wide = rule("Bash", { warning: "It allows about anything without asking." });
  const unread = rule("Skill(x)", { words: undefined, unreadable: "`Skill` takes nothing" });
  const known = rule("Read(.env)", { decision: "deny", known: true });
  const items = [unread, known, wide, plain];

  it("are ticked at first unless they allow about anything", () => {
    expect([...tickedAtFirst(items)]).toEqual([keyOf(plain)]);
  });

  it("stand in the order in which something can be done about them", () => {
    expect(inOrder(items).map((item) => item.rule)).toEqual(["Bash", "Bash(ls:*)", "Read(.env)", "Skill(x)"]);
  });

  it("are sent as they are written, and only those that can be taken over", () => {
    const all = new Set(items.map(keyOf));
    expect(chosen(items, all)).toEqual([
      { rule: "Bash", decision: "allow" },
      { rule: "Bash(ls:*)", decision: "allow" },
    ]);
    expect(chosen(items, new Set())).toEqual([]);
  });
});
