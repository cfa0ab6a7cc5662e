/** Plans of a session: what is to be approved now, and what was shown before it. */
import { fields } from "./labels";
import type { Request, Row, View } from "./view";

export const planOf = (request: Request): string => String(fields(request.asked.input).plan ?? "").trim();

/** The text of the plan that was presented before this one, if there was one here. */
export function planBefore(view: View, request: Request): string | undefined {
  for (const chunk of view.chunks.toReversed()) {
    for (const row of chunk.rows.toReversed()) {
      const found = requestsOf(row).findLast((one) => one.asked.kind === "plan" && one.seq < request.seq);
      if (found) return planOf(found);
    }
  }
  return undefined;
}

const requestsOf = (row: Row): readonly Request[] => {
  if (row.kind === "request") return [row.request];
  return row.kind === "tool" ? row.requests : [];
};
