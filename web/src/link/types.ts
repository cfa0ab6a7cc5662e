/** What the HTTP API and the WebSocket say beside events, as the API's document has it. */
import type { components } from "../gen/api";

type Schemas = components["schemas"];

export type SessionRow = Schemas["SessionRow"];
/** A session with what is needed to open it at its tail, true as of `facts.seq`. */
export type SessionView = Schemas["SessionView"];
export type EventPage = Schemas["EventPage"];
export type OpenApproval = Schemas["OpenApproval"];
/** Which files went back, or what would change in them. */
export type Rewound = Schemas["Rewound"];
export type SlashCommand = Schemas["SlashCommand"];
/** What an agent lets people choose for a session. */
export type AgentChoices = Schemas["AgentChoices"];
/** What is about to be begun: the command `warm`, which only the WebSocket has. */
export interface Warm {
  project: string;
  session?: {
    agent?: string;
    model?: string;
    effort?: string;
    permissionMode?: Schemas["PermissionMode"];
  };
}
export type ModelChoice = Schemas["ModelChoice"];
/** What a folder of the machine holds, for whoever looks for a project. */
export type Folders = Schemas["Folders"];
export type SearchedFiles = Schemas["SearchedFiles"];
/** A repository on its way to become a project. */
export type Cloned = Schemas["Cloned"];
/** As the daemon has it: a title is what a person gave. */
export type ToldProject = Schemas["Project"];
/** As the page shows it: one without a title is called by its folder. */
export type Project = ToldProject & { title: string };
/** A file with its bytes. */
export type AttachmentBody = {
  [Field in "name" | "mediaType" | "data"]: NonNullable<Schemas["AttachmentBody"][Field]>;
};

/** What a problem says, and how long to wait where a header told. */
export type ProblemBody = Partial<Schemas["Problem"]> & { retryAfter?: number };

/** What the daemon says over the WebSocket, and what is said to it. */
export type FromServer = Schemas["ServerFrame"];
export type ToServer = Schemas["ClientFrame"];
