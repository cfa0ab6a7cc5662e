// Generated from schema/openapi.json by `npm run gen`; do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What a signed-in client may do. Each may do all that those before it may. */
        AccessScope: "observe" | "operate" | "admin";
        /** @description An agent that can be used. */
        AgentFound: {
            name: string;
            /** @description What its program says; none if it does not say, or has not yet. */
            version?: string | null;
        };
        /** @description `agent.retry` */
        AgentRetry: {
            /** Format: uint32 */
            attempt: number;
            /** Format: uint64 */
            delayMs: number;
            /** Format: uint32 */
            maxAttempts?: number | null;
            reason: string;
        };
        /** @description `agent.unknown` */
        AgentUnknown: {
            /** @description What the agent said; a line that is no JSON is a string. */
            raw: components["schemas"]["Json"];
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
            /** @default [] */
            suggestions: components["schemas"]["Suggestion"][];
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
            rule?: string | null;
            ruleId?: components["schemas"]["RuleId"] | null;
            scope?: components["schemas"]["Scope"] | null;
            /**
             * @description `client` denied because it had nobody to ask: no person and no mode
             *     decided, though `by` is `mode`.
             */
            unattended?: boolean;
        };
        /** @description An answer to an approval; the first wins. */
        Approve: {
            /** @description Of a question: answer by the question's text. */
            answers?: {
                [key: string]: string;
            } | null;
            approvalId: components["schemas"]["ApprovalId"];
            decision: components["schemas"]["Decision"];
            /** @description Said to the agent. */
            denyMessage?: string | null;
            /**
             * @description Denies and stops the turn.
             * @default false
             */
            interrupt: boolean;
            /** @description Of a plan: the mode to go on in. */
            mode?: components["schemas"]["PermissionMode"] | null;
            /** @description The whole input to use instead. */
            modifiedInput?: components["schemas"]["Json"] | null;
            /** @description A rule to remember with the answer. */
            rule?: string | null;
            /** @description How far the answer is remembered. */
            scope?: components["schemas"]["Scope"] | null;
            /**
             * @description Nobody was asked: the client denies because it has nobody to ask.
             * @default false
             */
            unattended: boolean;
        };
        /** @description One finished block of the assistant: text or thinking. */
        AssistantBlock: {
            /**
             * @description Cut short by an interrupt.
             * @default false
             */
            aborted: boolean;
            /** @description The agent's own row id. */
            agentUuid?: string | null;
            /** Format: uint32 */
            block: number;
            content: string;
            /** @description The model API's id, shared by the blocks of one answer. */
            messageId: string;
            model?: string | null;
            parentToolUseId?: string | null;
            /** @description Provisional; `turn.completed` counts. */
            usage?: components["schemas"]["Usage"] | null;
        };
        /** @description `assistant.message` */
        AssistantMessage: components["schemas"]["AssistantBlock"];
        /** @description `assistant.thinking` */
        AssistantThinking: components["schemas"]["AssistantBlock"];
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
        /** @description `checkpoint.created`: only messages that began a turn have one. */
        CheckpointCreated: {
            checkpointId: components["schemas"]["MessageId"];
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
            /** @default 0 */
            after: components["schemas"]["Seq"];
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
            command: "create" | "message" | "take_back" | "interrupt" | "stop-task" | "stop" | "resume" | "fork" | "model" | "permission-mode" | "rewind" | "checkpoints" | "title" | "budget" | "memory" | "approve" | "sessions" | "session" | "delete" | "approvals" | "approvals.past" | "rules" | "rule.add" | "rule.remove" | "rule.preview" | "rules.offered" | "rules.take" | "trust" | "history" | "import" | "commands" | "projects" | "project" | "project.add" | "project.remove" | "project.update" | "project.move" | "project.scan" | "files" | "file" | "diff" | "comments" | "comment.add" | "comment.resolve" | "comment.remove" | "search" | "usage" | "backup" | "retain" | "doctor";
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
        /** @description A remark to keep. */
        CommentAdd: {
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
            project: string;
            /** @default suggestion */
            severity: components["schemas"]["Severity"];
        };
        /** @description Takes a remark off the list for good. */
        CommentRemove: {
            commentId: string;
            project: string;
        };
        /** @description Settles a remark, or opens it again. */
        CommentResolve: {
            commentId: string;
            project: string;
            resolved: boolean;
        };
        /**
         * @description What a file holds, told from its bytes.
         * @enum {string}
         */
        ContentKind: "text" | "image" | "binary";
        /** @description `context.compacted` */
        ContextCompacted: {
            /** Format: uint64 */
            tokensAfter?: number | null;
            /** Format: uint64 */
            tokensBefore?: number | null;
            trigger: string;
        };
        /** @description `context.usage` */
        ContextUsage: {
            /** Format: uint64 */
            tokens: number;
            /** Format: uint64 */
            window: number;
        };
        /** @description A session to be made. */
        Create: {
            addDirs?: string[] | null;
            agent?: string | null;
            appendSystemPrompt?: string | null;
            attachments?: components["schemas"]["AttachmentBody"][];
            betas?: string[] | null;
            checkpointing?: boolean | null;
            /** @description A folder within that for the agent to begin in, as an absolute path. */
            cwd?: string | null;
            debugFile?: string | null;
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
            /**
             * @description The folder it works in, as an absolute path.
             * @default
             */
            project: string;
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
            id: components["schemas"]["DeviceId"];
            /** @description To the minute. */
            lastUsedAt: components["schemas"]["Timestamp"];
            /** @description Who made its link: a device's id, `token` or `terminal`. */
            letInBy?: string | null;
            name: string;
            scope: components["schemas"]["AccessScope"];
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
        /** @description Which changes. */
        DiffBody: {
            /** @description Only of this file or folder. */
            path?: string | null;
            project: string;
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
        /** @description How a session ended. */
        EndStatus: ("completed" | "failed") | "stopped" | "asleep";
        /** @description Work beside the conversation that has ended. */
        EndedWork: {
            description?: string | null;
            id: string;
            kind: components["schemas"]["WorkKind"];
            status: components["schemas"]["TaskStatus"];
        };
        Envelope: {
            agentId: string | null;
            payload: components["schemas"]["SessionCreated"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "session.created";
        } | {
            agentId: string | null;
            payload: components["schemas"]["SessionStarted"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "session.started";
        } | {
            agentId: string | null;
            payload: components["schemas"]["SessionStateChanged"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "session.state";
        } | {
            agentId: string | null;
            payload: components["schemas"]["SessionUpdated"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "session.updated";
        } | {
            agentId: string | null;
            payload: components["schemas"]["SessionEnded"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "session.ended";
        } | {
            agentId: string | null;
            payload: components["schemas"]["TurnStarted"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "turn.started";
        } | {
            agentId: string | null;
            payload: components["schemas"]["TurnCompleted"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "turn.completed";
        } | {
            agentId: string | null;
            payload: components["schemas"]["UserMessage"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "user.message";
        } | {
            agentId: string | null;
            payload: components["schemas"]["MessageDelivered"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "message.delivered";
        } | {
            agentId: string | null;
            payload: components["schemas"]["MessageRemoved"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "message.removed";
        } | {
            agentId: string | null;
            payload: components["schemas"]["AssistantMessage"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "assistant.message";
        } | {
            agentId: string | null;
            payload: components["schemas"]["AssistantThinking"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "assistant.thinking";
        } | {
            agentId: string | null;
            payload: components["schemas"]["ToolRequested"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            /** @description Texts in the payload that look like credentials, for screens to cover. Found when it is read, and never in the log. */
            secrets?: components["schemas"]["Secret"][];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "tool.requested";
        } | {
            agentId: string | null;
            payload: components["schemas"]["ToolCompleted"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "tool.completed";
        } | {
            agentId: string | null;
            payload: components["schemas"]["ApprovalRequested"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            /** @description Texts in the payload that look like credentials, for screens to cover. Found when it is read, and never in the log. */
            secrets?: components["schemas"]["Secret"][];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "approval.requested";
        } | {
            agentId: string | null;
            payload: components["schemas"]["ApprovalResolved"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            /** @description Texts in the payload that look like credentials, for screens to cover. Found when it is read, and never in the log. */
            secrets?: components["schemas"]["Secret"][];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "approval.resolved";
        } | {
            agentId: string | null;
            payload: components["schemas"]["SubagentStarted"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "subagent.started";
        } | {
            agentId: string | null;
            payload: components["schemas"]["SubagentStopped"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "subagent.stopped";
        } | {
            agentId: string | null;
            payload: components["schemas"]["TaskUpdated"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "task.updated";
        } | {
            agentId: string | null;
            payload: components["schemas"]["TodoUpdated"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "todo.updated";
        } | {
            agentId: string | null;
            payload: components["schemas"]["ImageOutput"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "image.output";
        } | {
            agentId: string | null;
            payload: components["schemas"]["ContextUsage"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "context.usage";
        } | {
            agentId: string | null;
            payload: components["schemas"]["ContextCompacted"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "context.compacted";
        } | {
            agentId: string | null;
            payload: components["schemas"]["CheckpointCreated"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "checkpoint.created";
        } | {
            agentId: string | null;
            payload: components["schemas"]["FilesRewound"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "files.rewound";
        } | {
            agentId: string | null;
            payload: components["schemas"]["ModelChanged"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "model.changed";
        } | {
            agentId: string | null;
            payload: components["schemas"]["PermissionModeChanged"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "permission_mode.changed";
        } | {
            agentId: string | null;
            payload: components["schemas"]["Notification"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "notification";
        } | {
            agentId: string | null;
            payload: components["schemas"]["RuntimeFallback"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "runtime.fallback";
        } | {
            agentId: string | null;
            payload: components["schemas"]["AgentRetry"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "agent.retry";
        } | {
            agentId: string | null;
            payload: components["schemas"]["AgentUnknown"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "agent.unknown";
        } | {
            agentId: string | null;
            payload: components["schemas"]["ErrorRaised"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "error";
        } | {
            agentId: string | null;
            payload: components["schemas"]["PtyOpened"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "pty.opened";
        } | {
            agentId: string | null;
            payload: components["schemas"]["PtyResized"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "pty.resized";
        } | {
            agentId: string | null;
            payload: components["schemas"]["PtyClosed"];
            projectId: components["schemas"]["ProjectId"];
            runnerId: components["schemas"]["RunnerId"];
            seq: components["schemas"]["Seq"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "pty.closed";
        };
        /** @description What kind of trouble an `error` event tells of. */
        ErrorCode: ("rate_limit" | "overloaded" | "model_not_found" | "invalid_request" | "network" | "timeout" | "budget" | "internal") | "auth" | "agent_missing" | "agent_exited" | "agent_lost" | "agent_garbled" | "agent_silent" | "agent_refused" | "turn_limit" | "session_limit";
        /** @description `error` */
        ErrorRaised: {
            code: components["schemas"]["ErrorCode"];
            /** @description The technical words, for a closer look. */
            detail?: string | null;
            /** @description What to do about it. */
            hint?: string | null;
            message: string;
            retryAt?: components["schemas"]["Timestamp"] | null;
            /** @default false */
            retryable: boolean;
        };
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
        /** @description Which events. */
        EventsQuery: {
            /**
             * Format: uint64
             * @description Only events with a greater number; from the beginning when absent.
             * @default null
             */
            after: number | null;
            /**
             * Format: uint32
             * @description At most 5,000; 500 when absent. Fewer come when they are large.
             * @default null
             */
            limit: number | null;
        };
        /** @description How a session is written. */
        ExportFormat: "ndjson" | "markdown";
        ExportQuery: {
            /**
             * @description `ndjson` when absent.
             * @default ndjson
             */
            format: components["schemas"]["ExportFormat"];
            /**
             * @description Of a copy of another session: that one's events up to the copy come first. Text to read always
             *     has them.
             * @default false
             */
            past: boolean;
        };
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
        /** @description `files.rewound`: edits by file tools only, not what shell commands did. */
        FilesRewound: {
            checkpointId: components["schemas"]["MessageId"];
            /** @default [] */
            files: string[];
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
        /** @description What a project's own files leave of a session's tools. */
        FolderTools: {
            /** @description Those that ask. */
            ask?: string[];
            /** @description Rules of `.claude/settings.json` and `settings.local.json` that deny. */
            deny?: string[];
            /** @description What `.baton/permissions.json` leaves; absent, it takes none away. */
            only?: string[] | null;
        };
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
        Fork: {
            /** @description A row of the agent to cut after; absent is the end. */
            at?: string | null;
        };
        /** @description It is well. */
        Health: {
            ok: boolean;
        };
        History: {
            /** @description `next` of an earlier answer. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description At most 1,000; all of them when absent.
             */
            limit?: number | null;
            /** @description The folder, as an absolute path. */
            project: string;
        };
        /** @description Lines that change together, with a little around them. */
        Hunk: {
            /** @default [] */
            lines: components["schemas"]["DiffLine"][];
            /** Format: uint32 */
            newStart: number;
            /** Format: uint32 */
            oldStart: number;
        };
        /** @description `image.output` */
        ImageOutput: {
            /** Format: uint64 */
            bytes: number;
            /** Format: uint32 */
            height?: number | null;
            imageId: components["schemas"]["BlobId"];
            mediaType: string;
            toolUseId?: string | null;
            /** Format: uint32 */
            width?: number | null;
        };
        /** @description A session that was begun elsewhere. The same one again is the same session. */
        Import: {
            /** @description The agent's name for it. */
            agentSessionId: string;
            /** @description The folder it was begun in, as an absolute path. */
            project: string;
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
        /** @description Which remarks to list. */
        ListComments: {
            /** @description `next` of an earlier answer. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description Up to 200; 100 unless given.
             */
            limit?: number | null;
            /** @description Only those on this file. */
            path?: string | null;
            /** @default  */
            project: string;
        };
        /** @description Which folder's entries: folders first, by name. */
        ListFiles: {
            /** @description `next` of an earlier answer. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description At most 1,000; 500 when absent.
             */
            limit?: number | null;
            /**
             * @description Below the project's folder; empty is the folder itself.
             * @default
             */
            path: string;
            project: string;
        };
        /** @description Which part of a list. */
        ListPart: {
            /** @description `next` of an earlier answer. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description At most 1,000; all of it when absent.
             */
            limit?: number | null;
        };
        /** @description Which answered approvals, the newest first. */
        ListPastApprovals: {
            /** @description `next` of an earlier answer. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description At most 500; 100 when absent. Fewer come when they are large.
             */
            limit?: number | null;
            /** @description Only those of this project: its slug, id or path. */
            project?: string | null;
        };
        /** @description Which projects, the last used first. */
        ListProjects: {
            /** @description `next` of an earlier answer. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description At most 1,000; 200 when absent.
             */
            limit?: number | null;
        };
        /** @description Which sessions, the latest activity first. */
        ListSessions: {
            /** @description `next` of an earlier answer. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description At most 1,000; 100 when absent.
             */
            limit?: number | null;
            /** @description Only those of this project: its slug, id or path. */
            project?: string | null;
            /**
             * @description Leaves ended ones out, and those that are asleep.
             * @default false
             */
            running: boolean;
            state?: components["schemas"]["ListedState"] | null;
        };
        /**
         * @description Where a session stands, for lists. One that is asleep has ended, but not
         *     for good: the next message wakes it.
         */
        ListedState: ("starting" | "processing" | "waiting" | "idle" | "asleep") | "ended";
        LiveFrame: {
            after: components["schemas"]["Seq"];
            payload: components["schemas"]["TextDelta"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "assistant.delta";
        } | {
            after: components["schemas"]["Seq"];
            payload: components["schemas"]["TextDelta"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "thinking.delta";
        } | {
            after: components["schemas"]["Seq"];
            payload: components["schemas"]["ToolProgress"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "tool.progress";
        } | {
            after: components["schemas"]["Seq"];
            payload: components["schemas"]["PtyData"];
            sessionId: components["schemas"]["SessionId"];
            ts: components["schemas"]["Timestamp"];
            turn: components["schemas"]["Turn"];
            /** @constant */
            type: "pty.data";
        };
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
        /** @description An MCP server as the agent sees it at start. */
        McpServerState: {
            name: string;
            status: string;
        };
        Memory: {
            /** @description What is done about it from the next message on; `refuse` leaves it open. */
            memory: components["schemas"]["Remedy"];
        };
        /** @description How an agent came to lack a part of a session's past. */
        MemoryLoss: "gone" | "behind" | "torn";
        /** @description A past that the agent lacks, and what is done about it. */
        MemoryLost: {
            /** @description What it lacks begins after this event. */
            after: components["schemas"]["Seq"];
            reason: components["schemas"]["MemoryLoss"];
            remedy: components["schemas"]["Remedy"];
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
            /**
             * @description Whether it waits when a turn is running, or is refused.
             * @default false
             */
            queue: boolean;
            /** @default  */
            text: string;
        };
        /** @description `message.delivered` */
        MessageDelivered: {
            messageId: components["schemas"]["MessageId"];
        };
        MessageId: string;
        /** @description `message.removed` */
        MessageRemoved: {
            client?: components["schemas"]["ClientRef"] | null;
            messageId: components["schemas"]["MessageId"];
            /** @description Why, where nobody took it back: the session ended before its turn came. */
            reason?: string | null;
        };
        /**
         * @description How a session is driven.
         * @enum {string}
         */
        Mode: "structured" | "terminal";
        Model: {
            /** @description Absent is the agent's default. */
            model?: string | null;
        };
        /** @description `model.changed` */
        ModelChanged: {
            model?: string | null;
            reason?: string | null;
        };
        /** @description A folder that is somewhere else than before. */
        Moved: {
            /** @description The folder of the project as it was. */
            from: string;
            /** @description The project as it is called since; the events after this one name it. */
            projectId: components["schemas"]["ProjectId"];
            to: string;
        };
        /** @description The payload of a command that needs none. */
        Nothing: Record<string, never>;
        /** @description `notification` */
        Notification: {
            kind: string;
            message: string;
            title?: string | null;
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
        /**
         * @description Who began a turn.
         * @enum {string}
         */
        Origin: "user" | "agent" | "schedule";
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
        /** @description `permission_mode.changed` */
        PermissionModeChanged: {
            /** @description `user`, `agent` or `plan`. */
            by: string;
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
            /** @description The folder, as an absolute path. */
            path: string;
            title?: string | null;
        };
        ProjectId: string;
        /** @description Where a project's folder is now. It was moved already; nothing of it is touched. */
        ProjectMove: {
            project: string;
            /** @description The folder as it is now, as an absolute path. */
            to: string;
        };
        /** @description Names one project. */
        ProjectName: {
            project: string;
        };
        /** @description Part of a list. */
        ProjectPart: {
            items: components["schemas"]["Project"][];
            /** @description Where the next part begins; none at the end. */
            next?: string | null;
        };
        /** @description What is to change about a project. */
        ProjectUpdate: {
            project: string;
            /**
             * @description What to call it; none calls it by its folder.
             * @default null
             */
            title: string | null;
        };
        /** @description `pty.closed` */
        PtyClosed: {
            /** Format: int32 */
            exitCode?: number | null;
            /** Format: int32 */
            signal?: number | null;
        };
        /** @description Bytes of a terminal, base64. */
        PtyData: {
            data: string;
        };
        /** @description `pty.opened` */
        PtyOpened: {
            /** Format: uint16 */
            cols: number;
            /** Format: uint16 */
            rows: number;
            /** @default false */
            useTmux: boolean;
        };
        /** @description `pty.resized` */
        PtyResized: {
            /** Format: uint16 */
            cols: number;
            /** Format: uint16 */
            rows: number;
        };
        /** @description A message that waits for a turn. */
        QueuedMessage: {
            attachments: components["schemas"]["Attachment"][];
            messageId: components["schemas"]["MessageId"];
            queuedAt: components["schemas"]["Timestamp"];
            text: string;
        };
        /** @description Which lines of which file. */
        ReadFile: {
            /**
             * Format: uint64
             * @description The first line, counted from 1; 1 when absent.
             */
            from?: number | null;
            /**
             * Format: uint32
             * @description How many lines, at most 10,000; 2,000 when absent.
             */
            lines?: number | null;
            /** @description Below the project's folder. */
            path: string;
            project: string;
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
            /**
             * @description Only says which files.
             * @default false
             */
            dryRun: boolean;
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
        RuleRemove: {
            ruleId: components["schemas"]["RuleId"];
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
        /** @description Whose rules are offered: the user's, and those of a project. */
        RulesOffered: {
            /** @description Its own settings are read too, unless it holds what nobody accepted. */
            project?: string | null;
        };
        /** @description Rules to be taken over, all or none. Only what is offered can be. */
        RulesTake: {
            /** @description The project that they are for, or whose rules are among them. */
            project?: string | null;
            rules: components["schemas"]["RuleChoice"][];
            /** @description For the user or for a project. */
            scope: components["schemas"]["Scope"];
        };
        RunnerId: string;
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
        /** @description `runtime.fallback` */
        RuntimeFallback: {
            continuedBy?: components["schemas"]["MessageId"] | null;
            /**
             * Format: double
             * @description What the turn has cost so far, where the lost process told it.
             *     `turn.completed` counts it in.
             */
            costUsd?: number | null;
            from: components["schemas"]["Runtime"];
            reason: string;
            /**
             * @description From here on the agent answers in plain text: it asks nobody anything,
             *     and only reads unless the session is in bypass.
             */
            textOutput?: boolean;
            to: components["schemas"]["Runtime"];
            usage?: components["schemas"]["Usage"] | null;
        };
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
        /** @description Words to look for in everything that was said, the newest first. */
        Search: {
            /** @description `next` of an earlier answer. */
            cursor?: string | null;
            /**
             * Format: uint32
             * @description At most 200; 50 when absent.
             */
            limit?: number | null;
            /** @description Only in this project: its slug, id or path. */
            project?: string | null;
            /** @description All of them must occur; the last one may be a beginning. */
            q: string;
        };
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
        /** @description `session.created` */
        SessionCreated: {
            /** @description Which agent runs it: `claude`, `demo`. */
            agent: string;
            cwd: string;
            /**
             * @description The message or agent row it was cut at; `end` for a whole copy of a
             *     conversation that was begun outside Baton.
             */
            forkedAt?: string | null;
            forkedFrom?: components["schemas"]["SessionId"] | null;
            mode: components["schemas"]["Mode"];
            options: components["schemas"]["SessionOptions"];
            /** @description The folder of its project, where that is not `cwd` but around it. */
            project?: string | null;
            /** @description The agent's own session that it takes up, begun outside Baton. */
            resumes?: string | null;
            runtime: components["schemas"]["Runtime"];
            title?: string | null;
        };
        /** @description `session.ended` */
        SessionEnded: {
            error?: string | null;
            /** Format: int32 */
            exitCode?: number | null;
            reason?: string | null;
            status: components["schemas"]["EndStatus"];
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
            /** @description Messages that wait for a turn, the oldest first. */
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
        /** @description What a session was asked to run with. Absent means the default. */
        SessionOptions: {
            addDirs?: string[] | null;
            appendSystemPrompt?: string | null;
            betas?: string[] | null;
            checkpointing?: boolean | null;
            debugFile?: string | null;
            /**
             * @description Variables of its agents beside those that all have. Their values are
             *     kept apart from the log, which has the names and a mask for each value.
             */
            env?: {
                [key: string]: string;
            } | null;
            fallbackModel?: string | null;
            /** Format: double */
            maxBudgetUsd?: number | null;
            /** Format: uint32 */
            maxThinkingTokens?: number | null;
            /** Format: uint32 */
            maxTurns?: number | null;
            mcpServers?: components["schemas"]["Json"] | null;
            model?: string | null;
            outputSchema?: components["schemas"]["Json"] | null;
            permissionMode?: components["schemas"]["PermissionMode"] | null;
            settingSources?: string[] | null;
            strictMcpConfig?: boolean | null;
            toolPreset?: string | null;
            tools?: string[] | null;
        };
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
             * @description From the start to the last event.
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
        /** @description `session.started`: each time a process takes the session up. */
        SessionStarted: {
            agentSessionId?: string | null;
            agentVersion?: string | null;
            /** @default [] */
            mcpServers: components["schemas"]["McpServerState"][];
            model?: string | null;
            permissionMode?: components["schemas"]["PermissionMode"] | null;
            /** Format: uint32 */
            pid?: number | null;
            /** @default [] */
            slashCommands: string[];
            /** @default [] */
            tools: string[];
        };
        /** @description Where a session stands. */
        SessionState: ("starting" | "processing" | "idle" | "ended") | "waiting";
        /** @description `session.state` */
        SessionStateChanged: {
            reason?: string | null;
            state: components["schemas"]["SessionState"];
        };
        /** @description How a session stands as a whole: `running` until it ends. */
        SessionStatus: ("running" | "completed" | "stopped" | "failed") | "asleep";
        /** @description What is to change about a session, over HTTP. */
        SessionUpdate: {
            /** @default null */
            title: string | null;
        };
        /** @description `session.updated`: only what changed. */
        SessionUpdated: {
            agentSessionId?: string | null;
            /**
             * @description What the project's own files leave of the tools from here on. They take
             *     away at once and give nothing back before a person has accepted them.
             */
            folderTools?: components["schemas"]["FolderTools"] | null;
            /**
             * @description The agent was found to lack a part of the past, before it was given a
             *     message.
             */
            memoryLost?: components["schemas"]["MemoryLost"] | null;
            /** @description Its project's folder is another from here on. */
            moved?: components["schemas"]["Moved"] | null;
            /**
             * @description All that it runs with from its next process on, instead of what it was
             *     made with.
             */
            options?: components["schemas"]["SessionOptions"] | null;
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
             * @description From the start to the last event.
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
        /**
         * @description Why a turn ended.
         * @enum {string}
         */
        StopReason: "end" | "interrupted" | "timeout" | "max_turns" | "budget" | "error";
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
        /** @description `subagent.started` */
        SubagentStarted: {
            agentId: string;
            agentType?: string | null;
            description?: string | null;
            parentToolUseId?: string | null;
        };
        /** @description `subagent.stopped` */
        SubagentStopped: {
            agentId: string;
            agentType?: string | null;
            description?: string | null;
            parentToolUseId?: string | null;
            /**
             * @description The last that it said: its answer, where it came to one. One that is too
             *     long is cut; whole it is in its own `assistant.message`.
             */
            result?: string | null;
            status: components["schemas"]["TaskStatus"];
        };
        /** @description A rule that would answer this and similar questions. */
        Suggestion: {
            rule: string;
            scope: components["schemas"]["Scope"];
        };
        TakeBack: {
            messageId: components["schemas"]["MessageId"];
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
        /** @description More text of a block that is being written. */
        TextDelta: {
            /** Format: uint32 */
            block: number;
            messageId: string;
            /**
             * Format: uint64
             * @description Where `text` begins within the block, in UTF-16 code units.
             */
            offset: number;
            text: string;
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
        /** @description `todo.updated`: the whole list. */
        TodoUpdated: {
            /** @default [] */
            items: components["schemas"]["TodoItem"][];
        };
        /** @description `tool.completed` */
        ToolCompleted: {
            /** Format: uint64 */
            bytes?: number | null;
            /** @description What the tool tells a screen beyond its text, such as the patch of an edit. */
            detail?: components["schemas"]["Json"] | null;
            /** Format: uint64 */
            durationMs: number;
            /** @default [] */
            images: components["schemas"]["BlobId"][];
            /** @default false */
            isError: boolean;
            name: string;
            /** @description What the model sees, as text. */
            output: string;
            outputBlob?: components["schemas"]["BlobId"] | null;
            parentToolUseId?: string | null;
            toolUseId: string;
            /**
             * @description The whole output is longer; `bytes` says how long.
             * @default false
             */
            truncated: boolean;
        };
        /** @description A tool is still running. */
        ToolProgress: {
            /** Format: uint64 */
            elapsedMs: number;
            toolUseId: string;
        };
        /** @description `tool.requested` */
        ToolRequested: {
            input: components["schemas"]["Json"];
            /** @description In words: `Reading …/file.rs`. */
            label: string;
            name: string;
            parentToolUseId?: string | null;
            toolUseId: string;
        };
        TrustBody: {
            /** @description Absent only asks what there is. */
            accept?: boolean | null;
            /** @description Names what is accepted, as it was shown. */
            digest?: string | null;
            /** @description The folder, as an absolute path. */
            project: string;
        };
        /**
         * Format: uint32
         * @description A turn's number within its session; 0 stands for "before the first turn".
         */
        Turn: number;
        /** @description `turn.completed` */
        TurnCompleted: {
            /**
             * Format: double
             * @description This turn's price, not the process's.
             */
            costUsd?: number | null;
            /** Format: uint64 */
            durationMs: number;
            /**
             * Format: int32
             * @description Set when the turn ended because the process did.
             */
            exitCode?: number | null;
            /** @default false */
            isError: boolean;
            /**
             * @description The messages this turn answered.
             * @default []
             */
            messageIds: components["schemas"]["MessageId"][];
            /** @description The agent's final answer, or the error's text. */
            result?: string | null;
            stats: components["schemas"]["TurnStats"];
            /**
             * @description What goes on in the background though the turn is over. The session is
             *     not idle before it has ended.
             */
            stillRunning?: components["schemas"]["RunningWork"][];
            stopReason: components["schemas"]["StopReason"];
            /** @description The answer as data, when a schema was asked for. */
            structuredOutput?: components["schemas"]["Json"] | null;
            turn: components["schemas"]["Turn"];
            usage?: components["schemas"]["Usage"] | null;
        };
        /** @description `turn.started` */
        TurnStarted: {
            /**
             * @description Why the agent began it by itself: what ended beside the conversation.
             *     Empty where it did not say.
             */
            because?: components["schemas"]["EndedWork"][];
            /**
             * @description The message that began it. Absent where it is the oldest that waits, and
             *     where the agent began it.
             */
            messageId?: components["schemas"]["MessageId"] | null;
            origin: components["schemas"]["Origin"];
            turn: components["schemas"]["Turn"];
        };
        /** @description What a turn did, counted from its events. */
        TurnStats: {
            /**
             * Format: uint32
             * @default 0
             */
            bashCommands: number;
            /**
             * Format: uint32
             * @default 0
             */
            filesRead: number;
            /**
             * Format: uint32
             * @default 0
             */
            filesWritten: number;
            /**
             * Format: uint32
             * @default 0
             */
            subAgents: number;
            /**
             * Format: uint32
             * @default 0
             */
            toolCalls: number;
            /** @default {} */
            toolsByType: {
                [key: string]: number;
            };
            /**
             * Format: uint64
             * @default 0
             */
            totalToolDurationMs: number;
            /**
             * Format: uint32
             * @default 0
             */
            webSearches: number;
        };
        /** @description What is uploaded. */
        UploadQuery: {
            /** @description What it is said to be; absent leaves it to the name and the bytes. */
            mediaType?: string | null;
            /** @description What the file is called. */
            name: string;
        };
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
        /** @description Which days and which project. */
        UsageQuery: {
            /** @description The first day in UTC, such as `2026-11-15`. */
            from?: string | null;
            /** @description A slug, id or path. */
            project?: string | null;
            /** @description The last one. */
            to?: string | null;
        };
        /** @description Cost and tokens, the newest day first. */
        UsageReport: {
            items: components["schemas"]["UsageItem"][];
            /** Format: double */
            totalCostUsd: number;
            /** Format: uint64 */
            totalTurns: number;
        };
        /** @description `user.message` */
        UserMessage: {
            /** @default [] */
            attachments: components["schemas"]["Attachment"][];
            client?: components["schemas"]["ClientRef"] | null;
            messageId: components["schemas"]["MessageId"];
            /** @default false */
            queued: boolean;
            text: string;
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
            /** @default [] */
            suggestions: components["schemas"]["Suggestion"][];
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
export type operations = Record<string, never>;
