/**
 * Keeps the page itself, so that it opens without a connection. Data is never
 * kept here: whatever is asked of the API goes to the daemon or fails, and what was
 * read last is the page's own to keep (`store/kept.ts`).
 *
 * A new version waits until every tab of the old one is gone, so that an old
 * page always finds the parts it was built with.
 */
declare const SHELL: { version: string; files: string[] };

interface Worker {
  readonly location: Location;
  addEventListener(type: "install" | "activate", heard: (event: Lasting) => void): void;
  addEventListener(type: "fetch", heard: (event: Fetching) => void): void;
}
interface Lasting extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetching extends Lasting {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

const worker = self as unknown as Worker;
const PREFIX = "baton-shell-";
const CACHE = PREFIX + SHELL.version;

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["/", ...SHELL.files])));
});

worker.addEventListener("activate", (event) => {
  const removed = caches
    .keys()
    .then((names) => names.filter((name) => name.startsWith(PREFIX) && name !== CACHE))
    .then((old) => Promise.all(old.map((name) => caches.delete(name))));
  event.waitUntil(removed);
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin) return;
  // Only a whole page, or a file that was kept: everything else is none of our business.
  if (request.mode === "navigate") {
    if (!isData(url.pathname)) event.respondWith(page(request));
  } else if (SHELL.files.includes(url.pathname)) event.respondWith(kept(request));
});

const isData = (path: string): boolean =>
  path.startsWith("/api/") ||
  /^\/p\/[^/]+\/(api|ws)(\/|$)/.test(path) ||
  /^\/(healthz|readyz|metrics)$/.test(path);

/** The daemon's page if it answers, else the one that was kept. */
async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const known = await caches.match("/", { cacheName: CACHE });
    if (known) return known;
    throw error;
  }
}

/** Names of files change with their content, so what was kept is right. */
async function kept(request: Request): Promise<Response> {
  return (await caches.match(request, { cacheName: CACHE })) ?? fetch(request);
}
