/** What a folder would run by itself, in words for whoever decides. */
import { plural } from "../../fold/format";
import type { TrustItem } from "../../link/records";

interface KindWords {
  readonly one: string;
  readonly many: string;
  readonly note: string;
}

const kinds: Record<string, KindWords> = {
  hook: { one: "hook", many: "hooks", note: "Commands that run at moments of a session" },
  mcpServer: { one: "MCP server", many: "MCP servers", note: "Programs that start with the agent" },
  environment: { one: "variable", many: "variables", note: "Set for the agent and all that it starts" },
  helper: { one: "helper", many: "helpers", note: "Commands that settings name, for sign-in or the screen" },
  permission: {
    one: "permission",
    many: "permissions",
    note: "What is denied or asked holds; what is allowed does not count, and is offered as rules",
  },
  plugin: { one: "plugin", many: "plugins", note: "Bring hooks, commands and agents of their own" },
  marketplace: { one: "marketplace", many: "marketplaces", note: "Where plugins come from" },
  command: { one: "slash command", many: "slash commands", note: "Prompts that may run commands" },
  agent: { one: "sub-agent", many: "sub-agents", note: "With their own tools and instructions" },
  skill: { one: "skill", many: "skills", note: "Instructions that may bring scripts" },
  outputStyle: { one: "output style", many: "output styles", note: "Changes how the agent answers" },
  toolSurface: { one: "tool list", many: "tool lists", note: "Which tools the project wants" },
  git: { one: "git setting", many: "git settings", note: "Make git run something" },
  gitHook: { one: "git hook", many: "git hooks", note: "Programs that git runs" },
  other: { one: "other setting", many: "other settings", note: "Obeyed by the agent" },
  problem: { one: "unreadable file", many: "unreadable files", note: "Could not be read or understood" },
};

const unknown = (kind: string): KindWords => ({ one: kind, many: kind, note: "Not known to this version" });

export interface TrustGroup extends KindWords {
  readonly kind: string;
  readonly items: readonly TrustItem[];
}

/** What stands out, whatever its kind. */
export function trustDanger(items: readonly TrustItem[]): readonly TrustItem[] {
  return items.filter((item) => item.danger);
}

/** `hook`, in the words of this page. */
export const kindWord = (kind: string): string => (kinds[kind] ?? unknown(kind)).one;

export function trustGroups(items: readonly TrustItem[]): TrustGroup[] {
  const found = new Map<string, TrustItem[]>();
  for (const item of items) found.set(item.kind, [...(found.get(item.kind) ?? []), item]);
  const order = Object.keys(kinds);
  const place = (kind: string): number => (order.includes(kind) ? order.indexOf(kind) : order.length);
  return [...found]
    .sort(([a], [b]) => place(a) - place(b))
    .map(([kind, list]) => ({ ...(kinds[kind] ?? unknown(kind)), kind, items: list }));
}

/** `2 hooks, 1 MCP server and 1 variable`. */
export function trustSummary(items: readonly TrustItem[]): string {
  const parts = trustGroups(items).map((group) => plural(group.items.length, group.one, group.many));
  const last = parts.pop() ?? "";
  return parts.length > 0 ? `${parts.join(", ")} and ${last}` : last;
}
