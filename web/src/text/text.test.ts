import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ToolRow } from "../fold/view";
import { ansi } from "./ansi";
import { hasOdd, pieces } from "./confusables";
import { fromPreview, fromTool, hunkOf } from "./diff";

const plain = (text: string): string =>
  ansi(text)
    .map((span) => span.text)
    .join("");

describe("terminal output", () => {
  it("keeps colours and drops what moves the cursor", () => {
    expect(ansi("a\u001b[32mgreen\u001b[0m b")).toEqual([
      { text: "a", look: "" },
      { text: "green", look: "a-2" },
      { text: " b", look: "" },
    ]);
    expect(plain("\u001b[2J\u001b[1;1Hhello\u001b[K")).toBe("hello");
    expect(plain("\u001b]0;title\u0007text")).toBe("text");
    expect(plain("\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\")).toBe("link");
  });

  it("shows stray control characters instead of obeying them", () => {
    expect(plain("a\u0007b\u0008c\u001b")).toBe("a␇b␈c␛");
  });

  it("shows a progress bar as it stood last", () => {
    expect(plain("10%\r50%\r100%\ndone\r\nend")).toBe("100%\ndone\nend");
  });

  it("knows bold, bright and 256 colours", () => {
    expect(ansi("\u001b[1;91mx")[0]?.look).toBe("a-1 a-b");
    expect(ansi("\u001b[38;5;2mx")[0]?.look).toBe("a-2");
    expect(ansi("\u001b[38;2;1;2;3mx\u001b[39m")[0]?.text).toBe("x");
  });
});

describe("misleading characters", () => {
  it("are named where they stand", () => {
    const found = pieces("rm \u202e-rf\u200b x");
    expect(found.filter((piece) => piece.odd).map((piece) => piece.odd)).toEqual([
      "right-to-left override, U+202E",
      "zero width space, U+200B",
    ]);
    expect(pieces("plain ünïcode 漢字 🙂\n\ttab")).toHaveLength(1);
    expect(pieces("x\u{e0041}")[1]?.odd).toBe("invisible tag, U+E0041");
  });

  it("are the same for the page as for rules and warnings, over all code points", async () => {
    const file = new URL("../../../schema/unseen.json", import.meta.url);
    const ranges = JSON.parse(await readFile(file, "utf8")) as [number, number][];
    expect(ranges.length).toBeGreaterThan(20);
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const unseen = ranges.some(([from, to]) => code >= from && code <= to);
      if (hasOdd(String.fromCodePoint(code)) !== unseen) expect.fail(`U+${code.toString(16)}`);
    }
    expect(pieces("a\u034fb\u2800c\ufe0fd\u{e0100}e\u00a0f").filter((piece) => piece.odd)).toHaveLength(5);
  });

  it("are letters that pass for others, and only in words that mix them", () => {
    expect(pieces("curl https://gіthub.com")).toEqual([
      { text: "curl https://g" },
      { text: "і U+0456", odd: "cyrillic letter, U+0456" },
      { text: "thub.com" },
    ]);
    expect(pieces("echo привет")).toEqual([{ text: "echo привет" }]);
  });
});

describe("changes", () => {
  it("mark the words that differ", () => {
    const change = fromPreview({
      path: "a.rs",
      hunks: [
        {
          oldStart: 41,
          newStart: 41,
          lines: [
            { kind: "same", text: "let tx = pool.begin();" },
            { kind: "removed", text: "insert(&mut tx, req);" },
            { kind: "added", text: "insert(&mut tx, &key, req);" },
          ],
        },
      ],
    });
    expect([change.added, change.removed]).toEqual([1, 1]);
    expect(change.lines.map((line) => line.number)).toEqual([41, 42, 42]);
    const added = change.lines[2];
    expect(added?.text.slice(...(added.mark ?? [0, 0]))).toBe("&key, ");
    expect(change.lines[1]?.mark).toBeUndefined();
  });

  it("leave lines with nothing in common unmarked", () => {
    const change = fromPreview({ path: "", hunks: [hunkOf("alpha", "12345")] });
    expect(change.lines.every((line) => line.mark === undefined)).toBe(true);
  });

  const tool = (over: Partial<ToolRow>): ToolRow => ({
    kind: "tool",
    key: "t:1",
    seq: 1,
    ts: "",
    turn: 1,
    toolUseId: "1",
    name: "Edit",
    label: "",
    input: {},
    requests: [],
    images: [],
    children: [],
    ...over,
  });

  it("come from the patch, the input, or the written text", () => {
    const done = { ts: "", output: "", isError: false, durationMs: 1, truncated: false };
    const patch = [{ oldStart: 3, newStart: 3, lines: [" a", "-b", "+c", "\\ No newline at end of file"] }];
    const patched = fromTool(tool({ done: { ...done, detail: { structuredPatch: patch } } }));
    expect(patched?.lines.map((line) => [line.kind, line.number])).toEqual([
      ["same", 3],
      ["removed", 4],
      ["added", 4],
    ]);
    const edited = fromTool(
      tool({ input: { file_path: "x", old_string: "a\nb\nc", new_string: "a\nB\nc" } }),
    );
    expect(edited?.lines.map((line) => line.kind)).toEqual(["same", "removed", "added", "same"]);
    const written = fromTool(
      tool({ name: "Write", toolKind: "write", input: { file_path: "x", content: "1\n2\n" } }),
    );
    expect([written?.added, written?.removed]).toEqual([2, 0]);
    expect(fromTool(tool({ name: "Bash", input: { command: "ls" } }))).toBeUndefined();
  });
});
