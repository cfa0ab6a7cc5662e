/**
 * The fold: events and live frames to what a screen shows.
 *
 * The same code draws a replay, a live session and a test. It is pure: no DOM,
 * no clock, no randomness; the view it is given is left as it was. Events alone
 * lead to the final view; live frames only make it quicker.
 */
import type { Envelope, LiveFrame } from "../gen/events";
import { Draft } from "./draft";
import { foldLive } from "./live";
import { foldRows } from "./rows";
import { type Header, startingAfter, type View } from "./view";

export type Input =
  | { readonly kind: "event"; readonly event: Envelope }
  | { readonly kind: "live"; readonly frame: LiveFrame }
  /** What the daemon knows of the session as of `header.seq`. */
  | { readonly kind: "snapshot"; readonly header: Header }
  /** The events right before the first one here. */
  | { readonly kind: "older"; readonly events: readonly Envelope[] };

/** Events came that do not follow: the reader has to ask again from `after`. */
export class Gap extends Error {
  constructor(
    readonly after: number,
    readonly seq: number,
  ) {
    super(`event ${seq} came after ${after}`);
  }
}

export function reduce(view: View, input: Input): View {
  return reduceAll(view, [input]);
}

/** Folds a batch: what it does not touch stays the same object. */
export function reduceAll(view: View, inputs: Iterable<Input>): View {
  const draft = new Draft(view);
  let changed = false;
  for (const input of inputs) {
    if (input.kind === "live") {
      foldLive(draft, input.frame);
      changed = true;
    } else if (input.kind === "event") {
      // Seen already: a reconnect may repeat.
      if (input.event.seq <= draft.seq) continue;
      if (input.event.seq !== draft.seq + 1) throw new Gap(draft.seq, input.event.seq);
      draft.handle(input.event, foldRows);
      changed = true;
    } else if (input.kind === "snapshot") {
      if (input.header.seq >= draft.header.seq) draft.header = input.header;
      changed = true;
    } else {
      changed = older(draft, input.events) || changed;
    }
  }
  return changed ? draft.view() : view;
}

function older(draft: Draft, events: readonly Envelope[]): boolean {
  const wanted = events.filter((event) => event.seq < draft.first);
  const [first] = wanted;
  if (!first) return false;
  const page = new Draft(startingAfter(first.seq - 1));
  for (const event of wanted) {
    if (event.seq !== page.seq + 1) throw new Gap(page.seq, event.seq);
    page.handle(event, foldRows);
  }
  if (page.seq !== draft.first - 1) throw new Gap(page.seq, draft.first);
  draft.prepend(page.view(), foldRows);
  return true;
}
