/** What can be done with messages that wait. */
import { call, Problem } from "../../link/api";

/** A session that fell asleep kept what waits, and has to be awake to begin any of it. */
export async function awake(id: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "session_ended") throw error;
    await call("POST", "/sessions/{id}/resume", { id });
    await act();
  }
}
