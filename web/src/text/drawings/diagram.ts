/**
 * Mermaid as a picture: drawn in a worker, and shown as an image, in which
 * nothing runs and which loads nothing. The block keeps its height throughout.
 */

/** A drawing that takes longer is given up, and its worker with it. */
const PATIENCE_MS = 8000;
/** More than this is shown as source. */
const LONGEST = 20_000;
/** Below this scale nobody can read it: it scrolls instead. */
const SMALLEST = 0.75;
const LARGEST = 1.25;
const REMEMBERED = 40;

interface Answer {
  readonly id: number;
  readonly svg?: string;
  readonly why?: string;
}

let worker: Worker | undefined;
let next = 0;
const cache = new Map<string, string>();

/** Roles of the page's colours, as they are written down: light and dark in one. */
function colours(): Record<string, string> {
  const style = getComputedStyle(document.documentElement);
  const role = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    bg: role("sunken"),
    fg: role("ink"),
    line: role("ink-3"),
    accent: role("brand"),
    muted: role("ink-2"),
    surface: role("surface"),
    border: role("line-strong"),
  };
}

function ask(source: string): Promise<Answer> {
  worker ??= new Worker(new URL("./diagram.worker.ts", import.meta.url), { type: "module" });
  const [asked, id] = [worker, next++];
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      asked.removeEventListener("message", heard);
      resolve(answer);
    };
    const giveUp = (why: string): void => {
      asked.terminate();
      if (worker === asked) worker = undefined;
      end({ id, why });
    };
    const heard = (message: MessageEvent<Answer>): void => {
      if (message.data.id === id) end(message.data);
    };
    const timer = setTimeout(() => giveUp("it takes too long"), PATIENCE_MS);
    asked.addEventListener("message", heard);
    asked.addEventListener("error", () => giveUp("the drawing program did not start"), { once: true });
    asked.postMessage({ id, source, colours: colours() });
  });
}

export async function diagram(block: HTMLElement): Promise<void> {
  const source = block.querySelector("pre")?.textContent ?? "";
  block.dataset.drawn = "";
  let svg = cache.get(source);
  let why = source.length > LONGEST ? "it is too long" : undefined;
  if (svg === undefined && why === undefined) {
    ({ svg, why } = await ask(source));
    if (svg !== undefined) remember(source, svg);
  }
  if (!block.isConnected) return;
  const shown = svg === undefined ? undefined : await picture(svg);
  if (shown && block.isConnected) show(block, shown, source);
  else tell(block, why ?? "the browser does not show it");
}

function remember(source: string, svg: string): void {
  const [oldest] = cache.keys();
  if (cache.size >= REMEMBERED && oldest !== undefined) cache.delete(oldest);
  cache.set(source, svg);
}

async function picture(svg: string): Promise<HTMLImageElement | undefined> {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
    return image;
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

function show(block: HTMLElement, image: HTMLImageElement, source: string): void {
  const view = document.createElement("div");
  view.className = "picture";
  view.tabIndex = 0;
  view.setAttribute("role", "group");
  view.setAttribute("aria-label", "Diagram");
  image.alt = `Diagram: ${source.replace(/\s+/g, " ").slice(0, 300)}`;
  view.append(image);
  block.append(view);
  const [width, height] = [image.naturalWidth, image.naturalHeight];
  const room = Math.min((view.clientWidth - 24) / width, (view.clientHeight - 12) / height);
  image.width = Math.round(width * Math.max(SMALLEST, Math.min(LARGEST, room)));
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.act = "source";
  button.setAttribute("aria-pressed", "false");
  button.textContent = "Source";
  block.querySelector(".lang")?.after(button);
}

function tell(block: HTMLElement, why: string): void {
  const words = document.createElement("span");
  words.className = "why";
  words.textContent = ` · not drawn: ${why}`;
  block.querySelector(".lang")?.append(words);
}
