/** The worker side of `diagram.ts`. */
import "./alone";
import { renderMermaidSVG } from "beautiful-mermaid";

interface Asked {
  readonly id: number;
  readonly source: string;
  readonly colours: Record<string, string>;
}

const kinds = /^(?:flowchart|graph|stateDiagram|sequenceDiagram|classDiagram|erDiagram|xychart)/;

/** What stands before a diagram and says how to draw it; comments are left out. */
const bare = (source: string): string =>
  source
    .replace(/^\s*---\n[\s\S]*?\n---\n/, "")
    .replace(/^\s*%%.*$/gm, "")
    .trim();

function drawn(source: string, colours: Record<string, string>): string {
  const text = bare(source);
  const kind = /^[\w-]*/.exec(text)?.[0] ?? "";
  if (!kinds.test(kind))
    throw new Error(kind ? `“${kind}” is not a kind that can be drawn here` : "it is empty");
  const svg = renderMermaidSVG(text, { ...colours, transparent: true, padding: 12, font: "system-ui" });
  // A picture loads nothing; the theme is the page's.
  return svg
    .replace(/@import url\([^)]*\);/g, "")
    .replace(/<style>/, "<style>svg { color-scheme: light dark; }");
}

addEventListener("message", (message: MessageEvent<Asked>) => {
  const { id, source, colours } = message.data;
  try {
    postMessage({ id, svg: drawn(source, colours) });
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : "it has a mistake";
    postMessage({ id, why: why?.slice(0, 120) });
  }
});
