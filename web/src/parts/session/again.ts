/** Sends what was said once more, as new messages: what happened stays in the log. */
import type { UserRow } from "../../fold/view";
import { bytes, whyNot } from "../../link/api";
import type { AttachmentBody } from "../../link/types";
import { uuidAgain } from "../../link/uuid";
import { outbox } from "../../store/outbox.svelte";
import { base64 } from "../composer/files";

/** Why nothing was sent; nothing if all was. */
export const sendAgain = (sessionId: string, messages: readonly UserRow[]): Promise<string> =>
  whyNot(
    async () => {
      // All of them before the first is sent, so that it is all or nothing.
      const files = await Promise.all(messages.map((one) => filesOf(sessionId, one)));
      // Another device may send it again at the same time: both send the same message.
      for (const [at, { text, messageId }] of messages.entries())
        await outbox.send(sessionId, text, files[at] ?? [], { messageId: uuidAgain(messageId) });
    },
    (problem) => `A file of the message is not to be had: ${problem.message}`,
  );

/** What was said, to be written anew. */
export const draftOf = async (sessionId: string, message: UserRow) => ({
  text: message.text,
  attachments: await filesOf(sessionId, message),
});

/** The files of a message, from the log. */
export const filesOf = (
  sessionId: string,
  { attachments }: Pick<UserRow, "attachments">,
): Promise<AttachmentBody[]> =>
  Promise.all(
    attachments.map(async ({ name, mediaType, blobId }) => ({
      name,
      mediaType,
      data: await base64(
        await bytes("/sessions/{id}/images/{imageId}", { id: sessionId, imageId: blobId ?? "" }),
      ),
    })),
  );
