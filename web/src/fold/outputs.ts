/**
 * An agent puts marks of its own around what a tool said, for its model. A
 * reader gets what is in them; the log and "Show as it came" keep them.
 */
const kept =
  /^<persisted-output>\n(Output [^\n]*?)(?:saved to: )([^\n]+)\n\nPreview \(first [^)]*\):\n([\s\S]*?)(?:\n\.\.\.)?\n?<\/persisted-output>$/;
const around = /^<(tool_use_error|persisted-output|truncated-output)>\s*([\s\S]*?)\s*<\/\1>$/;

/** `whole` says whether the log has more than this. */
export function outputOf(text: string, whole: boolean): string {
  const trimmed = text.trim();
  const file = kept.exec(trimmed);
  if (file) {
    const [, why = "", path = "", part = ""] = file;
    return whole ? part : `${part}\n…\n${why.trim()} kept by the agent in ${path}`;
  }
  return around.exec(trimmed)?.[2] ?? text;
}
