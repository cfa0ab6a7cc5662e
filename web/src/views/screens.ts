/** Screens that are fetched when somebody goes there. */
import type { Component } from "svelte";
import type { Route } from "../routes";

interface Loaded {
  readonly name: Route["name"];
  readonly default: Component<Record<string, unknown>>;
}

const sources: Partial<Record<Route["name"], () => Promise<{ default: unknown }>>> = {
  board: () => import("./Board.svelte"),
  inbox: () => import("./Inbox.svelte"),
  new: () => import("./New.svelte"),
  projects: () => import("./Projects.svelte"),
  project: () => import("./Project.svelte"),
  search: () => import("./Search.svelte"),
  usage: () => import("./Usage.svelte"),
  settings: () => import("./Settings.svelte"),
  more: () => import("./More.svelte"),
};
const under = new Map<string, Promise<Loaded>>();

/** The same promise as long as it did not fail, so that a screen stays when its address changes a little. */
export function screenOf(name: Route["name"]): Promise<Loaded> | undefined {
  const known = under.get(name);
  if (known) return known;
  const source = sources[name];
  if (!source) return undefined;
  const loading = source().then((found) => ({ name, default: found.default as Loaded["default"] }));
  under.set(name, loading);
  loading.catch(() => under.delete(name));
  return loading;
}
