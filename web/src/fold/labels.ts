/** One table decides how each kind of call is drawn: icon, words, what it is about. */
import type { ApprovalRequested, ApprovalResolved } from "../gen/events";
import type { ToolRow } from "./view";

export type ToolIcon =
  | "search"
  | "file"
  | "edit"
  | "terminal"
  | "web"
  | "agent"
  | "list"
  | "question"
  | "plan"
  | "plug"
  | "tool";

export interface ToolLook {
  readonly icon: ToolIcon;
  /** Words for a call that is over, that runs, and that is asked for. */
  readonly done: string;
  readonly doing: string;
  readonly ask: string;
  /** What it is about: a path, a command, a pattern. */
  readonly object: string;
  readonly mono: boolean;
  readonly family: "explore" | "edit" | "command" | "agent" | "other";
}

type Fields = Record<string, unknown>;

export const fields = (input: unknown): Fields =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Fields) : {};

/** The answer by which a person changed what was asked for. */
const changed = (row: Pick<ToolRow, "requests">): ApprovalResolved | undefined =>
  row.requests.findLast(({ asked, resolved }) => asked.kind === "tool" && resolved?.modifiedInput != null)
    ?.resolved;

/** What a tool was run with. */
export const ranWith = (row: Pick<ToolRow, "input" | "requests">): unknown =>
  changed(row)?.modifiedInput ?? row.input;

/** The last part of a path is what people know it by. */
export const baseName = (path: string): string => path.split("/").filter(Boolean).at(-1) ?? path;

/** Inside the project, the path from there. */
export function shortPath(path: string, cwd: string | undefined): string {
  if (cwd && path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1);
  return path;
}

const one = (line: string): string => {
  const [first = "", ...rest] = line.trim().split("\n");
  return rest.length > 0 ? `${first.replace(/\s*\\$/, "")} …` : first;
};

/** A call as it is drawn: what it is, in words that hold for every agent. */
export type Called = Pick<ToolRow, "name" | "toolKind" | "subject"> & Partial<Pick<ToolRow, "label">>;

/** The call that a request is about. */
export const called = (asked: ApprovalRequested): Called => ({
  name: asked.toolName,
  toolKind: asked.toolKind,
  subject: asked.subject,
});

/** The call as it ran. */
export const ran = (row: ToolRow): Called => ({
  ...row,
  subject: changed(row)?.modifiedSubject ?? row.subject,
});

export function look(call: Called, cwd?: string): ToolLook {
  const { toolKind, subject = {} } = call;
  const path = shortPath(subject.path ?? "", cwd);
  const make: Make = (icon, family, words, object, mono = true) => ({
    icon,
    family,
    done: words[0],
    doing: words[1],
    ask: words[2],
    object: one(object ?? ""),
    mono,
  });
  switch (toolKind) {
    case "read":
      return make("file", "explore", ["Read", "Reading", `Read ${baseName(path)}?`], path);
    case "search":
      return subject.query == null
        ? make("search", "explore", ["Found", "Finding", "Look for files?"], subject.pattern ?? path)
        : make("search", "explore", ["Searched", "Searching", "Search files?"], subject.query);
    case "edit":
      return make("edit", "edit", ["Edited", "Editing", `Edit ${baseName(path)}?`], path);
    case "write":
      return make("edit", "edit", ["Wrote", "Writing", `Write ${baseName(path)}?`], path);
    case "shell":
      return make(
        "terminal",
        "command",
        // What goes on in the background has its own row, which says how it went.
        subject.inBackground
          ? ["Started", "Running", "Run a command in the background?"]
          : ["Ran", "Running", "Run a command?"],
        subject.command,
      );
    case "fetch":
      return subject.query == null
        ? make("web", "explore", ["Fetched", "Fetching", `Fetch ${host(subject.url ?? "")}?`], subject.url)
        : make(
            "web",
            "explore",
            ["Searched the web", "Searching the web", "Search the web?"],
            subject.query,
            false,
          );
    case "agent":
      return make("agent", "agent", ["Agent", "Agent", "Start a sub-agent?"], subject.text, false);
    case "todo":
      return make("list", "other", ["Updated the list", "Updating the list", "Change the list?"], "", false);
    case "question":
      return make("question", "other", ["Asked you", "Asking you", "Question"], "", false);
    case "plan":
      return make("plan", "other", ["Presented a plan", "Presenting a plan", "Plan"], "", false);
    case "skill":
      return make(
        "tool",
        "other",
        ["Used the skill", "Using the skill", "Use a skill?"],
        subject.text,
        false,
      );
    case "mcp":
      return served(call, make);
    default: {
      const ask = `Use ${call.name}?`;
      // Events of before the kinds were told say it in words.
      return call.label && call.label !== call.name
        ? make("tool", "other", ["", "", ask], call.label, false)
        : make("tool", "other", ["Used", "Using", ask], call.name);
    }
  }
}

type Make = (
  icon: ToolIcon,
  family: ToolLook["family"],
  words: readonly [string, string, string],
  object: string | null | undefined,
  mono?: boolean,
) => ToolLook;

function served({ name, subject = {} }: Called, make: Make): ToolLook {
  const { server, tool } = subject;
  if (!server || !tool) return make("plug", "other", ["Used", "Using", `Use ${name}?`], name);
  return make("plug", "other", [`Used ${server}`, `Using ${server}`, `Use ${server}: ${tool}?`], tool);
}

/** Where an address leads, without what dresses it up. */
export function host(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url.slice(0, 60);
  }
}
