/** Remarks on a plan that are not sent yet, by the words that they are about: so they outlive the plan they were made on. */
import type { Part } from "../../text/markdown/parts";

export interface Remark {
  readonly part: string;
  readonly remark: string;
}

/** What a device keeps of them, for the plans of one session. */
export interface Kept {
  readonly remarks: readonly Remark[];
  readonly note: string;
}

export type Placed = Readonly<Record<number, string>>;

export const keyOf = (session: string): string => `plan:${session}`;

/** Those that stand at parts of a plan, in its order. */
export const remarksOf = (parts: readonly Part[], at: Placed): Remark[] =>
  Object.entries(at)
    .filter(([, remark]) => remark.trim() !== "")
    .map(([at, remark]) => ({ part: parts[Number(at)]?.text ?? "", remark }));

/** At which parts of a plan remarks stand, and which are about words that it does not have. */
export function place(remarks: readonly Remark[], parts: readonly Part[]): { at: Placed; rest: Remark[] } {
  const at: Record<number, string> = {};
  const rest: Remark[] = [];
  for (const one of remarks) {
    const found = parts.findIndex(
      (part, index) => at[index] === undefined && part.text.trim() === one.part.trim(),
    );
    if (found < 0) rest.push(one);
    else at[found] = one.remark;
  }
  return { at, rest };
}
