/** Saves what the log has as a file. */
import { bytes, whyNot } from "../../link/api";

const endings = { html: "html", markdown: "md", ndjson: "ndjson" } as const;

/** As a page or text to read, or every event as one JSON line. What went wrong, in words; empty when it was saved. */
export const exportSession = (id: string, format: keyof typeof endings): Promise<string> =>
  saveBytes(bytes("/sessions/{id}/export", { id, query: { format } }), `${id}.${endings[format]}`);

export const saveBytes = (file: Promise<Blob>, name: string): Promise<string> =>
  whyNot(async () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await file);
    link.download = name;
    link.click();
    // The browser takes the file after this; a second is plenty.
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
