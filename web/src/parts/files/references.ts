/**
 * Names of files in an answer become links to them, if such files are there.
 *
 * What is there is asked folder by folder, from the project's own down, and
 * remembered for a while: an answer that names a hundred files of one folder
 * asks once, and a name that nothing can come of asks for nothing of its own.
 */
import { call, Problem } from "../../link/api";
import { paths } from "../../routes";

/** Where the names in a session's answers are looked for. */
export interface Place {
  readonly slug: string;
  /** The project's folder. */
  readonly root: string;
  /** Where the agent works. */
  readonly cwd: string;
}

export interface Reference {
  readonly path: string;
  readonly lines?: string;
}

const NAME = String.raw`(?:\.{0,2}\/)?(?:[\w@.+-]+\/)*[\w@.+-]*\.[A-Za-z]\w{0,9}`;
const LINES = String.raw`(?::(\d{1,7})(?:-(\d{1,7})|:\d{1,5})?|#L(\d{1,7})(?:-L?(\d{1,7}))?)?`;
/** In the middle of a sentence: not part of an address, nor of a longer name. */
const inText = new RegExp(String.raw`(?<![\w/@.:~+-])(${NAME})${LINES}(?![\w/@~-])`, "g");
const alone = new RegExp(`^(${NAME}|[\\w@.+/-]*\\/[\\w@.+-]+|Makefile|Dockerfile|LICENSE)${LINES}$`);

function referenceOf(found: RegExpExecArray | RegExpMatchArray): Reference {
  const [, path = "", from, to, mark, until] = found;
  const [first, last] = [from ?? mark, to ?? until];
  return { path, ...(first ? { lines: last ? `${first}-${last}` : first } : {}) };
}

/** A whole piece of code, or the address of a link. */
export function reference(text: string): Reference | undefined {
  const found = text.length < 400 ? alone.exec(text) : null;
  return found ? referenceOf(found) : undefined;
}

/** Where in a sentence files are named. */
export const references = (text: string): { at: number; length: number; meant: Reference }[] =>
  [...text.matchAll(inText)].map((found) => ({
    at: found.index,
    length: found[0].length,
    meant: referenceOf(found),
  }));

/** Below the project's folder, in the order in which a name may be meant. */
export function candidates(path: string, { root, cwd }: Place): string[] {
  const full = path.startsWith("/") ? [path] : [`${cwd}/${path}`, `${root}/${path}`];
  const below = full.flatMap((one) => {
    const parts: string[] = [];
    for (const part of one.split("/")) {
      if (part === "..") parts.pop();
      else if (part !== "" && part !== ".") parts.push(part);
    }
    const clean = `/${parts.join("/")}`;
    return clean.startsWith(`${root}/`) ? [clean.slice(root.length + 1)] : [];
  });
  return [...new Set(below)];
}

/** How long an answer about a folder counts. */
const FRESH_MS = 30_000;
/** Folders that are asked for at once, over all answers on the screen. */
const AT_ONCE = 2;

interface Listed {
  readonly at: number;
  readonly entries: Promise<ReadonlyMap<string, string>>;
}
type Asks = (slug: string, path: string) => Promise<readonly { name: string; kind: string }[]>;

export class Folders {
  private readonly known = new Map<string, Listed>();
  private readonly waiting: (() => void)[] = [];
  private busy = 0;

  constructor(
    private readonly asks: Asks,
    private readonly now: () => number = Date.now,
  ) {}

  async has(slug: string, path: string): Promise<boolean> {
    const parts = path.split("/");
    for (const [depth, name] of parts.entries()) {
      const entries = await this.list(slug, parts.slice(0, depth).join("/"));
      if (entries.get(name) !== (depth === parts.length - 1 ? "file" : "folder")) return false;
    }
    return true;
  }

  private list(slug: string, path: string): Promise<ReadonlyMap<string, string>> {
    const key = `${slug}\n${path}`;
    const known = this.known.get(key);
    if (known && this.now() - known.at < FRESH_MS) return known.entries;
    const entries = this.turn(() => this.asks(slug, path)).then(
      (items) => new Map(items.map(({ name, kind }) => [name, kind])),
    );
    this.known.set(key, { at: this.now(), entries });
    return entries;
  }

  private async turn<T>(does: () => Promise<T>): Promise<T> {
    if (this.busy >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.busy += 1;
    try {
      return await does();
    } finally {
      this.busy -= 1;
      this.waiting.shift()?.();
    }
  }
}

const folders = new Folders(async (slug, path) => {
  try {
    return (await call("GET", "/projects/{slug}/files", { slug, query: { path, limit: 1000 } })).items;
  } catch (error) {
    // Without an answer there is no link.
    if (error instanceof Problem) return [];
    throw error;
  }
});

async function hrefOf({ path, lines }: Reference, place: Place, known: Folders): Promise<string | undefined> {
  for (const one of candidates(path, place))
    if (await known.has(place.slug, one)) return paths.files(place.slug, one, lines);
  return undefined;
}

function wrap(name: ChildNode, href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.className = "file";
  name.replaceWith(link);
  link.append(name);
}

/** Makes links of what a finished block says about files. */
export async function linkFiles(block: HTMLElement, place: Place, known = folders): Promise<void> {
  const made: Promise<void>[] = [];
  for (const element of block.querySelectorAll<HTMLElement>(":not(pre) > code:not(.math), [data-ref]")) {
    const meant = reference(element.dataset.ref ?? element.textContent ?? "");
    if (!meant || element.closest("a")) continue;
    made.push(
      hrefOf(meant, place, known).then((href) => {
        if (href !== undefined && block.isConnected) wrap(element, href);
      }),
    );
  }
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode as Text;
    if (!node.parentElement?.closest("a, code, pre, button, .bar, .math, [data-ref]"))
      made.push(linkText(node, place, known));
  }
  await Promise.all(made);
}

async function linkText(node: Text, place: Place, known: Folders): Promise<void> {
  const found = references(node.data);
  const hrefs = await Promise.all(found.map(({ meant }) => hrefOf(meant, place, known)));
  if (!node.isConnected) return;
  // From the end, so that what comes before keeps its place.
  for (const { at, length } of found.reverse()) {
    const href = hrefs.pop();
    if (href === undefined) continue;
    const name = node.splitText(at);
    name.splitText(length);
    wrap(name, href);
  }
}
