/** The worker side of `highlight.ts`. */
import { coloured } from "./languages";

addEventListener("message", async (message: MessageEvent<{ id: number; code: string; language: string }>) => {
  const { id, code, language } = message.data;
  // A language that did not come leaves its code plain.
  const html = await coloured(code, language).catch(() => undefined);
  postMessage({ id, html });
});
