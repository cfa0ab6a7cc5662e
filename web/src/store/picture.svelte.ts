/** A picture of the log as an address this page may show, as long as something shows it. */
import { bytes, Problem } from "../link/api";

export class Picture {
  url = $state<string | undefined>();
  problem = $state("");

  /** The answer takes it away again. */
  load(id: string, imageId: string): () => void {
    const gone = new AbortController();
    let made: string | undefined;
    bytes("/sessions/{id}/images/{imageId}", { id, imageId }, gone.signal)
      .then((blob) => {
        made = URL.createObjectURL(blob);
        this.url = made;
      })
      .catch((error: unknown) => {
        if (error instanceof Problem) this.problem = error.message;
      });
    return () => {
      gone.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }
}
