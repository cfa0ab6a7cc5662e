/**
 * A part of the page that is fetched apart. While the daemon cannot be reached
 * it does not come, and then nothing happens: what needs it can be tried again.
 */
export function later<T>(part: Promise<T>, does: (part: T) => void = () => {}): void {
  part.then(does, () => {});
}

/** Fetches parts once the browser has nothing else to do, so that they are here when the connection is not. */
export function warm(...parts: (() => Promise<unknown>)[]): () => void {
  const fetchAll = (): void => {
    for (const part of parts) later(part());
  };
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(fetchAll, 1500);
    return () => clearTimeout(timer);
  }
  const asked = requestIdleCallback(fetchAll, { timeout: 4000 });
  return () => cancelIdleCallback(asked);
}
