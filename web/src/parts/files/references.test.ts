// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { candidates, Folders, linkFiles, reference, references } from "./references";

const place = { slug: "ledger", root: "/srv/ledger", cwd: "/srv/ledger" };
const tree: Record<string, readonly { name: string; kind: string }[]> = {
  "": [
    { name: "src", kind: "folder" },
    { name: "README.md", kind: "file" },
    { name: "v1.0", kind: "folder" },
  ],
  src: [{ name: "post.rs", kind: "file" }],
};

function asked() {
  const calls: string[] = [];
  let most = 0;
  let busy = 0;
  const known = new Folders(async (_, path) => {
    calls.push(path);
    most = Math.max(most, ++busy);
    await Promise.resolve();
    busy -= 1;
    return tree[path] ?? [];
  });
  return { calls, known, most: () => most };
}

async function linked(html: string, known = asked().known, at = place): Promise<HTMLElement> {
  const block = document.createElement("div");
  block.innerHTML = html;
  document.body.append(block);
  await linkFiles(block, at, known);
  return block;
}

const links = (block: HTMLElement): (string | null)[][] =>
  [...block.querySelectorAll("a")].map((link) => [link.textContent, link.getAttribute("href")]);

describe("names of files in an answer", () => {
  it("are told from other words", () => {
    expect(reference("src/x.rs:42")).toEqual({ path: "src/x.rs", lines: "42" });
    expect(reference("src/x.rs:42-50")).toEqual({ path: "src/x.rs", lines: "42-50" });
    expect(reference("src/x.rs:42:7")).toEqual({ path: "src/x.rs", lines: "42" });
    expect(reference("src/x.rs#L42-L50")).toEqual({ path: "src/x.rs", lines: "42-50" });
    expect(reference("cargo test")).toBeUndefined();
    expect(reference("https://x.example/a.rs")).toBeUndefined();
    expect(references("See src/x.rs:42, ./a.md. Not http://h.example/b.rs!")).toEqual([
      { at: 4, length: 11, meant: { path: "src/x.rs", lines: "42" } },
      { at: 17, length: 6, meant: { path: "./a.md" } },
    ]);
  });

  it("are looked for where the agent works, then in the project, and nowhere else", () => {
    const deeper = { ...place, cwd: "/srv/ledger/src" };
    expect(candidates("post.rs", deeper)).toEqual(["src/post.rs", "post.rs"]);
    expect(candidates("../README.md", deeper)).toEqual(["README.md"]);
    expect(candidates("/srv/ledger/src/post.rs", place)).toEqual(["src/post.rs"]);
    expect(candidates("/etc/passwd", place)).toEqual([]);
    expect(candidates("../../etc/passwd", place)).toEqual([]);
  });

  it("become links to their lines if they are there, and only then", async () => {
    const block = await linked(
      "<p>In <code>src/post.rs:42</code>, src/post.rs:7-9 and README.md. Not <code>src/gone.rs:3</code>, Node.js, v1.0 or <code>src</code>; <span data-ref='src/post.rs#L3'>here</span>.</p><pre><code>src/post.rs</code></pre>",
    );
    expect(links(block)).toEqual([
      ["src/post.rs:42", "/p/ledger/files?path=src%2Fpost.rs&line=42"],
      ["src/post.rs:7-9", "/p/ledger/files?path=src%2Fpost.rs&line=7-9"],
      ["README.md", "/p/ledger/files?path=README.md"],
      ["here", "/p/ledger/files?path=src%2Fpost.rs&line=3"],
    ]);
    expect(block.textContent).toContain(
      "In src/post.rs:42, src/post.rs:7-9 and README.md. Not src/gone.rs:3",
    );
  });

  it("ask once for a folder, for none that is not there, and never many at a time", async () => {
    const { calls, known, most } = asked();
    const names = Array.from(
      { length: 200 },
      (_, at) => `<code>src/a${at}.rs</code> <code>no/b${at}.rs</code>`,
    );
    await linked(`<p>${names.join(" ")} <code>src/post.rs</code></p>`, known);
    expect(calls).toEqual(["", "src"]);
    expect(most()).toBeLessThanOrEqual(2);
  });
});
