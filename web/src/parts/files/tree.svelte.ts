/** Folders of one project: which are open, and what is in them. */
import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { call } from "../../link/api";
import type { FileList } from "../../link/records";
import { Remote } from "../../store/remote.svelte";

export class FileTree {
  private readonly lists = new SvelteMap<string, Remote<FileList>>();
  private readonly open = new SvelteSet<string>();

  constructor(readonly slug: string) {}

  isOpen(path: string): boolean {
    return this.open.has(path);
  }

  list(path: string): Remote<FileList> | undefined {
    return this.lists.get(path);
  }

  toggle(path: string): void {
    if (this.open.delete(path)) return;
    this.open.add(path);
    void this.load(path);
  }

  /** Opens a folder and all that it lies in. */
  reveal(path: string): void {
    const parts = path.split("/").filter(Boolean);
    for (let depth = 0; depth <= parts.length; depth++) {
      const folder = parts.slice(0, depth).join("/");
      this.open.add(folder);
      if (!this.lists.has(folder)) void this.load(folder);
    }
  }

  refresh(): void {
    for (const path of this.open) void this.load(path);
  }

  async load(path: string): Promise<void> {
    const known = this.lists.get(path) ?? new Remote((signal) => this.pages(path, signal));
    this.lists.set(path, known);
    await known.ask();
  }

  private async pages(path: string, signal: AbortSignal): Promise<FileList> {
    const { slug } = this;
    let all: FileList | undefined;
    do {
      const query = { path, limit: 1000, cursor: all?.next || undefined };
      const page = await call("GET", "/projects/{slug}/files", { slug, query }, signal);
      all = all ? { ...page, items: [...all.items, ...page.items] } : page;
    } while (all.next && all.items.length < 5000);
    return all;
  }
}

const kept = new Map<string, FileTree>();

/** The same tree when one comes back. */
export function treeOf(slug: string): FileTree {
  const known = kept.get(slug) ?? new FileTree(slug);
  kept.set(slug, known);
  return known;
}
