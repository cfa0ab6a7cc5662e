/** What a session waits with, in a few words. */
import { age } from "../../fold/format";
import { called, look } from "../../fold/labels";
import { riskWord } from "../../fold/words";
import type { OpenApproval } from "../../link/types";
import { plainly } from "../../text/confusables";

export function need({ approval, requestedAt }: OpenApproval, now: number): string {
  if (approval.kind === "question" || approval.kind === "plan")
    return `${approval.kind === "plan" ? "Plan" : "Question"} · ${age(Date.parse(requestedAt), now)}`;
  const { ask } = look(called(approval));
  return `${plainly(ask).replace(/\?$/, "")} · ${riskWord[approval.risk].toLowerCase()}`;
}
