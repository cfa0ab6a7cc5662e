/** One table decides how each tool is drawn: icon, words, what it is about. */
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

const text = (input: Fields, ...names: string[]): string => {
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
};

export const fields = (input: unknown): Fields =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Fields) : {};

/** What a tool was run with: a person may have changed what was asked for. */
export function ranWith(row: Pick<ToolRow, "input" | "requests">): unknown {
  const changed = row.requests.findLast(
    ({ asked, resolved }) => asked.kind === "tool" && resolved?.modifiedInput != null,
  );
  return changed?.resolved?.modifiedInput ?? row.input;
}

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

export function look(row: Pick<ToolRow, "name" | "input">, cwd?: string): ToolLook {
  const input = fields(row.input);
  const path = shortPath(text(input, "file_path", "notebook_path", "path"), cwd);
  const make = (
    icon: ToolIcon,
    family: ToolLook["family"],
    words: readonly [string, string, string],
    object: string,
    mono = true,
  ): ToolLook => ({
    icon,
    family,
    done: words[0],
    doing: words[1],
    ask: words[2],
    object: one(object),
    mono,
  });
  switch (row.name) {
    case "Read":
    case "NotebookRead":
      return make("file", "explore", ["Read", "Reading", `Read ${baseName(path)}?`], path);
    case "LS":
    case "Glob":
      return make(
        "search",
        "explore",
        ["Found", "Finding", "Look for files?"],
        text(input, "pattern", "path"),
      );
    case "Grep":
      return make("search", "explore", ["Searched", "Searching", "Search files?"], text(input, "pattern"));
    case "Edit":
    case "MultiEdit":
    case "NotebookEdit":
      return make("edit", "edit", ["Edited", "Editing", `Edit ${baseName(path)}?`], path);
    case "Write":
      return make("edit", "edit", ["Wrote", "Writing", `Write ${baseName(path)}?`], path);
    case "Bash":
    case "PowerShell":
      return make(
        "terminal",
        "command",
        // What goes on in the background has its own row, which says how it went.
        input.run_in_background === true
          ? ["Started", "Running", "Run a command in the background?"]
          : ["Ran", "Running", "Run a command?"],
        text(input, "command"),
      );
    case "BashOutput":
    case "TaskOutput":
      return make("terminal", "other", ["Looked at output", "Looking at output", "Read output?"], "");
    case "WebFetch":
      return make(
        "web",
        "explore",
        ["Fetched", "Fetching", `Fetch ${host(text(input, "url"))}?`],
        text(input, "url"),
      );
    case "WebSearch":
      return make(
        "web",
        "explore",
        ["Searched the web", "Searching the web", "Search the web?"],
        text(input, "query"),
        false,
      );
    case "Agent":
    case "Task":
      return make(
        "agent",
        "agent",
        ["Agent", "Agent", "Start a sub-agent?"],
        text(input, "description"),
        false,
      );
    case "TodoWrite":
    case "TaskCreate":
    case "TaskUpdate":
    case "TaskList":
    case "TaskGet":
      return make("list", "other", ["Updated the list", "Updating the list", "Change the list?"], "", false);
    case "AskUserQuestion":
      return make("question", "other", ["Asked you", "Asking you", "Question"], "", false);
    case "ExitPlanMode":
      return make("plan", "other", ["Presented a plan", "Presenting a plan", "Plan"], "", false);
    case "Skill":
      return make(
        "tool",
        "other",
        ["Used the skill", "Using the skill", "Use a skill?"],
        text(input, "skill"),
        false,
      );
    default:
      return foreign(row.name, make);
  }
}

type Make = (
  icon: ToolIcon,
  family: ToolLook["family"],
  words: readonly [string, string, string],
  object: string,
  mono?: boolean,
) => ToolLook;

function foreign(name: string, make: Make): ToolLook {
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name);
  if (!mcp) return make("tool", "other", ["Used", "Using", `Use ${name}?`], name);
  const [, server = "", tool = ""] = mcp;
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
