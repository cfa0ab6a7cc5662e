/** Comments on lines as the message that a session gets. */
import { languageOf } from "../../text/highlight";

export interface Comment {
  readonly id: string;
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** Whether the numbers count the lines before the change, or now. */
  readonly side: "old" | "new";
  readonly code: string;
  readonly text: string;
}

export const linesWord = (one: Pick<Comment, "from" | "to" | "side">): string => {
  const which = one.from === one.to ? `line ${one.from}` : `lines ${one.from} to ${one.to}`;
  return one.side === "old" ? `${which} before the change` : which;
};

/** A fence that nothing in the code can close. */
function fenced(code: string, language: string): string {
  const longest = Math.max(0, ...[...code.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${code}\n${fence}`;
}

export function commentText(comments: readonly Comment[]): string {
  return comments
    .map((one) => {
      const place = `On \`${one.path}\`, ${linesWord(one)}:`;
      return `${place}\n\n${fenced(one.code, languageOf(one.path))}\n\n${one.text.trim()}`;
    })
    .join("\n\n");
}
