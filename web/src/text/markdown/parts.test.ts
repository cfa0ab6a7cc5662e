import { describe, expect, it } from "vitest";
import { partsOf, quoted, stepsOf } from "./parts";

const plan = `# Keys

Why **now**.

## Steps

1. Read the ledger
   - its header
   - its rows
2. Add the keys

   \`\`\`sql
   1. not a step
   \`\`\`
3. Test it

## Risks

- old files
- slow disks
`;

describe("the parts of a plan", () => {
  it("are its headings, paragraphs and items, and lose nothing", () => {
    const parts = partsOf(plan);
    expect(parts.map((one) => one.text.trim().split("\n")[0])).toEqual([
      "# Keys",
      "Why **now**.",
      "## Steps",
      "1. Read the ledger",
      "2. Add the keys",
      "3. Test it",
      "## Risks",
      "- old files",
      "- slow disks",
    ]);
    expect(
      parts
        .map((one) => one.text)
        .join("")
        .replace(/\s/g, ""),
    ).toBe(plan.replace(/\s/g, ""));
    expect(parts.flatMap((one) => one.heading ?? [])).toEqual([
      { depth: 1, title: "Keys" },
      { depth: 2, title: "Steps" },
      { depth: 2, title: "Risks" },
    ]);
  });

  it("are one where a definition reaches across them", () => {
    expect(partsOf("See [it][a].\n\n[a]: https://example.org\n")).toHaveLength(1);
  });
});

describe("the steps of a plan", () => {
  it("are what it numbers itself, not every bullet", () => {
    expect(stepsOf(plan)).toBe(3);
    expect(stepsOf("- a\n- b\n")).toBeUndefined();
    expect(stepsOf("1. a\n\nA word.\n\n2. b\n")).toBe(2);
  });

  it("are not counted where the numbers begin anew", () => {
    expect(stepsOf("1. a\n2. b\n\n## Risks\n\n1. c\n")).toBeUndefined();
  });
});

describe("remarks", () => {
  it("quote the words they are about", () => {
    const remarks = [{ part: "2. Add the keys\n   now\n", remark: " Two tables. " }];
    expect(quoted(remarks, "And quickly.")).toBe(
      "> 2. Add the keys\n>    now\n\nTwo tables.\n\nAnd quickly.",
    );
    expect(quoted([], " Again. ")).toBe("Again.");
  });
});
