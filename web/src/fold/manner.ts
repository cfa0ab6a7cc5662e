/**
 * How a tool is to be used, beside what it is used on: whatever of an input
 * changes what happens, in words where they are known.
 */
import { span } from "./format";
import { fields } from "./labels";

export interface Manner {
  readonly name: string;
  readonly text: string;
  /** Takes away a limit. */
  readonly grave: boolean;
}

type Words = (value: unknown) => string | undefined;

const when =
  (words: string): Words =>
  (value) =>
    value === true ? words : undefined;

const known: Record<string, Words> = {
  run_in_background: when("Goes on in the background after the call returns"),
  dangerouslyDisableSandbox: when("Runs outside the sandbox"),
  replace_all: when("Replaces every place in the file that reads so"),
  timeout: (value) => (typeof value === "number" ? `Is stopped after ${span(value)}` : undefined),
};

const GRAVE = ["dangerouslyDisableSandbox"];

/** What is said of an input beside the fields that are shown in another way. */
export function mannerOf(input: unknown, shown: readonly string[]): readonly Manner[] {
  const rest = Object.entries(fields(input)).filter(([name]) => !shown.includes(name));
  return rest.flatMap(([name, value]) => {
    // What is switched off, or not there, changes nothing.
    if (value === false || value === null || value === undefined || value === "") return [];
    const plain = typeof value === "string" ? value : JSON.stringify(value);
    return [{ name, text: known[name]?.(value) ?? `${name}: ${plain}`, grave: GRAVE.includes(name) }];
  });
}

/** What a command's card shows by itself. */
export const OF_COMMAND = ["command", "description"];
/** What a change shows. */
export const OF_CHANGE = [
  "file_path",
  "notebook_path",
  "old_string",
  "new_string",
  "content",
  "new_source",
  "edits",
];
