/** Sends what a failed turn was asked once more, as new messages: what happened stays in the log. */
import type { UserRow } from "../../fold/view";
import { bytes, Problem } from "../../link/api";
import { outbox } from "../../store/outbox.svelte";
import { base64 } from "../composer/files";

/** Why it could not be sent, or nothing. */
export async function sendAgain(sessionId: string, messages: readonly UserRow[]): Promise<string> {
  for (const { text, attachments } of messages) {
    try {
      const files = await Promise.all(
        attachments.map(async ({ name, mediaType, blobId }) => ({
          name,
          mediaType,
          data: await base64(await bytes(`/sessions/${sessionId}/images/${blobId}`)),
        })),
      );
      await outbox.send(sessionId, text, files);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return `A file of the message is not to be had: ${error.message}`;
    }
  }
  return "";
}
