/** What a request is about, in a line: the same words in every list, on the button and in the sheet. */
import { called, fields, look } from "../../fold/labels";
import type { ApprovalRequested } from "../../gen/events";
import { plainly } from "../../text/confusables";
import { covered } from "../secret/cover";

export interface Subject {
  readonly title: string;
  readonly object: string;
  /** All of the object, where the line has only its beginning. */
  readonly whole: string;
}

export function subjectOf(asked: ApprovalRequested, cwd?: string): Subject {
  if (asked.kind === "question") {
    const list = fields(asked.input).questions;
    const first = Array.isArray(list) ? String(fields(list[0]).question ?? "") : "";
    return { title: first || "Question", object: "", whole: "" };
  }
  if (asked.kind === "plan") return { title: "Plan to approve", object: "", whole: "" };
  const about = look(called(asked), cwd);
  const whole = asked.subject?.command ?? about.object;
  return { title: about.ask.replace(/\?$/, ""), object: covered(about.object), whole };
}

/** What fits into one line of the narrowest button. */
const BUTTON_CHARACTERS = 19;

/** The object as a button names it: both ends of it, and nothing in it that could mislead. */
export function onButton(object: string, most = BUTTON_CHARACTERS): string {
  const plain = plainly(object);
  const letters = [...plain];
  if (letters.length <= most) return plain;
  const half = Math.floor((most - 1) / 2);
  return `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
}
