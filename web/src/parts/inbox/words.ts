/** What a request is about, in a line. */
import { fields, look } from "../../fold/labels";
import type { ApprovalRequested } from "../../gen/events";

export function subjectOf(asked: ApprovalRequested, cwd?: string): { title: string; object: string } {
  if (asked.kind === "question") {
    const list = fields(asked.input).questions;
    const first = Array.isArray(list) ? String(fields(list[0]).question ?? "") : "";
    return { title: first || "Question", object: "" };
  }
  if (asked.kind === "plan") return { title: "Plan to approve", object: "" };
  const about = look({ name: asked.toolName, input: asked.input }, cwd);
  return { title: about.ask.replace(/\?$/, ""), object: about.object };
}
