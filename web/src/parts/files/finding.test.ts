import { expect, test } from "vitest";
import type { SearchedFiles } from "../../link/types";
import { Finding, type Wanted } from "./finding.svelte";

const one = (path: string): SearchedFiles => ({
  items: [{ path, more: false, lines: [{ line: 1, text: "x", from: 0, to: 1, cut: false }] }],
  files: 1,
  truncated: false,
});
const plain = { regex: false, exactCase: false };

test("what was found for the last words is not shown for the next", async () => {
  const under: { wanted: Wanted; answer: (found: SearchedFiles) => void }[] = [];
  const finding = new Finding((wanted) => new Promise((answer) => under.push({ wanted, answer })), 0);
  const said: string[] = [];
  const look = (text: string) =>
    finding.look({ ...plain, text }, (found) => said.push(found.items[0]?.path ?? ""));

  let end = look("old");
  await expect.poll(() => under.length).toBe(1);
  under[0]?.answer(one("old.rs"));
  await expect.poll(() => finding.value?.items[0]?.path).toBe("old.rs");

  end();
  end = look("new");
  expect(finding.value).toBe(undefined);
  await expect.poll(() => under.length).toBe(2);
  expect(under[1]?.wanted.text).toBe("new");

  // An answer that comes late is nobody's.
  end();
  end = look("newer");
  under[1]?.answer(one("new.rs"));
  await expect.poll(() => under.length).toBe(3);
  expect(finding.value).toBe(undefined);
  under[2]?.answer(one("newer.rs"));
  await expect.poll(() => finding.value?.items[0]?.path).toBe("newer.rs");
  expect(said).toEqual(["old.rs", "newer.rs"]);

  end();
  look("");
  expect(finding.value).toBe(undefined);
});
