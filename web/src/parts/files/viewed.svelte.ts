/** Which changed files somebody has looked at on this device, until they change again. */
import type { FileDiff } from "../../link/records";

const MOST = 500;
const known = new WeakMap<FileDiff, string>();

/** Short, and another one whenever the change is another one. */
export function digestOf(file: FileDiff): string {
  let digest = known.get(file);
  if (digest === undefined) {
    const text = JSON.stringify(file);
    let [a, b] = [0x811c9dc5, 0x01000193];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x85ebca6b) + at;
    }
    digest = `${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}${text.length.toString(36)}`;
    known.set(file, digest);
  }
  return digest;
}

export class Viewed {
  private marks = $state.raw<Readonly<Record<string, string>>>({});
  private readonly key: string;

  constructor(slug: string) {
    this.key = `baton.viewed.${slug}`;
    try {
      this.marks = JSON.parse(localStorage.getItem(this.key) ?? "{}") as Record<string, string>;
    } catch {
      // As if nobody had looked.
    }
  }

  /** Only of text that is told whole: whether a picture is another one, or what is cut off, nobody could tell. */
  can(file: FileDiff): boolean {
    return file.kind === "text" && !file.truncated;
  }

  has(file: FileDiff): boolean {
    return this.can(file) && this.marks[file.path] === digestOf(file);
  }

  mark(file: FileDiff, viewed: boolean): void {
    const { [file.path]: _, ...rest } = this.marks;
    const all = viewed ? { ...rest, [file.path]: digestOf(file) } : rest;
    this.marks = Object.fromEntries(Object.entries(all).slice(-MOST));
    localStorage.setItem(this.key, JSON.stringify(this.marks));
  }
}
