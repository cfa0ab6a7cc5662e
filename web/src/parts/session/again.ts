/** Sends what was said once more, as new messages: what happened stays in the log. */
import type { UserRow } from "../../fold/view";
import { bytes, Problem } from "../../link/api";
import type { AttachmentBody } from "../../link/types";
import { uuidAgain } from "../../link/uuid";
import { outbox } from "../../store/outbox.svelte";
import { base64 } from "../composer/files";

/** Why nothing was sent; nothing if all was. */
export async function sendAgain(sessionId: string, messages: readonly UserRow[]): Promise<string> {
  let files: AttachmentBody[][];
  try {
    // All of them before the first is sent, so that it is all or nothing.
    files = await Promise.all(messages.map((one) => filesOf(sessionId, one)));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `A file of the message is not to be had: ${error.message}`;
  }
  // Another device may send it again at the same time: both send the same message.
  for (const [at, { text, messageId }] of messages.entries())
    await outbox.send(sessionId, text, files[at] ?? [], { messageId: uuidAgain(messageId) });
  return "";
}

const filesOf = (sessionId: string, { attachments }: UserRow): Promise<AttachmentBody[]> =>
  Promise.all(
    attachments.map(async ({ name, mediaType, blobId }) => ({
      name,
      mediaType,
      data: await base64(
        await bytes("/sessions/{id}/images/{imageId}", { id: sessionId, imageId: blobId ?? "" }),
      ),
    })),
  );
