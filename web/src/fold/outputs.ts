/**
 * An agent puts marks of its own around what a tool said, for its model. A
 * reader gets what is in them; the log and "Show as it came" keep them.
 */
const kept =
  /^<persisted-output>\n(Output [^\n]*?)(?:saved to: )([^\n]+)\n\nPreview \(first [^)]*\):\n([\s\S]*?)(?:\n\.\.\.)?\n?<\/persisted-output>$/;
const around = /^<(tool_use_error|persisted-output|truncated-output)>\s*([\s\S]*?)\s*<\/\1>$/;

/**
 * How an agent tells its model of a call that fell with its turn, whoever or whatever ended
 * that. It is no word of a person's, unless what a person said stands behind it.
 */
const fell = "The user doesn't want to proceed with this tool use. The tool use was rejected";
const said = "the user said:";

/** `whole` says whether the log has more than this, `failed` whether it is an error. */
export function outputOf(text: string, whole: boolean, failed: boolean): string {
  if (failed && text.startsWith(fell) && !text.includes(said)) return "Stopped before it was done.";
  const trimmed = text.trim();
  const file = kept.exec(trimmed);
  if (file) {
    const [, why = "", path = "", part = ""] = file;
    return whole ? part : `${part}\n…\n${why.trim()} kept by the agent in ${path}`;
  }
  return around.exec(trimmed)?.[2] ?? text;
}
