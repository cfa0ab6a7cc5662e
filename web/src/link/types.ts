/** What the HTTP API and the WebSocket say beside events, as the API's document has it. */
import type { components } from "../gen/api";
import type { Envelope, LiveFrame } from "../gen/events";

type Schemas = components["schemas"];

export type SessionRow = Schemas["SessionRow"];
/** A session with what is needed to open it at its tail, true as of `facts.seq`. */
export type SessionView = Schemas["SessionView"];
export type OpenApproval = Schemas["OpenApproval"];
export type OpenApprovals = Schemas["OpenApprovals"];
/** As the daemon has it: a title is what a person gave. */
export type ToldProject = Schemas["Project"];
/** As the page shows it: one without a title is called by its folder. */
export type Project = ToldProject & { title: string };
/** A file with its bytes. */
export type AttachmentBody = {
  [Field in "name" | "mediaType" | "data"]: NonNullable<Schemas["AttachmentBody"][Field]>;
};

export interface Page<T> {
  items: T[];
  next?: string | null;
}

export interface EventPage {
  events: Envelope[];
  nextAfter: number;
  done: boolean;
}

/** What a problem says, and how long to wait where a header told. */
export type ProblemBody = Partial<Schemas["Problem"]> & { retryAfter?: number };

type Frame = Schemas["ServerFrame"];

/** What the daemon says, with events as their own types have them. */
export type FromServer =
  | Exclude<Frame, { type: "event" } | { type: "live" } | { type: "caught_up" }>
  | { type: "event"; event: Envelope }
  | { type: "live"; frame: LiveFrame }
  | { type: "caught_up"; sessionId: string; seq: number };
