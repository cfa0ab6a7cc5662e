/** Colours for code, made in a worker that starts with the first block of code. Without workers code stays plain. */

/** Beyond this code stays plain. */
const LIMIT = 200_000;
const REMEMBERED = 200;

let worker: Worker | undefined | null;
let next = 0;
const waiting = new Map<number, (html: string | undefined) => void>();
const cache = new Map<string, string>();

export async function highlight(code: string, language: string): Promise<string | undefined> {
  if (code.length > LIMIT || language === "") return undefined;
  const key = `${language}\n${code}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const html = await ask(code, language);
  if (html !== undefined) {
    if (cache.size >= REMEMBERED) cache.delete(cache.keys().next().value ?? "");
    cache.set(key, html);
  }
  return html;
}

function ask(code: string, language: string): Promise<string | undefined> {
  worker ??= start();
  const running = worker;
  if (!running) return Promise.resolve(undefined);
  const id = next++;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    running.postMessage({ id, code, language });
  });
}

function start(): Worker | null {
  try {
    const made = new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
    made.onmessage = (message: MessageEvent<{ id: number; html?: string }>) => {
      waiting.get(message.data.id)?.(message.data.html);
      waiting.delete(message.data.id);
    };
    made.onerror = () => {
      worker = null;
      for (const resolve of waiting.values()) resolve(undefined);
      waiting.clear();
    };
    return made;
  } catch {
    return null;
  }
}

/** Endings that are not what the language is called, or one of its other names. */
const endings = new Map(
  Object.entries({
    ...{
      rs: "rust",
      mjs: "javascript",
      cjs: "javascript",
      py: "python",
      svg: "xml",
      yml: "yaml",
      md: "markdown",
    },
    ...{ cc: "cpp", hpp: "cpp", patch: "diff", html: "xml", ts: "typescript", js: "javascript" },
  }),
);

/** By its name or its ending; whether there are colours for it is seen later. */
export function languageOf(path: string): string {
  const name = path.split("/").at(-1)?.toLowerCase() ?? "";
  const ending = name.includes(".") ? (name.split(".").at(-1) ?? "") : name;
  return endings.get(ending) ?? (/^(?:dockerfile|makefile)$/.test(name) || name.includes(".") ? ending : "");
}
