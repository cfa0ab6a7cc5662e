/** The colours of lines of code, once they are known. */
import { highlight, languageOf } from "../../text/highlight";
import { splitHtml } from "../../text/lines";
import type { CodeRow } from "./review.svelte";

const MARKED = 4000;

/** Both sides are coloured whole, because a comment or a string may span lines. */
async function colour(path: string, list: readonly CodeRow[]): Promise<(string | undefined)[] | undefined> {
  const language = languageOf(path);
  if (language === "" || list.length > MARKED) return undefined;
  const side = async (skip: CodeRow["kind"]): Promise<(string | undefined)[] | undefined> => {
    const lines = list.filter((row) => row.kind !== skip).map((row) => row.text);
    const html = await highlight(lines.join("\n"), language);
    return html === undefined ? undefined : splitHtml(html);
  };
  const [now, before] = await Promise.all([
    side("removed"),
    list.some((row) => row.kind === "removed") ? side("added") : undefined,
  ]);
  if (!now) return undefined;
  let [at, past] = [0, 0];
  return list.map((row) => {
    const fresh = row.kind === "removed" ? undefined : now[at++];
    const old = row.kind === "added" ? undefined : before?.[past++];
    return row.kind === "removed" ? old : fresh;
  });
}

export class Colours {
  private known = $state.raw<
    { rows: readonly CodeRow[]; html: readonly (string | undefined)[] } | undefined
  >();

  /** For an effect; the answer ends it. */
  look(path: string, rows: readonly CodeRow[]): () => void {
    let gone = false;
    void colour(path, rows).then((html) => {
      if (!gone && html) this.known = { rows, html };
    });
    return () => {
      gone = true;
    };
  }

  of(rows: readonly CodeRow[], at: number): string | undefined {
    return this.known?.rows === rows ? this.known.html[at] : undefined;
  }
}
