/** Saves a session as a file: every event, one JSON line each. */
import { bytes, Problem } from "../../link/api";

/** What went wrong, in words; empty when it was saved. */
export async function exportSession(id: string): Promise<string> {
  try {
    const lines = await bytes(`/sessions/${id}/export`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(lines);
    link.download = `${id}.ndjson`;
    link.click();
    // The browser takes the file after this; a second is plenty.
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    return "";
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
