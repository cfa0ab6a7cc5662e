/** One markdown block to safe HTML. Nothing is loaded, nothing runs, raw HTML is shown as the text it is. */
import { Marked, type Tokens } from "marked";
import { hasLongWord } from "../long";
import { sanitise, sanitisedNodes } from "./sanitise";

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    code({ text, lang }: Tokens.Code) {
      const name = /^[\w+#.-]+/.exec(lang ?? "")?.[0] ?? "";
      return `<pre><code class="lang-${escaped(name)}">${escaped(text)}</code></pre>`;
    },
    html({ text }: Tokens.HTML | Tokens.Tag) {
      return /^<br\s*\/?>$/i.test(text.trim()) ? "<br>" : escaped(text);
    },
    // Pictures from elsewhere would tell who looks at them.
    image({ href, text }: Tokens.Image) {
      return link(href, escaped(text || "image"));
    },
    link({ href, tokens }: Tokens.Link) {
      return link(href, this.parser.parseInline(tokens));
    },
    checkbox({ checked }: Tokens.Checkbox) {
      return checked ? "☑ " : "☐ ";
    },
    table(token: Tokens.Table) {
      const cells = (row: Tokens.TableCell[], tag: string): string =>
        row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("");
      const body = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("");
      const head = `<thead><tr>${cells(token.header, "th")}</tr></thead>`;
      return `<div class="table" tabindex="0" role="region" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>`;
    },
  },
});

function link(href: string, text: string): string {
  if (!/^(https?:|mailto:)/i.test(href)) return text;
  return `<a href="${escaped(href)}" target="_blank" rel="noopener noreferrer">${text}</a>`;
}

/** More marks than this cost a parser more than they can be worth. */
const MOST_MARKS = 2000;
const fence = /^\s{0,3}(?:```|~~~)/;

/** Whether a block is text as people and models write it, and not made to keep the page busy. */
function isUsual(block: string): boolean {
  if (block.length <= MOST_MARKS || fence.test(block)) return true;
  return !hasLongWord(block) && (block.match(/[*_[\]`~<>\\]/g) ?? []).length <= MOST_MARKS;
}

/** Not for the page yet. What cannot be drawn is shown as it was written. */
function rough(block: string): string {
  if (isUsual(block)) {
    try {
      return marked.parse(block, { async: false });
    } catch {
      // Nested deeper than a parser can go.
    }
  }
  return `<p class="flat">${escaped(block.trim()).replace(/\n/g, "<br>")}</p>`;
}

const LIMIT = 500;
const cache = new Map<string, string>();

/** Blocks are drawn again when their chunk is mounted again, so the last ones are remembered. */
export function render(block: string): string {
  const known = cache.get(block);
  if (known !== undefined) return known;
  const drawn = sanitise(rough(block));
  if (cache.size >= LIMIT) {
    const [oldest] = cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
  }
  cache.set(block, drawn);
  return drawn;
}

/** Text under way is drawn once and never again. */
export const renderOnce = (block: string): DocumentFragment => sanitisedNodes(rough(block));
