/** TeX as KaTeX draws it. Nothing in a formula can load, link or run anything. */
import katex, { type KatexOptions } from "katex";
import "katex/dist/katex.min.css";

interface Branch {
  attributes?: Record<string, string>;
  children?: Branch[];
  toNode(): Node;
}

/** What `render` puts into an element, before it does: its types leave it out. */
const domTree = (katex as unknown as { __renderToDomTree(tex: string, options: KatexOptions): Branch })
  .__renderToDomTree;

export function math(source: HTMLElement): void {
  source.dataset.tried = "";
  const tex = source.textContent ?? "";
  const display = source.classList.contains("display");
  const drawn = document.createElement("span");
  drawn.className = source.className;
  drawn.dir = "ltr";
  drawn.title = tex;
  try {
    const tree = domTree(tex, {
      displayMode: display,
      strict: "ignore",
      trust: false,
      maxExpand: 500,
      maxSize: 50,
    });
    styled(tree);
    drawn.append(tree.toNode());
  } catch (error) {
    if (!(error instanceof katex.ParseError || error instanceof RangeError)) throw error;
    source.classList.add("failed");
    source.title = `Not drawn: ${error.message.replace(/^KaTeX parse error: /, "")}`;
    return;
  }
  const alone = source.closest(".formula");
  if (!alone) return source.replaceWith(drawn);
  // What stands by itself keeps its source within reach of a finger, too.
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.act = "source";
  button.setAttribute("aria-pressed", "false");
  button.textContent = "TeX";
  alone.prepend(drawn, button);
}

/** The page allows styles that a script sets, and none that stand in an attribute. */
function styled(branch: Branch): void {
  for (const child of branch.children ?? []) styled(child);
  const style = branch.attributes?.style;
  if (style === undefined) return;
  const { style: _, ...rest } = branch.attributes ?? {};
  branch.attributes = rest;
  const plain = branch.toNode.bind(branch);
  branch.toNode = () => {
    const node = plain() as Node & ElementCSSInlineStyle;
    node.style.cssText = style;
    return node;
  };
}
