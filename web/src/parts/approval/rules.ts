/** The rules a request could become, from narrow to wide. */
import { baseName } from "../../fold/labels";
import type { ApprovalRequested } from "../../gen/events";

export interface Width {
  readonly name: string;
  readonly rule: string;
  readonly words: string;
}

const EXACTLY = "Allow exactly this command without asking.";

export function ruleWidths(asked: ApprovalRequested): Width[] {
  const found: Width[] = [];
  const add = (width: Width): void => {
    if (!found.some((one) => one.rule === width.rule)) found.push(width);
  };
  const tool = asked.toolName;
  const command = (asked.subject?.command ?? "").trim();
  // A line that goes on behind a backslash is one line.
  const line = command.replace(/\\\n/g, "");
  for (const suggestion of asked.suggestions ?? []) {
    const exact = inner(suggestion.rule) === command && command !== "";
    const name = exact ? "Exactly this" : nameOf(suggestion.rule);
    add({ name, rule: suggestion.rule, words: exact ? EXACTLY : wordsOf(suggestion.rule) });
  }
  if (line !== "" && !line.includes("\n")) {
    const [program = "", second = ""] = line.split(/\s+/);
    const prefix = /^[a-z][\w-]*$/.test(second) ? `${program} ${second}` : program;
    if (/^[\w./-]+$/.test(program)) {
      add({
        name: `${prefix} …`,
        rule: `${tool}(${prefix}:*)`,
        words: `Allow commands that start with ${prefix} without asking.`,
      });
    }
    if (line === command) add({ name: "Exactly this", rule: `${tool}(${command})`, words: EXACTLY });
  }
  add({ name: `Any ${tool}`, rule: tool, words: `Allow every use of ${tool} without asking.` });
  return found;
}

const inner = (rule: string): string => /\((.*)\)$/s.exec(rule)?.[1] ?? "";

function nameOf(rule: string): string {
  const about = inner(rule);
  if (about === "") return `Any ${rule}`;
  if (about.endsWith(":*")) return `${about.slice(0, -2)} …`;
  if (about.endsWith("/**")) return `${about.replace(/\/\*\*$/, "").replace(/^\//, "")}/ …`;
  return baseName(about);
}

function wordsOf(rule: string): string {
  const tool = rule.replace(/\(.*$/s, "");
  const about = inner(rule);
  if (about === "") return `Allow every use of ${tool} without asking.`;
  if (about.endsWith(":*")) return `Allow commands that start with ${about.slice(0, -2)} without asking.`;
  if (tool === "Edit" || tool === "Write" || tool === "Read") {
    const verb = tool === "Read" ? "reading" : "changing";
    return about.endsWith("/**")
      ? `Allow ${verb} files in ${about.slice(0, -3).replace(/^\//, "")}/ without asking.`
      : `Allow ${verb} ${about} without asking.`;
  }
  return `Allow ${tool} for ${about} without asking.`;
}
