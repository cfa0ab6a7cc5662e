/** Sessions of the stand-in for the CLI that each ask for one command. */
import type { Locator, Page } from "@playwright/test";
import type { Envelope } from "../../src/gen/events";
import type { Daemon } from "./daemon";

const decisions = (events: Envelope[]): string[] =>
  events.flatMap((event) => (event.type === "approval.resolved" ? [event.payload.decision] : []));

export const card = (page: Page): Locator => page.locator("[data-armed]");

/** Needs `fake()`. */
export async function asking(daemon: Daemon, ...words: string[]) {
  const project = await daemon.project("ledger");
  const found = new Map<string, { session: string; approval: string }>();
  for (const word of words) {
    const { id } = await daemon.session(project, { agent: "claude", prompt: `bash rm -rf ${word}` });
    found.set(word, { session: id, approval: (await daemon.asked(id)).approval.approvalId });
  }
  return {
    of: (word: string) => found.get(word) ?? { session: "", approval: "" },
    /** What was decided about each, by its word. */
    decided: async () => {
      const all: Record<string, string[]> = {};
      for (const [word, { session }] of found) all[word] = decisions(await daemon.events(session));
      return all;
    },
  };
}
