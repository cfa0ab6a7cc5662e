/**
 * Which chunks of the timeline are in the page: those near the view. The others
 * are boxes of their height. Rows are never trimmed by count while somebody reads.
 */

/** A row is about this high until it was measured. */
const ROW_PX = 76;
const NEAR = "150% 0px";
const FAR = "500% 0px";

export class ChunkWindow {
  private mounted = $state.raw<ReadonlySet<string>>(new Set());
  private readonly heights = new Map<string, number>();
  private near: IntersectionObserver | undefined;
  private far: IntersectionObserver | undefined;
  private feed: HTMLElement | undefined;

  /** `rearrange` makes a change of the page without moving what is in view. */
  constructor(
    first: readonly string[],
    private readonly rearrange: (change: () => void) => void,
  ) {
    this.mounted = new Set(first);
  }

  has(key: string): boolean {
    return this.mounted.has(key);
  }

  height(key: string, rows: number): string {
    return `${this.heights.get(key) ?? rows * ROW_PX}px`;
  }

  start(box: HTMLElement, feed: HTMLElement): () => void {
    this.feed = feed;
    this.near = new IntersectionObserver(
      (entries) => this.mount(entries.filter((one) => one.isIntersecting).map(keyOf)),
      { root: box, rootMargin: NEAR },
    );
    this.far = new IntersectionObserver(
      (entries) =>
        this.release(entries.filter((one) => !one.isIntersecting).map((one) => one.target as HTMLElement)),
      { root: box, rootMargin: FAR },
    );
    for (const section of feed.querySelectorAll<HTMLElement>("section")) this.watched(section);
    return () => {
      this.near?.disconnect();
      this.far?.disconnect();
    };
  }

  /** For every section, as long as it is in the page. */
  watched = (section: HTMLElement): (() => void) => {
    this.near?.observe(section);
    this.far?.observe(section);
    return () => {
      this.near?.unobserve(section);
      this.far?.unobserve(section);
    };
  };

  mount(keys: readonly string[]): void {
    if (keys.every((key) => this.mounted.has(key))) return;
    this.rearrange(() => {
      this.mounted = new Set([...this.mounted, ...keys]);
    });
  }

  private release(elements: readonly HTMLElement[]): void {
    const gone = elements.filter(
      (one) =>
        one.dataset.chunk && this.mounted.has(one.dataset.chunk) && one !== this.feed?.lastElementChild,
    );
    if (gone.length === 0) return;
    for (const one of gone) this.heights.set(one.dataset.chunk ?? "", one.getBoundingClientRect().height);
    this.rearrange(() => {
      const next = new Set(this.mounted);
      for (const one of gone) next.delete(one.dataset.chunk ?? "");
      this.mounted = next;
    });
  }
}

const keyOf = (entry: IntersectionObserverEntry): string => (entry.target as HTMLElement).dataset.chunk ?? "";
