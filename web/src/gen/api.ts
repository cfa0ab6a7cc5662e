// Generated from schema/openapi.json by `npm run gen`; do not edit.

import type { Envelope, LiveFrame } from "./events";
export interface paths {
    "/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a person, of all sessions */
        get: operations["approvals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/past": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What people, rules and time answered, the newest first */
        get: operations["pastApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is signed in, the oldest first */
        get: operations["devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/devices/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Signs a device out; what it has open ends */
        delete: operations["revokeDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a one-time link that signs a device in */
        post: operations["makeLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs a device in */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs this device out */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begins to get a repository, which becomes a project */
        post: operations["cloneProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clones/{cloneId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far a repository is that is being got */
        get: operations["clone"];
        put?: never;
        post?: never;
        /** Ends it, and removes what is there of it */
        delete: operations["cancelClone"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a session of the demo agent in a folder of its own */
        post: operations["demo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether everything is here that Baton needs; one may ask at a time */
        get: operations["doctor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Folders below the home folder and the roots that can become projects */
        get: operations["folders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Projects, the last used first */
        get: operations["projects"];
        put?: never;
        /** Lists a folder as a project */
        post: operations["addProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/scan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Looks for projects where the settings say */
        post: operations["scanProjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One project */
        get: operations["project"];
        put?: never;
        post?: never;
        /** Takes a project off the list; files and sessions stay */
        delete: operations["removeProject"];
        options?: never;
        head?: never;
        /** Changes a project's title */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/projects/{slug}/choices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Models and commands that an agent offers for a session */
        get: operations["choices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Review comments on files, the oldest first */
        get: operations["comments"];
        put?: never;
        /** Keeps a review comment */
        post: operations["addComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/comments/{commentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Takes a review comment off the list for good */
        delete: operations["removeComment"];
        options?: never;
        head?: never;
        /** Settles a review comment, or opens it again */
        patch: operations["resolveComment"];
        trace?: never;
    };
    "/projects/{slug}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the work tree differs from the last commit */
        get: operations["diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file, or lines of it */
        get: operations["file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Entries of a folder */
        get: operations["files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/files/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Files of the whole project by letters of their paths */
        get: operations["findFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/files/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lines of files of the whole project with words, or what a pattern matches */
        get: operations["searchFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions that the agent has and Baton did not begin */
        get: operations["history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/history/{agentSessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a session of one of these */
        post: operations["importSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tells where a project's folder was moved to; its sessions, rules and comments follow */
        post: operations["moveProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions of a project */
        get: operations["projectSessions"];
        put?: never;
        /** Makes a session, with a first message if there is one */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{slug}/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the folder would run by itself */
        get: operations["trust"];
        put?: never;
        /** Accepts or declines what the folder would run */
        post: operations["setTrust"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every rule there is */
        get: operations["rules"];
        put?: never;
        /** Makes a rule */
        post: operations["addRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rules/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rules that the agent's own settings have */
        get: operations["offeredRules"];
        put?: never;
        /** Takes some of them over, and answers with what is new */
        post: operations["takeRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a rule would have decided on past requests */
        post: operations["previewRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rules/{ruleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes a rule */
        delete: operations["removeRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Words in everything that was said, the newest first */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions, the latest activity first */
        get: operations["sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session, with what is open in it */
        get: operations["session"];
        put?: never;
        post?: never;
        /** Removes an ended session with its files; that it was there stays on record */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        /** Changes a session's title */
        patch: operations["updateSession"];
        trace?: never;
    };
    "/sessions/{id}/approvals/{approvalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers an approval; the first answer counts */
        post: operations["approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/budget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Changes what the session may cost in all; what waits for money goes on */
        post: operations["setBudget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where files can be put back to */
        get: operations["checkpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The agent's slash commands */
        get: operations["slashCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events after a number; with `Accept: text/event-stream` as a stream that goes on live */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The whole log, one event per line, or as text to read; what is cut short breaks off */
        get: operations["export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a session that begins as this one did */
        post: operations["fork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/images/{imageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An image that an event names */
        get: operations["image"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops the running turn, and holds the messages that wait; where none runs, stops all that goes on in the background */
        post: operations["interrupt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Chooses what is done about a past that the agent lacks; what waits for that goes on */
        post: operations["chooseMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a message; the same messageId again sends nothing again */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Takes a queued message back */
        delete: operations["takeBack"];
        options?: never;
        head?: never;
        /** Changes the text of a queued message */
        patch: operations["editQueued"];
        trace?: never;
    };
    "/sessions/{id}/messages/{messageId}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts a queued message before another one, or at the end */
        post: operations["moveQueued"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/messages/{messageId}/now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begins a queued message as soon as can be; a running turn is stopped for it */
        post: operations["sendNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/model": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Changes the model */
        post: operations["setModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/permission-mode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Changes what the agent may do without asking */
        post: operations["setPermissionMode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/queue/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begins none of the messages that wait now before they are let go on */
        post: operations["holdQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/queue/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets the messages go on that are held */
        post: operations["releaseQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes an ended session up again */
        post: operations["resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/rewind": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts files back to where they were at a message */
        post: operations["rewind"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a link that shows this session to whoever has it, and nothing else */
        post: operations["shareSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the session; it can be resumed */
        post: operations["stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/stop-task": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops one sub-agent or background command */
        post: operations["stopTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/tools/{toolUseId}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The whole output of a tool call */
        get: operations["toolOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Version, counts and agents */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a file for a later message */
        post: operations["upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Cost and tokens by day, project and model */
        get: operations["usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Frames: ClientFrame to the daemon, ServerFrame from it */
        get: operations["webSocket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What a signed-in client may do. Each may do all that those before it may. */
        AccessScope: "observe" | "operate" | "admin";
        /**
         * @description What the agent told when one of its processes last came up; empty where none
         *     has, or where its program is another version now.
         */
        AgentChoices: {
            agent: string;
            /**
             * @description Those of the project's last session with this agent; before there is
             *     one, those that the agent has everywhere.
             */
            commands: components["schemas"]["SlashCommand"][];
            models: components["schemas"]["ModelChoice"][];
            /** @description How the project's last sessions began, the newest first. */
            prompts: string[];
        };
        /** @description An agent that can be used. */
        AgentFound: {
            /**
             * @description What it is, in a few words.
             * @default
             */
            about: string;
            /**
             * @default {
             *       "changeModel": false,
             *       "commands": false,
             *       "contextUsage": false,
             *       "fork": false,
             *       "gate": "seen",
             *       "hasModes": false,
             *       "images": false,
             *       "mcpStatus": false,
             *       "modes": [],
             *       "ownHistory": false,
             *       "resume": false,
             *       "rewind": false,
             *       "settings": false,
             *       "stopTask": false,
             *       "tellsCost": false,
             *       "tellsFolder": false
             *     }
             */
            capabilities: components["schemas"]["Capabilities"];
            name: string;
            /** @description What its program says; none if it does not say, or has not yet. */
            version?: string | null;
        };
        /** @description An agent whose program was not found. */
        AgentMissing: {
            name: string;
            /** @description How somebody gets it. */
            remedy: string;
        };
        ApprovalId: string;
        /** @enum {string} */
        ApprovalKind: "tool" | "question" | "plan" | "other";
        /** @description `approval.requested` */
        ApprovalRequested: {
            /** @description The sub-agent that asks. */
            agentId?: string | null;
            approvalId: components["schemas"]["ApprovalId"];
            expiresAt?: components["schemas"]["Timestamp"] | null;
            input: components["schemas"]["Json"];
            kind: components["schemas"]["ApprovalKind"];
            /** @description For edits: the change against the file on disk. */
            preview?: components["schemas"]["DiffPreview"] | null;
            /** @description Why it is asked. */
            reason?: string | null;
            risk: components["schemas"]["Risk"];
            subject?: components["schemas"]["ToolSubject"];
            /** @default [] */
            suggestions: components["schemas"]["Suggestion"][];
            /** @description What the call is, whatever its agent calls it. */
            toolKind?: components["schemas"]["ToolKind"];
            /** @description The tool as its agent calls it. */
            toolName: string;
            toolUseId?: string | null;
            /** @default [] */
            warnings: components["schemas"]["Warning"][];
        };
        /** @description `approval.resolved` */
        ApprovalResolved: {
            approvalId: components["schemas"]["ApprovalId"];
            by: components["schemas"]["DecidedBy"];
            client?: components["schemas"]["ClientRef"] | null;
            decision: components["schemas"]["Decision"];
            /** @default false */
            interrupt: boolean;
            /** @description Said to the agent with a denial, or why the question went away. */
            message?: string | null;
            /**
             * @description Of `by: "mode"`: the permission mode that decided. Where it is left out,
             *     another limit of the session did, such as its tools.
             */
            mode?: components["schemas"]["PermissionMode"] | null;
            modifiedInput?: components["schemas"]["Json"] | null;
            /** @description What the call is about with that input. */
            modifiedSubject?: components["schemas"]["ToolSubject"];
            rule?: string | null;
            ruleId?: components["schemas"]["RuleId"] | null;
            scope?: components["schemas"]["Scope"] | null;
            /**
             * @description `client` denied because it had nobody to ask: no person and no mode
             *     decided, though `by` is `mode`.
             */
            unattended?: boolean;
        };
        /** @description A file or image that came with a message. */
        Attachment: {
            blobId?: components["schemas"]["BlobId"] | null;
            /** Format: uint64 */
            bytes: number;
            mediaType: string;
            name: string;
        };
        /** @description A file that goes with a message. */
        AttachmentBody: {
            /** @description Base64; empty for one that was uploaded or is elsewhere. */
            data?: string;
            /** @description What it is said to be; absent leaves it to the name and the bytes. */
            mediaType?: string | null;
            /** @description Of a file that was uploaded: absent keeps the name it came with. */
            name?: string;
            /** @description A file that was uploaded before. */
            uploadId?: string | null;
            /**
             * @description Where it is, over HTTPS. An image is fetched from the hosts that Baton
             *     fetches from; anything else goes into the prompt as its address.
             */
            url?: string | null;
        };
        BlobId: string;
        Budget: {
            /**
             * Format: double
             * @description What the session may cost in all, in US dollars; absent is as the
             *     settings say.
             */
            maxBudgetUsd?: number | null;
        };
        /** @description What an agent can do; a screen offers only this. What is absent it cannot. */
        Capabilities: {
            /**
             * @description Its model can be chosen and changed.
             * @default false
             */
            changeModel: boolean;
            /**
             * @description It has commands that a message can begin with.
             * @default false
             */
            commands: boolean;
            /**
             * @description It says how full its context is when it is asked.
             * @default false
             */
            contextUsage: boolean;
            /**
             * @description A copy of a conversation can go on by itself.
             * @default false
             */
            fork: boolean;
            /** @default seen */
            gate: components["schemas"]["GateLevel"];
            /**
             * @description It is told the mode; else Baton keeps it to itself.
             * @default false
             */
            hasModes: boolean;
            /**
             * @description Messages may bring images.
             * @default false
             */
            images: boolean;
            /**
             * @description It says how its MCP servers stand when it is asked.
             * @default false
             */
            mcpStatus: boolean;
            /**
             * @description The permission modes that its sessions can be in.
             * @default []
             */
            modes: components["schemas"]["PermissionMode"][];
            /**
             * @description It keeps conversations in files of its own, under a name that Baton may
             *     choose.
             * @default false
             */
            ownHistory: boolean;
            /**
             * @description A conversation goes on after its process has ended.
             * @default false
             */
            resume: boolean;
            /**
             * @description Files can be put back to how they were when a message came.
             * @default false
             */
            rewind: boolean;
            /**
             * @description It loads settings of the user's and of folders.
             * @default false
             */
            settings: boolean;
            /**
             * @description One of its sub-agents and background commands can be ended by itself.
             * @default false
             */
            stopTask: boolean;
            /**
             * @description It says what it has cost so far when it is asked.
             * @default false
             */
            tellsCost: boolean;
            /**
             * @description It says in which folder a tool will run.
             * @default false
             */
            tellsFolder: boolean;
        };
        /** @description What git says about a path; of a folder, about what is in it. */
        ChangeKind: ("added" | "modified" | "deleted" | "renamed" | "copied" | "untracked") | "typeChanged" | "conflicted";
        /** @description What the log tells about files. */
        ChangedFiles: {
            /** @description As the tools named them; those in a folder that was moved, as it is called now. */
            files: string[];
            /**
             * Format: uint32
             * @description Calls that may have changed files nobody can name, such as commands.
             */
            untold: number;
        };
        /** @description A place that files can be put back to. */
        Checkpoint: {
            checkpointId: components["schemas"]["MessageId"];
            seq: components["schemas"]["Seq"];
            /** @description How the message began that it belongs to; none if Baton sent it by itself. */
            text?: string | null;
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
        };
        /** @description Part of a list. */
        CheckpointPart: {
            items: components["schemas"]["Checkpoint"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
        };
        /** @description What a client says. */
        ClientFrame: {
            client?: components["schemas"]["ClientRef"] | null;
            token?: components["schemas"]["Secret"] | null;
            /** @constant */
            type: "hello";
        } | {
            after?: components["schemas"]["Seq"];
            /** @description Comes back with the reply. */
            id?: string | null;
            sessionId?: components["schemas"]["SessionId"] | null;
            /** @constant */
            type: "subscribe";
        } | {
            id?: string | null;
            sessionId?: components["schemas"]["SessionId"] | null;
            /** @constant */
            type: "unsubscribe";
        } | {
            /** @enum {string} */
            command: "create" | "try-demo" | "message" | "take_back" | "queue.edit" | "queue.move" | "queue.now" | "queue.hold" | "queue.release" | "interrupt" | "stop-task" | "stop" | "resume" | "fork" | "model" | "permission-mode" | "rewind" | "checkpoints" | "title" | "budget" | "memory" | "approve" | "sessions" | "session" | "delete" | "approvals" | "approvals.past" | "rules" | "rule.add" | "rule.remove" | "rule.preview" | "rules.offered" | "rules.take" | "trust" | "history" | "import" | "commands" | "choices" | "warm" | "projects" | "project" | "folders" | "project.add" | "project.clone" | "clone.state" | "clone.cancel" | "project.remove" | "project.update" | "project.move" | "project.scan" | "files" | "files.find" | "files.search" | "file" | "diff" | "comments" | "comment.add" | "comment.resolve" | "comment.remove" | "search" | "usage" | "backup" | "retain" | "doctor";
            /** @description Comes back with the reply. */
            id: string;
            payload?: components["schemas"]["Json"] | null;
            sessionId?: components["schemas"]["SessionId"] | null;
            /** @constant */
            type: "command";
        } | {
            /** @constant */
            type: "ping";
        };
        /** @description Who did something: the screen it came from. */
        ClientRef: {
            id: string;
            name: string;
        };
        /** @description A repository to get. */
        CloneBody: {
            /**
             * @description The folder that it is put into: below the home folder or the roots of the
             *     settings; `~` is the home folder, which it is when absent.
             */
            into?: string | null;
            /** @description What its own folder is called; when absent, what the address ends with. */
            name?: string | null;
            /** @description `https://…`, `ssh://…` or `git@host:path`, without a password. */
            url: string;
        };
        CloneState: ("running" | "failed") | "done" | "cancelled";
        /** @description A repository on its way. Before it is whole, nothing of it is at `path`. */
        Cloned: {
            /** @description What git does just now, in its words. */
            doing?: string | null;
            id: string;
            path: string;
            /**
             * Format: uint8
             * @description How much of that is done.
             */
            percent?: number | null;
            /** @description Why it failed, in words. */
            problem?: string | null;
            /** @description The slug of the project that it became. */
            project?: string | null;
            state: components["schemas"]["CloneState"];
            url: string;
        };
        /**
         * @description What a file holds, told from its bytes.
         * @enum {string}
         */
        ContentKind: "text" | "image" | "binary";
        /** @description `context.usage` */
        ContextUsage: {
            /** Format: uint64 */
            tokens: number;
            /** Format: uint64 */
            window: number;
        };
        /**
         * @description What ended an approval.
         * @enum {string}
         */
        DecidedBy: "user" | "rule" | "mode" | "timeout" | "cancelled";
        /** @enum {string} */
        Decision: "allow" | "deny";
        /** @description One signed-in screen or program. */
        Device: {
            createdAt: components["schemas"]["Timestamp"];
            /** @description Whether it is the one that asks. */
            current: boolean;
            /** @description Until when such a link shows it. */
            expiresAt?: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["DeviceId"];
            /** @description To the minute. */
            lastUsedAt: components["schemas"]["Timestamp"];
            /** @description Who made its link: a device's id, `token` or `terminal`. */
            letInBy?: string | null;
            name: string;
            scope: components["schemas"]["AccessScope"];
            /** @description It is a link that shows this session and nothing else. */
            sessionId?: components["schemas"]["SessionId"] | null;
            /** @description What it signed in with. */
            via: components["schemas"]["SignInMethod"];
        };
        DeviceId: string;
        /** @description Part of a list. */
        DevicePart: {
            items: components["schemas"]["Device"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
        };
        /** @description How the work tree differs from the last commit. */
        Diff: {
            /**
             * Format: uint64
             * @description Lines in all files that are counted.
             */
            additions: number;
            /** @description The commit; none before the first. */
            base?: string | null;
            /** Format: uint64 */
            deletions: number;
            /** @description By path; untracked files last. */
            files: components["schemas"]["FileDiff"][];
            /** @description More has changed than is listed here. */
            truncated: boolean;
        };
        /** @description Lines that change together, with a little around them. */
        DiffHunk: {
            lines: components["schemas"]["DiffRow"][];
            /** Format: uint64 */
            newLines: number;
            /** Format: uint64 */
            newStart: number;
            /** Format: uint64 */
            oldLines: number;
            /** Format: uint64 */
            oldStart: number;
        };
        /** @description What the sides of a change are. */
        DiffKind: ("text" | "binary") | "submodule";
        /** @description One line of a hunk. */
        DiffLine: {
            kind: components["schemas"]["LineKind"];
            text: string;
        };
        /** @description A change to one file, as hunks. */
        DiffPreview: {
            /** @default [] */
            hunks: components["schemas"]["Hunk"][];
            path: string;
            /** @default false */
            truncated: boolean;
        };
        /** @description One line of a change. */
        DiffRow: {
            kind: components["schemas"]["LineKind"];
            /** @description What changed within the line: beginnings and ends in UTF-16 code units. */
            marks?: [
                number,
                number
            ][];
            /**
             * Format: uint64
             * @description Its number now; none for a removed line.
             */
            new?: number | null;
            /** @description The file ends here without a newline. */
            noNewline?: boolean;
            /**
             * Format: uint64
             * @description Its number before; none for an added line.
             */
            old?: number | null;
            /** @description Without the line's end. */
            text: string;
        };
        /** @description One thing that was looked at. */
        DoctorCheck: {
            finding: string;
            name: string;
            /** @description What to do about it. */
            remedy?: string | null;
            verdict: components["schemas"]["DoctorVerdict"];
        };
        /** @description Whether everything is here that Baton needs. */
        DoctorReport: {
            checks: components["schemas"]["DoctorCheck"][];
            /** @description Nothing among the checks is a problem. */
            ok: boolean;
        };
        /** @enum {string} */
        DoctorVerdict: "ok" | "warning" | "problem";
        /** @description The answer of a command that has nothing to say but that it was done. */
        Done: Record<string, never>;
        Envelope: Envelope;
        /** @description Part of a session's events. */
        EventPage: {
            /** @description There is nothing after this part yet. */
            done: boolean;
            events: components["schemas"]["Envelope"][];
            /**
             * Format: uint64
             * @description `after` of the next part.
             */
            nextAfter: number;
        };
        /** @description How a session is written. */
        ExportFormat: "ndjson" | "markdown" | "html";
        /** @description What is wrong with one field. */
        FieldError: {
            field: string;
            message: string;
        };
        /** @description How many remarks a file has. */
        FileComments: {
            /** Format: uint32 */
            comments: number;
            path: string;
        };
        /** @description How one file changed. */
        FileDiff: {
            /**
             * Format: uint64
             * @description None where lines are not counted.
             */
            additions?: number | null;
            /** Format: uint64 */
            deletions?: number | null;
            hunks: components["schemas"]["DiffHunk"][];
            kind: components["schemas"]["DiffKind"];
            newMode?: string | null;
            /** @description As git writes them, such as `100644`; none on a side that is not there. */
            oldMode?: string | null;
            /** @description Where it was, if it was moved or copied. */
            oldPath?: string | null;
            path: string;
            status: components["schemas"]["ChangeKind"];
            /** @description Its change is longer than is shown here. */
            truncated: boolean;
        };
        /** @description One entry of a folder. */
        FileEntry: {
            /** @description None if there is no change, or if git was not asked. */
            gitStatus?: components["schemas"]["ChangeKind"] | null;
            /** @description The repository's rules leave it out. */
            ignored: boolean;
            kind: components["schemas"]["FileKind"];
            modifiedAt?: components["schemas"]["Timestamp"] | null;
            name: string;
            /** @description To ask for it with; none if its name is not Unicode. */
            path?: string | null;
            /**
             * Format: uint64
             * @description In bytes; only of files.
             */
            size?: number | null;
        };
        /** @description What an entry of a folder is; links are not followed. */
        FileKind: ("file" | "folder" | "link") | "other";
        /** @description Part of a folder. */
        FileList: {
            /** @description Whether git was asked about changes. */
            gitAsked: boolean;
            items: components["schemas"]["FileEntry"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
            path: string;
            /** @description The folder has more entries than are ever listed. */
            truncated: boolean;
        };
        /** @description A file, or part of it. */
        FileView: {
            /** @description An image, in Base64. */
            data?: string | null;
            /** @description How the text was read: `utf-8`, `utf-16le`, `utf-16be`, `iso-8859-1`. */
            encoding?: string | null;
            /** @description Changes when the file does. */
            etag: string;
            /**
             * Format: uint64
             * @description The number of the first line in `text`.
             */
            from?: number | null;
            kind: components["schemas"]["ContentKind"];
            /**
             * Format: uint64
             * @description How many lines `text` has.
             */
            lines?: number | null;
            /** @description Of images; `text/plain` and `application/octet-stream` otherwise. */
            mediaType: string;
            modifiedAt?: components["schemas"]["Timestamp"] | null;
            path: string;
            /** Format: uint64 */
            size: number;
            /** @description The lines asked for, as they are, line ends included. */
            text?: string | null;
            /**
             * Format: uint64
             * @description How many the file has; none if it is too long to be counted.
             */
            totalLines?: number | null;
            /** @description There is more of it than is shown here. */
            truncated: boolean;
        };
        /** @description One folder in another. */
        FolderEntry: {
            /** @description A repository begins there. */
            isRepository: boolean;
            name: string;
            path: string;
            /** @description The project that it is, if it is one. */
            project?: string | null;
        };
        /**
         * @description One thing that a folder would run or change by itself. All texts come from
         *     the folder, with what cannot be seen written as numbers.
         */
        FolderItem: {
            /** @description Why it stands out: it runs by itself, or lets the agent act unasked. */
            danger?: string | null;
            /** @description The command, the value or what else it comes to; long ones are cut. */
            detail: string;
            /** @description Where it is from: below the folder, or from the root for folders above. */
            file: string;
            kind: components["schemas"]["FolderItemKind"];
            /** @description Where the file really is, if a link leads out of the folder it was found in. */
            link?: string | null;
            name: string;
        };
        /** @description What kind of thing it is. */
        FolderItemKind: ("mcpServer" | "plugin" | "marketplace" | "command" | "agent" | "skill" | "outputStyle") | "hook" | "environment" | "helper" | "permission" | "toolSurface" | "git" | "gitHook" | "other" | "problem";
        /** @description What a folder would run, and what was said to that. */
        FolderTrust: {
            /** @description An answer was given to something else than what is there now. */
            changed: boolean;
            complete: boolean;
            /** @description To be sent with `accept`. */
            digest: string;
            items: components["schemas"]["FolderItem"][];
            notes: string[];
            path: string;
            trusted: boolean;
        };
        /**
         * @description Folders that can become projects: below the home folder and the roots of the
         *     settings. Hidden ones, and those where secrets are kept, are left out.
         */
        Folders: {
            /** @description By name. */
            items: components["schemas"]["FolderEntry"][];
            /**
             * @description Folders that agents were used in and that are no projects; only where no
             *     path was asked for.
             */
            known?: string[];
            /** @description The one that it is in; none where looking ends. */
            parent?: string | null;
            /** @description The folder itself. */
            path: string;
            /** @description The project that this folder is, if it is one. */
            project?: string | null;
            /** @description Where looking begins, the home folder first. */
            roots: string[];
            /** @description It has more folders than are shown. */
            truncated: boolean;
        };
        Fork: {
            /** @description A row of the agent to cut after; absent is the end. */
            at?: string | null;
        };
        /** @description A file or folder that fits. */
        FoundFile: {
            kind: components["schemas"]["FileKind"];
            /** @description Below the project's folder. */
            path: string;
        };
        /** @description What fits, the best first. What the repository leaves out is not in it. */
        FoundFiles: {
            items: components["schemas"]["FoundFile"][];
            /** @description The project has more files than were looked through. */
            truncated: boolean;
        };
        /** @description A line in which it was found. */
        FoundLine: {
            /** @description The line has more than the text. */
            cut: boolean;
            /**
             * Format: uint32
             * @description Where it begins in the text, in characters.
             */
            from: number;
            /** Format: uint64 */
            line: number;
            /** @description Of a long line the part around it. */
            text: string;
            /** Format: uint32 */
            to: number;
        };
        /** @description A file in which it was found. */
        FoundText: {
            /** @description In their order. */
            lines: components["schemas"]["FoundLine"][];
            /** @description It is in more lines of this file. */
            more: boolean;
            /** @description Below the project's folder. */
            path: string;
        };
        /** @description How far Baton's rules hold for an agent. */
        GateLevel: "every" | "asked" | "seen";
        /** @description Lines that change together, with a little around them. */
        Hunk: {
            /** @default [] */
            lines: components["schemas"]["DiffLine"][];
            /** Format: uint32 */
            newStart: number;
            /** Format: uint32 */
            oldStart: number;
        };
        /** @description Any JSON value, as the agent wrote it. */
        Json: unknown;
        /** @description A tool call that has not ended. */
        LabelledCall: {
            label: string;
            toolUseId: string;
        };
        /**
         * @description Which side of a change a line is on.
         * @enum {string}
         */
        LineKind: "same" | "added" | "removed";
        /** @description A one-time link. It lets one device in, once, until it expires. */
        LinkAnswer: {
            expiresAt: components["schemas"]["Timestamp"];
            /** @description What stands after `#link=`. */
            link: components["schemas"]["Secret"];
            scope: components["schemas"]["AccessScope"];
            /** @description The whole address for another device; none while none can reach Baton. */
            url?: components["schemas"]["Secret"] | null;
        };
        /** @description A one-time link to be made. */
        LinkBody: {
            /** @description What the device that uses it may do; `operate` when absent. */
            scope?: components["schemas"]["AccessScope"] | null;
        };
        /**
         * @description Where a session stands, for lists. One that is asleep has ended, but not
         *     for good: the next message wakes it.
         */
        ListedState: ("starting" | "processing" | "waiting" | "idle" | "asleep") | "ended";
        LiveFrame: LiveFrame;
        /** @description A process that runs a session elsewhere. */
        LiveProcess: {
            /** @description What it was started as, such as `cli` in a terminal. */
            entrypoint?: string | null;
            /** Format: int32 */
            pid: number;
        };
        /** @description A device was let in. */
        LoginAnswer: {
            device: components["schemas"]["Device"];
            /** @description Its own token, which is shown this once. */
            token: components["schemas"]["Secret"];
        };
        /** @description Signs a device in: with exactly one of `pin`, `token` and `link`. */
        LoginBody: {
            /** @description What stands after `#link=` in a one-time link. */
            link?: components["schemas"]["Secret"] | null;
            /** @description What the device is to be called in the list of devices. */
            name?: string | null;
            pin?: components["schemas"]["Secret"] | null;
            /** @description The API token. */
            token?: components["schemas"]["Secret"] | null;
        };
        MemoryBody: {
            /** @description What is done about it from the next message on; `refuse` leaves it open. */
            memory: components["schemas"]["Remedy"];
        };
        /** @description A message was taken. */
        MessageAnswer: {
            messageId: components["schemas"]["MessageId"];
            state: components["schemas"]["SessionState"];
            /** @description None while it is queued. */
            turn?: components["schemas"]["Turn"] | null;
        };
        /** @description A message to a session. */
        MessageBody: {
            attachments?: components["schemas"]["AttachmentBody"][];
            /**
             * @description What is done should the agent lack a part of the past; absent is as the
             *     settings say.
             */
            memory?: components["schemas"]["Remedy"] | null;
            /** @description Chosen by the sender, so that sending again sends once; else Baton makes one. */
            messageId?: components["schemas"]["MessageId"] | null;
            /** @description Whether it waits when a turn is running, or is refused. */
            queue?: boolean;
            text?: string;
        };
        MessageId: string;
        /**
         * @description How a session is driven.
         * @enum {string}
         */
        Mode: "structured" | "terminal";
        Model: {
            /** @description Absent is the agent's default. */
            model?: string | null;
        };
        /** @description A model that the agent offers. */
        ModelChoice: {
            about?: string | null;
            /**
             * @description How hard it can be made to try, the least first; empty if that cannot be
             *     chosen.
             */
            efforts?: string[];
            /** @description It is what runs when no model is chosen. */
            isDefault?: boolean;
            /** @description What people call it. */
            name: string;
            /** @description What a session is made with. */
            value: string;
        };
        /** @description One rule of the agent's own settings. */
        OfferedRule: {
            decision: components["schemas"]["RuleDecision"];
            /** @description Baton has it already. */
            known: boolean;
            /** @description As the settings have it. */
            rule: string;
            /** @description How far it reaches there. */
            scope: components["schemas"]["Scope"];
            /** @description The settings' file. */
            source: string;
            /** @description Why it cannot be taken over. */
            unreadable?: string | null;
            /** @description Why it should be looked at twice. */
            warning?: string | null;
            /** @description What it would do here, in words; absent if it cannot be taken over. */
            words?: string | null;
        };
        /** @description Rules that the agent's own settings have. */
        OfferedRules: {
            items: components["schemas"]["OfferedRule"][];
            /** @description Sentences about what is not among them. */
            notes: string[];
        };
        /** @description An open approval and where it is. */
        OpenApproval: {
            approval: components["schemas"]["ApprovalRequested"];
            requestedAt: components["schemas"]["Timestamp"];
            /** @description The number of its event. */
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
        };
        /** @description Part of the open approvals. */
        OpenApprovals: {
            items: components["schemas"]["OpenApproval"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
            /**
             * @description Texts in it that look like credentials, for screens to cover. Absent
             *     where there are none, and for who does not see them.
             */
            secrets?: components["schemas"]["Secret2"][];
        };
        /** @description An approval with its answer. */
        PastApproval: {
            approval: components["schemas"]["ApprovalRequested"];
            projectId: components["schemas"]["ProjectId"];
            requestedAt: components["schemas"]["Timestamp"];
            resolved: components["schemas"]["ApprovalResolved"];
            resolvedAt: components["schemas"]["Timestamp"];
            /** @description The number of the event that answered. */
            resolvedSeq: components["schemas"]["Seq"];
            /** @description The number of the event that asked. */
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
        };
        /** @description Part of the answered approvals, the newest request first. */
        PastApprovals: {
            items: components["schemas"]["PastApproval"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
            /** @description As in the list of open ones. */
            secrets?: components["schemas"]["Secret2"][];
        };
        /** @description A part of another session's log, with which a copy of it began. */
        PastPart: {
            sessionId: components["schemas"]["SessionId"];
            /** @description The last event of it that the copy began with. */
            upTo: components["schemas"]["Seq"];
        };
        /** @description A session that was begun elsewhere. */
        PastSession: {
            /** @description The agent's name for it. */
            agentSessionId: string;
            cwd: string;
            /** @description The session it is here. */
            importedAs?: components["schemas"]["SessionId"] | null;
            lastActivityAt: components["schemas"]["Timestamp"];
            /** @description The process that runs it now. */
            live?: components["schemas"]["LiveProcess"] | null;
            startedAt?: components["schemas"]["Timestamp"] | null;
            title?: string | null;
        };
        /** @description Part of a list. */
        PastSessionPart: {
            items: components["schemas"]["PastSession"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
        };
        /**
         * @description What the agent may do without asking.
         * @enum {string}
         */
        PermissionMode: "default" | "acceptEdits" | "plan" | "dontAsk" | "bypassPermissions" | "auto";
        PermissionModeBody: {
            mode: components["schemas"]["PermissionMode"];
        };
        /** @description Something was not done; nothing has changed. */
        Problem: {
            code: components["schemas"]["ProblemCode"];
            /** @description This case, in one sentence. */
            detail: string;
            /** @description Which fields are wrong. */
            errors?: components["schemas"]["FieldError"][];
            /** @description Who takes the places, when there are no more. */
            sessions?: components["schemas"]["SessionId"][];
            /** Format: uint16 */
            status: number;
            title: string;
            /**
             * Format: uri
             * @description Names the kind of problem, as `code` does; on HTTP only.
             * @example urn:baton:problem:busy
             */
            type?: string;
            /** @description Who answered the approval first, and how. */
            winner?: components["schemas"]["ApprovalResolved"] | null;
        };
        /** @description The closed list of reasons; names are stable. */
        ProblemCode: ("bad_json" | "too_long" | "unknown_command" | "invalid_request" | "not_found" | "method_not_allowed" | "unsupported_media_type" | "empty" | "session_ended" | "message_id_conflict" | "not_queued" | "answers_missing" | "unsupported" | "agent_refused" | "agent_unreachable" | "denied_by_rule" | "shutting_down" | "storage_full" | "storage" | "internal") | "unauthorized" | "forbidden" | "too_many_attempts" | "wrong_host" | "foreign_origin" | "request_timeout" | "busy" | "session_running" | "already_answered" | "owned_elsewhere" | "memory_lost" | "session_limit" | "trust_changed" | "budget_spent" | "too_many" | "not_ready" | "unknown";
        /**
         * @description A folder that agents work in, and what is known about it by now.
         *
         *     What git says is null where it is not known: in a folder that is no
         *     repository, before the folder is trusted (then only what files say), or while
         *     git takes too long. What the folder itself says is null while its disk takes
         *     too long.
         */
        Project: {
            /**
             * Format: uint64
             * @description Commits that the upstream branch does not have.
             */
            ahead?: number | null;
            /** Format: uint64 */
            behind?: number | null;
            /** @description The folder is there; null while that is not known. */
            exists?: boolean | null;
            gitBranch?: string | null;
            gitRemote?: string | null;
            /** @description It has a folder `.claude`; null while that is not known. */
            hasClaudeConfig?: boolean | null;
            id: components["schemas"]["ProjectId"];
            isDirty?: boolean | null;
            lastModified?: components["schemas"]["Timestamp"] | null;
            /** @description When a session in it was last used. */
            lastUsedAt?: components["schemas"]["Timestamp"] | null;
            /** @description Of the folder. */
            name: string;
            path: string;
            slug: string;
            /** @description Given by a person. */
            title?: string | null;
            /**
             * @description What it would run by itself was accepted. False too while that is not
             *     known: then nothing of it runs either.
             */
            trusted: boolean;
        };
        /** @description A folder to be listed as a project. One that is listed already stays as it is. */
        ProjectAdd: {
            /** @description The folder: an absolute path, or one below `~`. */
            path: string;
            title?: string | null;
        };
        ProjectId: string;
        /** @description Part of a list. */
        ProjectPart: {
            items: components["schemas"]["Project"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
        };
        /** @description A message that waits for a turn. */
        QueuedMessage: {
            attachments: components["schemas"]["Attachment"][];
            /** @description It is not begun before somebody lets it go on. */
            held?: boolean;
            messageId: components["schemas"]["MessageId"];
            queuedAt: components["schemas"]["Timestamp"];
            text: string;
        };
        /** @description What is done about a past that the agent lacks. */
        Remedy: "log" | "none" | "refuse";
        /** @description Who settled a remark, and when. */
        Resolution: {
            at: components["schemas"]["Timestamp"];
            by?: string | null;
        };
        /** @description A try of the agent's that failed, and the next one. */
        Retrying: {
            /** Format: uint32 */
            attempt: number;
            /** @description When it tries again. */
            due: components["schemas"]["Timestamp"];
            /** Format: uint32 */
            maxAttempts?: number | null;
            /** @description As the agent gave it. */
            reason: string;
        };
        /** @description One remark. */
        ReviewComment: {
            author?: string | null;
            body: string;
            createdAt: components["schemas"]["Timestamp"];
            /**
             * Format: uint32
             * @description The last line it is about.
             */
            endLine?: number | null;
            id: string;
            /**
             * Format: uint32
             * @description The line it is about, from 1.
             */
            line?: number | null;
            /** @description The file or the lines are not there any more; `line` is where they were. */
            outdated?: boolean | null;
            /** @description From the project's folder. */
            path: string;
            /**
             * @description The lines it was made on, by which it is found again when others come
             *     before them.
             */
            quote?: string | null;
            /** @description Somebody has said that it is settled. */
            resolved?: components["schemas"]["Resolution"] | null;
            severity: components["schemas"]["Severity"];
        };
        /** @description Remarks on a project, the oldest first. */
        ReviewComments: {
            comments: components["schemas"]["ReviewComment"][];
            /** @description How many each file of the whole project has that are not settled. */
            files: components["schemas"]["FileComments"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
            /**
             * Format: uint64
             * @description How many there are.
             */
            total: number;
            /** @description There are more after these. */
            truncated: boolean;
        };
        /**
         * @description Puts files back to where they were at a message. What shell commands
         *     changed is not covered.
         */
        Rewind: {
            checkpointId: components["schemas"]["MessageId"];
            /** @description Only says which files. */
            dryRun?: boolean;
        };
        /** @description Which files went back, or would go back. */
        Rewound: {
            /**
             * Format: uint64
             * @description Lines that go away, where the agent tells.
             */
            deletions?: number | null;
            /** @default [] */
            filesChanged: string[];
            /**
             * Format: uint64
             * @description Lines that come back, where the agent tells.
             */
            insertions?: number | null;
        };
        /** @description How much harm a tool call could do; the warnings beside it say why. */
        Risk: "low" | "medium" | "high";
        /** @description A rule as clients see it. */
        Rule: {
            /**
             * @description Why it cannot be read. What it allows is not allowed then, and if it
             *     denies or asks, every call is asked about.
             */
            broken?: string | null;
            client?: components["schemas"]["ClientRef"] | null;
            createdAt: components["schemas"]["Timestamp"];
            decision: components["schemas"]["RuleDecision"];
            id: components["schemas"]["RuleId"];
            /** @description Of a project: its folder, if a session was ever made in it. */
            project?: string | null;
            rule: string;
            scope: components["schemas"]["Scope"];
            scopeId?: string | null;
            /** @description In words for a person. */
            words: string;
        };
        /** @description A rule to be made. */
        RuleBody: {
            decision: components["schemas"]["RuleDecision"];
            /**
             * @description Of a project: its folder, where `scopeId` is absent. A rule for a session
             *     may be sent with the session instead.
             */
            project?: string | null;
            /** @description Such as `Bash(git status:*)`. */
            rule: string;
            scope: components["schemas"]["Scope"];
            /** @description What the scope is about: a session's id; a project's slug, id or folder. */
            scopeId?: string | null;
        };
        /** @description One of the offered rules. */
        RuleChoice: {
            decision: components["schemas"]["RuleDecision"];
            /** @description As it is offered. */
            rule: string;
        };
        /**
         * @description What a rule says about the calls it matches.
         * @enum {string}
         */
        RuleDecision: "allow" | "deny" | "ask";
        RuleId: string;
        /** @description Part of a list. */
        RulePart: {
            items: components["schemas"]["Rule"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
        };
        RulePreview: {
            decision: components["schemas"]["RuleDecision"];
            /** @description Only requests made in this folder. */
            project?: string | null;
            rule: string;
        };
        /** @description One past request and what a rule would have said to it. */
        RuleTried: {
            /** @description What the rule would have decided; absent leaves it to others. */
            decision?: components["schemas"]["RuleDecision"] | null;
            reason?: string | null;
            request: components["schemas"]["ApprovalRequested"];
            requestedAt: components["schemas"]["Timestamp"];
            /** @description What was decided then. */
            resolved?: components["schemas"]["ApprovalResolved"] | null;
            sessionId: components["schemas"]["SessionId"];
        };
        /** @description Part of a list. */
        RuleTriedPart: {
            items: components["schemas"]["RuleTried"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
        };
        /** @description Rules to be taken over, all or none. Only what is offered can be. */
        RulesTake: {
            /** @description The project that they are for, or whose rules are among them. */
            project?: string | null;
            rules: components["schemas"]["RuleChoice"][];
            /** @description For the user or for a project. */
            scope: components["schemas"]["Scope"];
        };
        /** @description A call without its end. */
        RunningTool: {
            agentId?: string | null;
            label: string;
            name: string;
            parentToolUseId?: string | null;
            startedAt: components["schemas"]["Timestamp"];
            toolUseId: string;
            turn: components["schemas"]["Turn"];
        };
        /** @description A sub-agent or a background command at work. */
        RunningWork: {
            /** @description Of a sub-agent. */
            agentType?: string | null;
            /**
             * @description The conversation goes on without it. A sub-agent that its turn waits
             *     for is not in the background.
             * @default false
             */
            background: boolean;
            description?: string | null;
            /** @description The sub-agent's or the task's; `stop-task` takes it. */
            id: string;
            kind: components["schemas"]["WorkKind"];
            startedAt: components["schemas"]["Timestamp"];
            /** @description The call that began it. */
            toolUseId?: string | null;
        };
        /** @description How the agent's processes relate to turns. */
        Runtime: "streaming" | "resume";
        /** @description What a scan found. */
        Scanned: {
            /** @description Those that are listed from now on. */
            added: components["schemas"]["Project"][];
            /**
             * Format: uint64
             * @description Folders that were looked at, listed before or not.
             */
            found: number;
        };
        /**
         * @description How far a remembered decision reaches.
         * @enum {string}
         */
        Scope: "session" | "project" | "user";
        /** @description A message or a title in which all words occur. */
        SearchHit: {
            /** @description Copies of the session that began with this event: it is a part of their past. */
            copies?: components["schemas"]["SessionId"][];
            /** @description Where the words are in `snippet`: beginnings and ends in UTF-16 code units. */
            marks: [
                number,
                number
            ][];
            projectId: components["schemas"]["ProjectId"];
            /** @description Of the event. */
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            /** @description The text around the match. */
            snippet: string;
            /** @description Of the session. */
            title?: string | null;
        };
        /** @description Part of a list. */
        SearchHitPart: {
            items: components["schemas"]["SearchHit"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
        };
        /**
         * @description Where words are in a project. What the repository leaves out, large files
         *     and what is no text were not looked through.
         */
        SearchedFiles: {
            /**
             * Format: uint64
             * @description How many were looked through.
             */
            files: number;
            items: components["schemas"]["FoundText"][];
            /** @description Not all of them were, or not all that was found is told. */
            truncated: boolean;
        };
        Secret: string;
        /**
         * @description A text that looks like a credential, pointed out to whoever may see it, so
         *     that a screen can cover it until it is asked for.
         */
        Secret2: {
            /**
             * @description What stands right before it, of a short one: elsewhere the same letters
             *     are no secret.
             */
            before?: string | null;
            kind: components["schemas"]["SecretKind"];
            /** @description One line of it. */
            text: string;
        };
        /** @description What a text that looks like a credential seems to be. */
        SecretKind: ("password" | "private_key") | "token";
        /**
         * Format: uint64
         * @description An event's number within its session: 1, 2, 3 … without gap or repeat.
         *     As a cursor, 0 stands before the first event.
         */
        Seq: number;
        /** @description What the daemon says. */
        ServerFrame: {
            /** Format: uint32 */
            pid: number;
            /** @constant */
            type: "welcome";
            version: string;
        } | {
            event: components["schemas"]["Envelope"];
            /** @constant */
            type: "event";
        } | {
            frame: components["schemas"]["LiveFrame"];
            /** @constant */
            type: "live";
        } | {
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            /** @constant */
            type: "caught_up";
        } | {
            problem?: components["schemas"]["Problem"] | null;
            sessionId?: components["schemas"]["SessionId"] | null;
            /** @constant */
            type: "unsubscribed";
        } | {
            /** @description The problem in one sentence. */
            error?: string | null;
            id?: string | null;
            ok: boolean;
            problem?: components["schemas"]["Problem"] | null;
            result?: components["schemas"]["Json"] | null;
            /** @constant */
            type: "reply";
        } | {
            items: components["schemas"]["SessionRow"][];
            removed: components["schemas"]["SessionId"][];
            /** @constant */
            type: "sessions";
        } | {
            /** @constant */
            type: "pong";
        } | {
            agentsKept: boolean;
            /** @constant */
            type: "goodbye";
        };
        /** @description What is open, waiting and running, as of event `seq`. */
        SessionFacts: {
            /** @description What goes on, in a few words. */
            activity?: string | null;
            /** @description What waits for a person, the oldest first. */
            approvals: components["schemas"]["WaitingApproval"][];
            /** @description The files that its tools changed, as far as the log can tell. */
            changed: components["schemas"]["ChangedFiles"];
            /** @description How full the model's context is; absent when not known. */
            context?: components["schemas"]["ContextUsage"] | null;
            /** @description Messages that wait for a turn, in the order in which they go. */
            queue: components["schemas"]["QueuedMessage"][];
            seq: components["schemas"]["Seq"];
            subagents: components["schemas"]["SubAgent"][];
            /** @description Work in the background. */
            tasks: components["schemas"]["TaskUpdated"][];
            todo: components["schemas"]["TodoItem"][];
            tools: components["schemas"]["RunningTool"][];
            /** @description Sub-agents and background commands at work, with since when. */
            work: components["schemas"]["RunningWork"][];
        };
        SessionId: string;
        /** @description One session, true as of its event number `event_count`. */
        SessionRow: {
            agent: string;
            agentSessionId?: string | null;
            /** @description The open approvals behind the two fields above. */
            approvals: {
                [key: string]: components["schemas"]["Risk"];
            };
            /**
             * Format: double
             * @description How full the model's context is, 0 to 1; absent when not known.
             */
            contextShare?: number | null;
            /**
             * Format: double
             * @description The sum over turns; absent until a turn told its price.
             */
            costUsd?: number | null;
            cwd?: string | null;
            /**
             * Format: uint64
             * @description From the start to the last activity.
             */
            durationMs: number;
            endedAt?: components["schemas"]["Timestamp"] | null;
            error?: string | null;
            /**
             * Format: uint64
             * @description Also the number of the last event.
             */
            eventCount: number;
            /** Format: int32 */
            exitCode?: number | null;
            forkedFrom?: components["schemas"]["SessionId"] | null;
            /** @description Of the open approvals. */
            highestRisk?: components["schemas"]["Risk"] | null;
            id: components["schemas"]["SessionId"];
            lastActivityAt: components["schemas"]["Timestamp"];
            /**
             * @description What the agent does now, in words: the newest call that has not ended,
             *     or why it waits to try again. Absent when no call runs.
             */
            lastLabel?: string | null;
            mode: components["schemas"]["Mode"];
            model?: string | null;
            /** Format: uint32 */
            openApprovals: number;
            permissionMode?: components["schemas"]["PermissionMode"] | null;
            /**
             * Format: uint32
             * @description Of the agent's process; absent once its holder is gone.
             */
            pid?: number | null;
            projectId: components["schemas"]["ProjectId"];
            /**
             * @description What it waits with to try again; absent once it got through.
             * @default null
             */
            retry: components["schemas"]["Retrying"] | null;
            runtime: components["schemas"]["Runtime"];
            startedAt: components["schemas"]["Timestamp"];
            state: components["schemas"]["SessionState"];
            status: components["schemas"]["SessionStatus"];
            /** @description As given, else the first line of the first message. */
            title?: string | null;
            /**
             * @description The calls without an end behind the label, oldest first.
             * @default []
             */
            tools: components["schemas"]["LabelledCall"][];
            /** Format: uint32 */
            turnCount: number;
            /**
             * @description The last turn failed, and none has begun since.
             * @default false
             */
            turnFailed: boolean;
            /** @description The sum over turns. */
            usage: components["schemas"]["Usage"];
            /**
             * @description Sub-agents and background commands at work, the oldest first.
             * @default []
             */
            work: components["schemas"]["RunningWork"][];
        };
        /** @description Where a session stands. */
        SessionState: ("starting" | "processing" | "idle" | "ended") | "waiting";
        /** @description How a session stands as a whole: `running` until it ends. */
        SessionStatus: ("running" | "completed" | "stopped" | "failed") | "asleep";
        /** @description What is to change about a session, over HTTP. */
        SessionUpdate: {
            title?: string | null;
        };
        /** @description A session with what is open in it. */
        SessionView: {
            agent: string;
            agentSessionId?: string | null;
            /** @description The open approvals behind the two fields above. */
            approvals: {
                [key: string]: components["schemas"]["Risk"];
            };
            /**
             * @description What its agent can do.
             * @default {
             *       "changeModel": false,
             *       "commands": false,
             *       "contextUsage": false,
             *       "fork": false,
             *       "gate": "seen",
             *       "hasModes": false,
             *       "images": false,
             *       "mcpStatus": false,
             *       "modes": [],
             *       "ownHistory": false,
             *       "resume": false,
             *       "rewind": false,
             *       "settings": false,
             *       "stopTask": false,
             *       "tellsCost": false,
             *       "tellsFolder": false
             *     }
             */
            capabilities: components["schemas"]["Capabilities"];
            /**
             * Format: double
             * @description How full the model's context is, 0 to 1; absent when not known.
             */
            contextShare?: number | null;
            /**
             * Format: double
             * @description The sum over turns; absent until a turn told its price.
             */
            costUsd?: number | null;
            cwd?: string | null;
            /**
             * Format: uint64
             * @description From the start to the last activity.
             */
            durationMs: number;
            endedAt?: components["schemas"]["Timestamp"] | null;
            error?: string | null;
            /**
             * Format: uint64
             * @description Also the number of the last event.
             */
            eventCount: number;
            /** Format: int32 */
            exitCode?: number | null;
            facts: components["schemas"]["SessionFacts"];
            forkedFrom?: components["schemas"]["SessionId"] | null;
            /** @description Of the open approvals. */
            highestRisk?: components["schemas"]["Risk"] | null;
            id: components["schemas"]["SessionId"];
            lastActivityAt: components["schemas"]["Timestamp"];
            /**
             * @description What the agent does now, in words: the newest call that has not ended,
             *     or why it waits to try again. Absent when no call runs.
             */
            lastLabel?: string | null;
            mode: components["schemas"]["Mode"];
            model?: string | null;
            /** Format: uint32 */
            openApprovals: number;
            /** @description Of a copy of another session, where its past is, the oldest first. */
            past: components["schemas"]["PastPart"][];
            permissionMode?: components["schemas"]["PermissionMode"] | null;
            /**
             * Format: uint32
             * @description Of the agent's process; absent once its holder is gone.
             */
            pid?: number | null;
            projectId: components["schemas"]["ProjectId"];
            /**
             * @description What it waits with to try again; absent once it got through.
             * @default null
             */
            retry: components["schemas"]["Retrying"] | null;
            runtime: components["schemas"]["Runtime"];
            /**
             * @description Texts in it that look like credentials, for screens to cover. Absent
             *     where there are none, and for who does not see them.
             */
            secrets?: components["schemas"]["Secret2"][];
            startedAt: components["schemas"]["Timestamp"];
            state: components["schemas"]["SessionState"];
            status: components["schemas"]["SessionStatus"];
            /** @description As given, else the first line of the first message. */
            title?: string | null;
            /**
             * @description The calls without an end behind the label, oldest first.
             * @default []
             */
            tools: components["schemas"]["LabelledCall"][];
            /** Format: uint32 */
            turnCount: number;
            /**
             * @description The last turn failed, and none has begun since.
             * @default false
             */
            turnFailed: boolean;
            /** @description The sum over turns. */
            usage: components["schemas"]["Usage"];
            /**
             * @description Sub-agents and background commands at work, the oldest first.
             * @default []
             */
            work: components["schemas"]["RunningWork"][];
        };
        /** @description Part of the list of sessions, the latest activity first. */
        Sessions: {
            items: components["schemas"]["SessionRow"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
            /**
             * Format: uint64
             * @description How many sessions were passed over because the log is damaged there;
             *     absent if none were.
             */
            unreadable?: number | null;
        };
        /**
         * @description How much a remark matters.
         * @enum {string}
         */
        Severity: "note" | "suggestion" | "problem";
        /**
         * @description A link that shows one session, without credentials in it, and changes
         *     nothing. It is listed with the devices, and signed out as they are.
         */
        ShareAnswer: {
            device: components["schemas"]["Device"];
            /**
             * @description What stands after `#share=`, and what programs show as their token. It is
             *     shown this once.
             */
            token: components["schemas"]["Secret"];
            /** @description The whole address; none while no browser can reach Baton. */
            url?: components["schemas"]["Secret"] | null;
        };
        /** @description A link to be made that shows one session to whoever has it. */
        ShareBody: {
            /**
             * Format: uint32
             * @description How long it shows it, in hours; 24 when absent.
             */
            hours?: number | null;
        };
        /**
         * @description What a device signed in with.
         * @enum {string}
         */
        SignInMethod: "pin" | "token" | "link";
        SlashCommand: {
            /** @description What may follow it: `[path]`. */
            argumentHint?: string | null;
            /**
             * @description What it does, in the agent's words; known once an agent of the session has
             *     come up since the daemon started.
             */
            description?: string | null;
            /** @description Without the slash. */
            name: string;
            /** @description Why it is not sent to the agent; absent if it is. */
            refused?: string | null;
        };
        /** @description Part of a list. */
        SlashCommandPart: {
            items: components["schemas"]["SlashCommand"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
        };
        /** @description How the daemon stands. */
        Status: {
            /** @description Which agents can be used, the one that is used by default first. */
            agents: components["schemas"]["AgentFound"][];
            /**
             * Format: uint64
             * @description Screens and programs that are connected, this one included if it is;
             *     below a project those that are connected below it.
             */
            clients: number;
            /**
             * @description The machine is kept from going to sleep while agents work.
             * @default false
             */
            keepAwake: boolean;
            missingAgents?: components["schemas"]["AgentMissing"][];
            ok: boolean;
            /** Format: uint64 */
            pendingApprovals: number;
            /** Format: uint32 */
            pid: number;
            /** Format: uint64 */
            projects: number;
            sessions: components["schemas"]["StatusCounts"];
            startedAt: components["schemas"]["Timestamp"];
            /** @description No new turns are taken any more. */
            stopping: boolean;
            /** Format: uint64 */
            uptimeS: number;
            /** @description Where it serves HTTP; none while it does not. */
            url?: string | null;
            version: string;
        };
        /** @description Sessions by state. */
        StatusCounts: {
            /**
             * Format: uint64
             * @description They ended for want of something to do; the next message wakes them.
             * @default 0
             */
            asleep: number;
            /**
             * Format: uint64
             * @description By a person or a fault.
             * @default 0
             */
            ended: number;
            /**
             * Format: uint64
             * @default 0
             */
            idle: number;
            /**
             * Format: uint64
             * @default 0
             */
            processing: number;
            /**
             * Format: uint64
             * @default 0
             */
            starting: number;
            /**
             * Format: uint64
             * @default 0
             */
            waiting: number;
        };
        StopTask: {
            /** @description The `id` of one that is among the session's `work`. */
            taskId: string;
        };
        /** @description One sub-agent or teammate. */
        SubAgent: {
            agentId: string;
            agentType?: string | null;
            description?: string | null;
            endedAt?: components["schemas"]["Timestamp"] | null;
            /** @description What its newest call does, in words. */
            lastLabel?: string | null;
            /** @description The sub-agent that made that call; none: the main agent. */
            parentAgentId?: string | null;
            /** @description The call that began it. */
            parentToolUseId?: string | null;
            startedAt: components["schemas"]["Timestamp"];
            status: components["schemas"]["TaskStatus"];
            /**
             * Format: uint32
             * @description Calls it has made.
             */
            toolCalls: number;
            /** @description The turn it began in; it may outlive that. */
            turn: components["schemas"]["Turn"];
        };
        /** @description A rule that would answer this and similar questions. */
        Suggestion: {
            rule: string;
            scope: components["schemas"]["Scope"];
        };
        /** @enum {string} */
        TaskStatus: "running" | "completed" | "failed" | "stopped";
        /** @description `task.updated` */
        TaskUpdated: {
            description?: string | null;
            status: components["schemas"]["TaskStatus"];
            summary?: string | null;
            taskId: string;
            toolUseId?: string | null;
        };
        /** Format: date-time */
        Timestamp: string;
        /** @description One line of the agent's list. */
        TodoItem: {
            /** @description What to show while it is being done. */
            activeForm?: string | null;
            content: string;
            id?: string | null;
            status: components["schemas"]["TodoStatus"];
        };
        /** @enum {string} */
        TodoStatus: "pending" | "in_progress" | "completed";
        /** @description What a call does. */
        ToolKind: "shell" | "read" | "search" | "edit" | "write" | "fetch" | "agent" | "message" | "question" | "plan" | "todo" | "inner" | "schedule" | "skill" | "mcp" | "other";
        /** @description What a call is about. Which of these it has depends on its kind. */
        ToolSubject: {
            /** @description The command line. */
            command?: string | null;
            /** @description It goes on by itself while the agent does something else. */
            inBackground?: boolean;
            /** @description The command's language, where it is not the POSIX shell's. */
            language?: string | null;
            /** @description The file, or the folder that is searched. */
            path?: string | null;
            /** @description The names of files that are looked for, with wildcards. */
            pattern?: string | null;
            /** @description The words that are looked for, in files or in the web. */
            query?: string | null;
            /** @description The MCP server. */
            server?: string | null;
            /** @description The skill, or what a sub-agent is to do, in a few words. */
            text?: string | null;
            /**
             * @description The server's own name for the tool. Without one, the call is about what
             *     the server has to read.
             */
            tool?: string | null;
            url?: string | null;
        };
        /**
         * Format: uint32
         * @description A turn's number within its session; 0 stands for "before the first turn".
         */
        Turn: number;
        /** @description A file that waits for its message. */
        Uploaded: {
            /** Format: uint64 */
            bytes: number;
            /** @description For `attachments` of a message. */
            uploadId: string;
        };
        /** @description Tokens counted by the model's provider. */
        Usage: {
            /**
             * Format: uint64
             * @default 0
             */
            cacheCreationInputTokens: number;
            /**
             * Format: uint64
             * @default 0
             */
            cacheReadInputTokens: number;
            /**
             * Format: uint64
             * @default 0
             */
            inputTokens: number;
            /**
             * Format: uint64
             * @default 0
             */
            outputTokens: number;
        };
        /** @description What turns of one model cost in one project on one day. */
        UsageItem: {
            /** Format: double */
            costUsd: number;
            /** @description In UTC, such as `2026-11-15`. */
            day: string;
            /** @description None for turns whose model was not known. */
            model?: string | null;
            /** @description None if it is not listed. */
            project?: string | null;
            projectId: components["schemas"]["ProjectId"];
            /** Format: uint64 */
            turns: number;
            usage: components["schemas"]["Usage"];
        };
        /** @description Cost and tokens, the newest day first. */
        UsageReport: {
            items: components["schemas"]["UsageItem"][];
            /** Format: double */
            totalCostUsd: number;
            /** Format: uint64 */
            totalTurns: number;
        };
        /** @description An open approval of one session, and when it was asked for. */
        WaitingApproval: {
            /** @description The sub-agent that asks. */
            agentId?: string | null;
            approvalId: components["schemas"]["ApprovalId"];
            expiresAt?: components["schemas"]["Timestamp"] | null;
            input: components["schemas"]["Json"];
            kind: components["schemas"]["ApprovalKind"];
            /** @description For edits: the change against the file on disk. */
            preview?: components["schemas"]["DiffPreview"] | null;
            /** @description Why it is asked. */
            reason?: string | null;
            requestedAt: components["schemas"]["Timestamp"];
            risk: components["schemas"]["Risk"];
            /** @description The number of its event. */
            seq: components["schemas"]["Seq"];
            subject?: components["schemas"]["ToolSubject"];
            /** @default [] */
            suggestions: components["schemas"]["Suggestion"][];
            /** @description What the call is, whatever its agent calls it. */
            toolKind?: components["schemas"]["ToolKind"];
            /** @description The tool as its agent calls it. */
            toolName: string;
            toolUseId?: string | null;
            /** @default [] */
            warnings: components["schemas"]["Warning"][];
        };
        /** @description Something a person should see before deciding. */
        Warning: {
            kind: string;
            message: string;
        };
        /** @description What works beside the conversation. */
        WorkKind: "subagent" | "task";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    approvals: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; all of it when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenApprovals"];
                };
            };
        };
    };
    pastApprovals: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 500; 100 when absent. Fewer come when they are large. */
                limit?: number;
                /** @description Only those of this project: its slug, id or path. */
                project?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PastApprovals"];
                };
            };
        };
    };
    devices: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; all of it when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DevicePart"];
                };
            };
        };
    };
    revokeDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deviceId: components["schemas"]["DeviceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    makeLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LinkBody"];
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkAnswer"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "my phone",
                 *       "pin": "271828"
                 *     }
                 */
                "application/json": components["schemas"]["LoginBody"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    cloneProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "into": "~/code",
                 *       "url": "https://github.com/rust-lang/regex"
                 *     }
                 */
                "application/json": components["schemas"]["CloneBody"];
            };
        };
        responses: {
            /** @description It was taken. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cloned"];
                };
            };
        };
    };
    clone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cloneId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cloned"];
                };
            };
        };
    };
    cancelClone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cloneId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cloned"];
                };
            };
        };
    };
    demo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRow"];
                };
            };
        };
    };
    doctor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoctorReport"];
                };
            };
        };
    };
    folders: {
        parameters: {
            query?: {
                /** @description An absolute path, or one below `~`; the home folder when absent. */
                path?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Folders"];
                };
            };
        };
    };
    projects: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; 200 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPart"];
                };
            };
        };
    };
    addProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "path": "/srv/code/shop"
                 *     }
                 */
                "application/json": components["schemas"]["ProjectAdd"];
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    scanProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Scanned"];
                };
            };
        };
    };
    project: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    removeProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": null;
                };
            };
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Shop"
                 *     }
                 */
                "application/json": {
                    /** @description What to call it; none calls it by its folder. */
                    title?: string | null;
                };
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    choices: {
        parameters: {
            query?: {
                /** @description The default one when absent. */
                agent?: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentChoices"];
                };
            };
        };
    };
    comments: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description Up to 200; 100 unless given. */
                limit?: number;
                /** @description Only those on this file. */
                path?: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewComments"];
                };
            };
        };
    };
    addComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Why twice?",
                 *       "line": 3,
                 *       "path": "src/main.rs"
                 *     }
                 */
                "application/json": {
                    /** @description Who says it; the client's name unless given. */
                    author?: string | null;
                    /** @description What there is to say; 10,000 characters at most. */
                    body: string;
                    /**
                     * Format: uint32
                     * @description The last line it is about.
                     */
                    endLine?: number | null;
                    /**
                     * Format: uint32
                     * @description The line it is about, from 1.
                     */
                    line?: number | null;
                    /** @description The file, from the project's folder. */
                    path: string;
                    severity?: components["schemas"]["Severity"];
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewComment"];
                };
            };
        };
    };
    removeComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                commentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": null;
                };
            };
        };
    };
    resolveComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                commentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resolved": true
                 *     }
                 */
                "application/json": {
                    resolved: boolean;
                };
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewComment"];
                };
            };
        };
    };
    diff: {
        parameters: {
            query?: {
                /** @description Only of this file or folder. */
                path?: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diff"];
                };
            };
        };
    };
    file: {
        parameters: {
            query: {
                /** @description The first line, counted from 1; 1 when absent. */
                from?: number;
                /** @description How many lines, at most 10,000; 2,000 when absent. */
                lines?: number;
                /** @description Below the project's folder. */
                path: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileView"];
                };
            };
        };
    };
    files: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; 500 when absent. */
                limit?: number;
                /** @description Below the project's folder; empty is the folder itself. */
                path?: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileList"];
                };
            };
        };
    };
    findFiles: {
        parameters: {
            query?: {
                /**
                 * @description In their order, wherever in the path, capital or not; none for what
                 *     changed last. At most 200.
                 */
                letters?: string;
                /** @description At most 200; 40 when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundFiles"];
                };
            };
        };
    };
    searchFiles: {
        parameters: {
            query: {
                /** @description Only below this folder. */
                below?: string;
                /** @description Capitals count. */
                exactCase?: boolean;
                /** @description Lines, at most 1000; 200 when absent. */
                limit?: number;
                /** @description It is a regular expression. */
                regex?: boolean;
                /** @description At most 500 characters, in one line. */
                text: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchedFiles"];
                };
            };
        };
    };
    history: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; all of them when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PastSessionPart"];
                };
            };
        };
    };
    importSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                agentSessionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRow"];
                };
            };
        };
    };
    moveProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "to": "/srv/code/store"
                 *     }
                 */
                "application/json": {
                    /** @description The folder as it is now, as an absolute path. */
                    to: string;
                };
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    projectSessions: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; 100 when absent. */
                limit?: number;
                /** @description Leaves ended ones out, and those that are asleep. */
                running?: boolean;
                state?: components["schemas"]["ListedState"];
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sessions"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": "demo",
                 *       "prompt": "Fix the failing test"
                 *     }
                 */
                "application/json": {
                    addDirs?: string[] | null;
                    agent?: string | null;
                    appendSystemPrompt?: string | null;
                    attachments?: components["schemas"]["AttachmentBody"][];
                    betas?: string[] | null;
                    checkpointing?: boolean | null;
                    /** @description A folder within that for the agent to begin in, as an absolute path. */
                    cwd?: string | null;
                    debugFile?: string | null;
                    /** @description How hard the model tries, in a word of the agent's. */
                    effort?: string | null;
                    /**
                     * @description Variables of its agents beside those that all have. Their values are
                     *     kept apart from the log, which has the names and a mask for each value.
                     */
                    env?: {
                        [key: string]: string;
                    } | null;
                    fallbackModel?: string | null;
                    /**
                     * @description With `resume`: leaves that conversation as it is, and goes on from a
                     *     copy of it in a new session.
                     */
                    fork?: boolean;
                    /** Format: double */
                    maxBudgetUsd?: number | null;
                    /** Format: uint32 */
                    maxThinkingTokens?: number | null;
                    /** Format: uint32 */
                    maxTurns?: number | null;
                    mcpServers?: components["schemas"]["Json"] | null;
                    messageId?: components["schemas"]["MessageId"] | null;
                    /** @description `structured` when absent. A terminal cannot be opened yet. */
                    mode?: components["schemas"]["Mode"] | null;
                    model?: string | null;
                    outputSchema?: components["schemas"]["Json"] | null;
                    permissionMode?: components["schemas"]["PermissionMode"] | null;
                    prompt?: string | null;
                    /**
                     * @description Goes on with this conversation: the id of a session here, which is then
                     *     the answer, or the agent's own id of one that was begun elsewhere. It
                     *     keeps what it was made with, so only a message may go with it.
                     */
                    resume?: string | null;
                    /** @description How its processes relate to turns; absent is as the settings say. */
                    runtime?: components["schemas"]["Runtime"] | null;
                    settingSources?: string[] | null;
                    strictMcpConfig?: boolean | null;
                    title?: string | null;
                    toolPreset?: string | null;
                    tools?: string[] | null;
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRow"];
                };
            };
        };
    };
    trust: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderTrust"];
                };
            };
        };
    };
    setTrust: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accept": false
                 *     }
                 */
                "application/json": {
                    /** @description Absent only asks what there is. */
                    accept?: boolean | null;
                    /** @description Names what is accepted, as it was shown. */
                    digest?: string | null;
                };
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderTrust"];
                };
            };
        };
    };
    rules: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; all of it when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulePart"];
                };
            };
        };
    };
    addRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "allow",
                 *       "rule": "Bash(git status:*)",
                 *       "scope": "user"
                 *     }
                 */
                "application/json": components["schemas"]["RuleBody"];
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
        };
    };
    offeredRules: {
        parameters: {
            query?: {
                /** @description Its own settings are read too, unless it holds what nobody accepted. */
                project?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfferedRules"];
                };
            };
        };
    };
    takeRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [],
                 *       "scope": "user"
                 *     }
                 */
                "application/json": components["schemas"]["RulesTake"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulePart"];
                };
            };
        };
    };
    previewRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "allow",
                 *       "rule": "Bash(git status:*)"
                 *     }
                 */
                "application/json": components["schemas"]["RulePreview"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleTriedPart"];
                };
            };
        };
    };
    removeRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ruleId: components["schemas"]["RuleId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    search: {
        parameters: {
            query: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 200; 50 when absent. */
                limit?: number;
                /** @description Only in this project: its slug, id or path. */
                project?: string;
                /** @description All of them must occur; the last one may be a beginning. */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchHitPart"];
                };
            };
        };
    };
    sessions: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; 100 when absent. */
                limit?: number;
                /** @description Only those of this project: its slug, id or path. */
                project?: string;
                /** @description Leaves ended ones out, and those that are asleep. */
                running?: boolean;
                state?: components["schemas"]["ListedState"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sessions"];
                };
            };
        };
    };
    session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    updateSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Fix the flaky test"
                 *     }
                 */
                "application/json": components["schemas"]["SessionUpdate"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
        };
    };
    approve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
                approvalId: components["schemas"]["ApprovalId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "allow"
                 *     }
                 */
                "application/json": {
                    /** @description Of a question: answer by the question's text. */
                    answers?: {
                        [key: string]: string;
                    } | null;
                    decision: components["schemas"]["Decision"];
                    /** @description Said to the agent. */
                    denyMessage?: string | null;
                    /** @description Denies and stops the turn. */
                    interrupt?: boolean;
                    /** @description Of a plan: the mode to go on in. */
                    mode?: components["schemas"]["PermissionMode"] | null;
                    /** @description The whole input to use instead. */
                    modifiedInput?: components["schemas"]["Json"] | null;
                    /** @description A rule to remember with the answer. */
                    rule?: string | null;
                    /** @description How far the answer is remembered. */
                    scope?: components["schemas"]["Scope"] | null;
                    /** @description Nobody was asked: the client denies because it has nobody to ask. */
                    unattended?: boolean;
                };
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    setBudget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "maxBudgetUsd": 5
                 *     }
                 */
                "application/json": components["schemas"]["Budget"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    checkpoints: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; all of it when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointPart"];
                };
            };
        };
    };
    slashCommands: {
        parameters: {
            query?: {
                /** @description `next` of an earlier answer. */
                cursor?: string;
                /** @description At most 1,000; all of it when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlashCommandPart"];
                };
            };
        };
    };
    events: {
        parameters: {
            query?: {
                /** @description Only events with a greater number; from the beginning when absent. */
                after?: number;
                /** @description At most 5,000; 500 when absent. Fewer come when they are large. */
                limit?: number;
            };
            header?: {
                /** @description Of a stream: where it broke off; counts more than `after`. */
                "Last-Event-ID"?: string;
            };
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                    "text/event-stream": string;
                };
            };
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    export: {
        parameters: {
            query?: {
                /** @description `ndjson` when absent. */
                format?: components["schemas"]["ExportFormat"];
                /**
                 * @description Of a copy of another session: that one's events up to the copy come first. Text to read always
                 *     has them.
                 */
                past?: boolean;
            };
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/html": string;
                    "text/markdown": string;
                };
            };
        };
    };
    fork: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Fork"];
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRow"];
                };
            };
        };
    };
    image: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
                imageId: components["schemas"]["BlobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
        };
    };
    interrupt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    chooseMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "memory": "log"
                 *     }
                 */
                "application/json": components["schemas"]["MemoryBody"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    sendMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "queue": true,
                 *       "text": "Now run the tests."
                 *     }
                 */
                "application/json": components["schemas"]["MessageBody"];
            };
        };
        responses: {
            /** @description It was taken. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageAnswer"];
                };
            };
        };
    };
    takeBack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
                messageId: components["schemas"]["MessageId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    editQueued: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
                messageId: components["schemas"]["MessageId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Now run all tests."
                 *     }
                 */
                "application/json": {
                    text: string;
                };
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    moveQueued: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
                messageId: components["schemas"]["MessageId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description The one that it shall stand before; absent is at the end. */
                    before?: components["schemas"]["MessageId"] | null;
                };
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    sendNow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
                messageId: components["schemas"]["MessageId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    setModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "opus"
                 *     }
                 */
                "application/json": components["schemas"]["Model"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    setPermissionMode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mode": "plan"
                 *     }
                 */
                "application/json": components["schemas"]["PermissionModeBody"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    holdQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    releaseQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    rewind: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "checkpointId": "8d7f7a1e-2f9b-4c64-9b3c-0d1b8a1f1a11",
                 *       "dryRun": true
                 *     }
                 */
                "application/json": components["schemas"]["Rewind"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rewound"];
                };
            };
        };
    };
    shareSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hours": 24
                 *     }
                 */
                "application/json": components["schemas"]["ShareBody"];
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareAnswer"];
                };
            };
        };
    };
    stop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    stopTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "taskId": "b7c1f2a90"
                 *     }
                 */
                "application/json": components["schemas"]["StopTask"];
            };
        };
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    toolOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["SessionId"];
                toolUseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    upload: {
        parameters: {
            query: {
                /** @description What it is said to be; absent leaves it to the name and the bytes. */
                mediaType?: string;
                /** @description What the file is called. */
                name: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Uploaded"];
                };
            };
        };
    };
    usage: {
        parameters: {
            query?: {
                /** @description The first day in UTC, such as `2026-11-15`. */
                from?: string;
                /** @description A slug, id or path. */
                project?: string;
                /** @description The last one. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
        };
    };
    webSocket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
}
