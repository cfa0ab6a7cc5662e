import { describe, expect, it } from "vitest";
import { type Comment, commentText, linesWord } from "./comment";

const one: Comment = {
  id: "1",
  path: "src/post.rs",
  from: 42,
  to: 42,
  side: "new",
  code: "insert(&mut tx, req)",
  text: " Keep the old signature? ",
};

describe("commentText", () => {
  it("names the file and the line and quotes the code", () => {
    expect(commentText([one])).toBe(
      "On `src/post.rs`, line 42:\n\n```rust\ninsert(&mut tx, req)\n```\n\nKeep the old signature?",
    );
  });

  it("uses a fence that the code cannot close", () => {
    const text = commentText([{ ...one, path: "a.md", code: "````\nx\n````" }]);
    expect(text).toContain("`````markdown\n````\nx\n````\n`````");
  });

  it("puts several comments one after the other", () => {
    const text = commentText([one, { ...one, from: 50, to: 52, text: "Why?" }]);
    expect(text.match(/^On /gm)).toHaveLength(2);
    expect(text.endsWith("Why?")).toBe(true);
  });
});

it("says which side a line number counts", () => {
  expect(linesWord({ from: 3, to: 5, side: "new" })).toBe("lines 3 to 5");
  expect(linesWord({ from: 3, to: 3, side: "old" })).toBe("line 3 before the change");
});
