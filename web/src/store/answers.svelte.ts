/** Answers on their way. What is decided, only the log says; this knows who is being asked. */
import { SvelteMap } from "svelte/reactivity";
import { decided } from "../fold/words";
import { call, Problem } from "../link/api";
import type { Given } from "../link/paths";
import { device } from "./device";

export type Answer = Given<"POST", "/sessions/{id}/approvals/{approvalId}">["body"];

type Progress =
  | { state: "sending" }
  /** May be tried again. */
  | { state: "failed"; problem: string }
  /** Somebody else decided; the log will say so too. */
  | { state: "lost"; problem: string };

const under = new SvelteMap<string, Progress>();

export const answers = {
  of: (approvalId: string): Progress | undefined => under.get(approvalId),
  /** Whether the daemon took it. */
  async give(sessionId: string, approvalId: string, answer: Answer): Promise<boolean> {
    const state = under.get(approvalId)?.state;
    if (state === "sending" || state === "lost") return false;
    under.set(approvalId, { state: "sending" });
    try {
      const given = { id: sessionId, approvalId, body: answer };
      await call("POST", "/sessions/{id}/approvals/{approvalId}", given);
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      under.set(approvalId, { state: error.body.winner ? "lost" : "failed", problem: words(error) });
      return false;
    }
  },
  clear: (approvalId: string): void => {
    under.delete(approvalId);
  },
};

function words(problem: Problem): string {
  const { winner } = problem.body;
  if (winner) return `It was decided before: ${decided(winner, "tool", device.id()).text}.`;
  return problem.status === 0 ? "Not sent: no connection. Try again when it is back." : problem.message;
}
