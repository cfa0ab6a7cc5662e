/** Which of a folder's changes are one session's own, by what its log tells. */
import type { FileDiff } from "../../link/records";
import type { SessionView } from "../../link/types";

export interface OwnChanges {
  owns(file: Pick<FileDiff, "path">): boolean;
  /** Calls that may have changed files nobody can name. */
  readonly untold: number;
}

/** `folder` is what git's paths begin in, `cwd` what the agent's do where they are not whole. */
export function ownChanges(
  { files, untold }: SessionView["facts"]["changed"],
  folder: string,
  cwd: string,
): OwnChanges {
  const whole = new Set(files.map((file) => plain(file.startsWith("/") ? file : `${cwd}/${file}`)));
  return { untold, owns: ({ path }) => whole.has(plain(`${folder}/${path}`)) };
}

function plain(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
