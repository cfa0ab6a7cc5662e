/** Says what is done about a past that the agent lacks, and lets go what waited for that. */
import type { Remedy } from "../../gen/events";
import { call, Problem, whyNot } from "../../link/api";
import { outbox } from "../../store/outbox.svelte";

/** Why it could not be chosen; nothing if it was. */
export async function chooseMemory(sessionId: string, memory: Remedy): Promise<string> {
  const choose = (): Promise<unknown> =>
    call("POST", "/sessions/{id}/memory", { id: sessionId, body: { memory } });
  return whyNot(async () => {
    await choose().catch(async (error: unknown) => {
      // It fell asleep over the question.
      if (!(error instanceof Problem) || error.code !== "session_ended") throw error;
      await call("POST", "/sessions/{id}/resume", { id: sessionId });
      await choose();
    });
    outbox.release(sessionId);
  });
}
