//! Every path there is: method, who may ask, what it takes, what it answers.
//!
//! The router and the OpenAPI document are made of this one table.

use axum::http::Method;
use baton_protocol::{
    api::{
        Checkpoints, Command, Diff, DoctorReport, FileList, FileView, MessageAnswer, OfferedRules,
        PastSessions, ProblemCode, Project, ProjectName, Projects, ReviewComment, ReviewComments,
        RuleRemove, Scanned, SearchHits, SlashCommands, StopTask, TakeBack, TrustBody, UsageReport,
    },
    words::AccessScope::{Admin, Operate},
};
use baton_store::SessionRow;
use schemars::JsonSchema;

use super::{
    docs_page,
    handlers::{bytes, daemon, events, export, sessions, sign_in},
    metrics,
    route::{LARGE, Route, TINY},
    ws,
};
use crate::{
    api::{
        Folder, MAX_UPLOAD, OpenApproval, Part, PastApprovals, Rule, RuleRow, SessionPage,
        SessionView,
    },
    sight::WithSecrets,
};

const GET: Method = Method::GET;
const POST: Method = Method::POST;
const PATCH: Method = Method::PATCH;
const DELETE: Method = Method::DELETE;

/// The answer of a command that has nothing to say.
#[derive(JsonSchema)]
struct Done {}

/// What files were put back, or would be.
type Rewound = serde_json::Value;

/// The whole table.
pub(crate) fn table() -> Vec<Route> {
    let mut table = daemon_routes();
    table.extend(sign_in_routes());
    table.extend(project_routes());
    table.extend(session_routes());
    table.extend(steer_routes());
    table.extend(approval_routes());
    table
}

#[rustfmt::skip]
fn daemon_routes() -> Vec<Route> {
    vec![
        Route::new(GET, "/healthz", "healthz", "Whether the daemon lives", daemon::alive)
            .for_anyone(),
        Route::new(GET, "/readyz", "readyz", "Whether the log can be written and the default agent be started", daemon::ready)
            .for_anyone().problems(&[ProblemCode::ShuttingDown, ProblemCode::NotReady]),
        Route::new(GET, "/metrics", "metrics", "Numbers for Prometheus", metrics::show),
        Route::new(GET, "/api/openapi.json", "openapi", "This document", daemon::document),
        Route::new(GET, "/api/docs", "docs", "This document for people", docs_page::show)
            .for_anyone(),
        Route::new(GET, "/api/v1/status", "status", "Version, counts and agents", daemon::status)
            .in_project(),
        Route::command::<_, DoctorReport, 200>(GET, "/api/v1/doctor", "doctor", "Whether everything is here that Baton needs; one may ask at a time", Command::Doctor, &[])
            .scope(Operate).problems(&[ProblemCode::TooMany, ProblemCode::Unsupported]),
        Route::new(GET, "/api/v1/ws", "webSocket", "Frames: ClientFrame to the daemon, ServerFrame from it", ws::upgrade)
            .for_anyone().problems(&[ProblemCode::InvalidRequest, ProblemCode::Unauthorized]),
        Route::new(GET, "/ws", "projectWebSocket", "The WebSocket of a project", ws::upgrade)
            .for_anyone().only_in_project().problems(&[ProblemCode::InvalidRequest, ProblemCode::Unauthorized]),
    ]
}

#[rustfmt::skip]
fn sign_in_routes() -> Vec<Route> {
    vec![
        Route::new(POST, "/api/v1/auth/login", "login", "Signs a device in", sign_in::login)
            .for_anyone().limit(TINY).example(r#"{"pin": "271828", "name": "my phone"}"#)
            .problems(&[ProblemCode::Unauthorized, ProblemCode::TooManyAttempts, ProblemCode::TooMany, ProblemCode::Storage, ProblemCode::StorageFull, ProblemCode::ShuttingDown]),
        Route::new(POST, "/api/v1/auth/logout", "logout", "Signs this device out", sign_in::logout)
            .scope(baton_protocol::words::AccessScope::Observe),
        Route::new(POST, "/api/v1/auth/links", "makeLink", "Makes a one-time link that signs a device in", sign_in::make_link)
            .scope(Admin).problems(&[ProblemCode::TooMany]),
        Route::new(GET, "/api/v1/auth/devices", "devices", "Who is signed in, the oldest first", sign_in::devices)
            .scope(Admin),
        Route::new(DELETE, "/api/v1/auth/devices/{deviceId}", "revokeDevice", "Signs a device out; what it has open ends", sign_in::revoke)
            .scope(Admin),
    ]
}

/// The path names the project.
const SLUG: &[(&str, &str)] = &[("project", "slug")];
const COMMENT: &[(&str, &str)] = &[("project", "slug"), ("commentId", "commentId")];

#[rustfmt::skip]
fn project_routes() -> Vec<Route> {
    use baton_protocol::api::Command as C;
    vec![
        Route::command::<_, Projects, 200>(GET, "/api/v1/projects", "projects", "Projects, the last used first", C::Projects, &[]),
        Route::command::<_, Project, 201>(POST, "/api/v1/projects", "addProject", "Lists a folder as a project", C::ProjectAdd, &[])
            .example(r#"{"path": "/srv/code/shop"}"#),
        Route::command::<_, Scanned, 200>(POST, "/api/v1/projects/scan", "scanProjects", "Looks for projects where the settings say", C::ProjectScan, &[]),
        Route::command::<_, Project, 200>(GET, "/api/v1/projects/{slug}", "project", "One project", C::Project, SLUG).in_project(),
        Route::command::<_, Project, 200>(PATCH, "/api/v1/projects/{slug}", "updateProject", "Changes a project's title", C::ProjectUpdate, SLUG)
            .example(r#"{"title": "Shop"}"#).in_project(),
        Route::command::<_, Project, 200>(POST, "/api/v1/projects/{slug}/move", "moveProject",
            "Tells where a project's folder was moved to; its sessions, rules and comments follow", C::ProjectMove, SLUG)
            .example(r#"{"to": "/srv/code/store"}"#).problems(&[ProblemCode::NotFound, ProblemCode::Busy]),
        Route::command::<_, (), 200>(DELETE, "/api/v1/projects/{slug}", "removeProject", "Takes a project off the list; files and sessions stay", C::ProjectRemove, SLUG)
            .scope(Operate),
        Route::command::<_, Folder, 200>(GET, "/api/v1/projects/{slug}/trust", "trust", "What the folder would run by itself", ask_trust, SLUG)
            .scope(Operate).problems(TRUST).in_project(),
        Route::command::<_, Folder, 200>(POST, "/api/v1/projects/{slug}/trust", "setTrust", "Accepts or declines what the folder would run", C::Trust, SLUG)
            .example(r#"{"accept": false}"#).problems(TRUST).in_project(),
        Route::command::<_, SessionPage, 200>(GET, "/api/v1/projects/{slug}/sessions", "projectSessions", "Sessions of a project", C::Sessions, SLUG)
            .in_project(),
        Route::command::<_, SessionRow, 201>(POST, "/api/v1/projects/{slug}/sessions", "createSession", "Makes a session, with a first message if there is one", C::Create, SLUG)
            .limit(LARGE).example(r#"{"prompt": "Fix the failing test", "agent": "demo"}"#)
            .problems(STEER).problems(&[ProblemCode::Empty, ProblemCode::TooMany]).in_project(),
        Route::command::<_, PastSessions, 200>(GET, "/api/v1/projects/{slug}/history", "history", "Sessions that the agent has and Baton did not begin", C::History, SLUG)
            .scope(Operate).in_project(),
        Route::command::<_, SessionRow, 201>(POST, "/api/v1/projects/{slug}/history/{agentSessionId}", "importSession", "Makes a session of one of these",
            C::Import, &[("project", "slug"), ("agentSessionId", "agentSessionId")])
            .problems(STEER).in_project(),
        Route::command::<_, FileList, 200>(GET, "/api/v1/projects/{slug}/files", "files", "Entries of a folder", C::Files, SLUG)
            .problems(FILES).in_project(),
        Route::command::<_, FileView, 200>(GET, "/api/v1/projects/{slug}/file", "file", "A file, or lines of it", C::File, SLUG)
            .problems(FILES).in_project(),
        Route::command::<_, Diff, 200>(GET, "/api/v1/projects/{slug}/diff", "diff", "How the work tree differs from the last commit", C::Diff, SLUG)
            .problems(FILES).in_project(),
        Route::command::<_, ReviewComments, 200>(GET, "/api/v1/projects/{slug}/comments", "comments", "Review comments on files, the oldest first", C::Comments, SLUG)
            .problems(COMMENTS).in_project(),
        Route::command::<_, ReviewComment, 201>(POST, "/api/v1/projects/{slug}/comments", "addComment", "Keeps a review comment", C::CommentAdd, SLUG)
            .example(r#"{"path": "src/main.rs", "line": 3, "body": "Why twice?"}"#).problems(COMMENTS).in_project(),
        Route::command::<_, ReviewComment, 200>(PATCH, "/api/v1/projects/{slug}/comments/{commentId}", "resolveComment",
            "Settles a review comment, or opens it again", C::CommentResolve, COMMENT)
            .example(r#"{"resolved": true}"#).problems(COMMENTS).in_project(),
        Route::command::<_, Done, 200>(DELETE, "/api/v1/projects/{slug}/comments/{commentId}", "removeComment",
            "Takes a review comment off the list for good", C::CommentRemove, COMMENT)
            .problems(COMMENTS).in_project(),
        Route::command::<_, SearchHits, 200>(GET, "/api/v1/search", "search", "Words in everything that was said, the newest first", C::Search, &[])
            .problems(&[ProblemCode::NotFound]).in_project(),
        Route::command::<_, UsageReport, 200>(GET, "/api/v1/usage", "usage", "Cost and tokens by day, project and model", C::Usage, &[])
            .problems(&[ProblemCode::NotFound]).in_project(),
    ]
}

/// Only asks: what a GET is given must not decide anything.
fn ask_trust(name: ProjectName) -> Command {
    Command::Trust(TrustBody {
        project: name.project,
        accept: None,
        digest: None,
    })
}

const TRUST: &[ProblemCode] = &[ProblemCode::TrustChanged, ProblemCode::Unsupported];
const COMMENTS: &[ProblemCode] = &[
    ProblemCode::Unsupported,
    ProblemCode::Storage,
    ProblemCode::StorageFull,
];
const FILES: &[ProblemCode] = &[
    ProblemCode::TrustNeeded,
    ProblemCode::Unsupported,
    ProblemCode::TooLong,
];

#[rustfmt::skip]
fn session_routes() -> Vec<Route> {
    vec![
        Route::command::<_, SessionPage, 200>(GET, "/api/v1/sessions", "sessions", "Sessions, the latest activity first",
            Command::Sessions, &[]).in_project(),
        Route::command::<_, WithSecrets<SessionView>, 200>(GET, "/api/v1/sessions/{id}", "session", "One session, with what is open in it",
            Command::Session, &[]).in_project(),
        Route::new(PATCH, "/api/v1/sessions/{id}", "updateSession", "Changes a session's title", sessions::update)
            .in_project().example(r#"{"title": "Fix the flaky test"}"#).problems(STEER),
        Route::command::<_, Done, 200>(DELETE, "/api/v1/sessions/{id}", "deleteSession",
            "Removes an ended session with its files; that it was there stays on record", Command::Delete, &[])
            .scope(Operate).in_project().problems(&[ProblemCode::SessionRunning]),
        Route::new(GET, "/api/v1/sessions/{id}/events", "events",
            "Events after a number; with `Accept: text/event-stream` as a stream that goes on live", events::events)
            .in_project().problems(&[ProblemCode::TooMany])
            .headers(&[("Last-Event-ID", "Of a stream: where it broke off; counts more than `after`.")]),
        Route::new(GET, "/api/v1/sessions/{id}/export", "export", "The whole log, one event per line, or as text to read; what is cut short breaks off", export::export)
            .in_project().problems(&[ProblemCode::TooMany]),
        Route::new(GET, "/api/v1/sessions/{id}/images/{imageId}", "image", "An image that an event names", bytes::image)
            .in_project(),
        Route::new(GET, "/api/v1/sessions/{id}/tools/{toolUseId}/output", "toolOutput", "The whole output of a tool call", bytes::tool_output)
            .in_project(),
        Route::command::<_, Checkpoints, 200>(GET, "/api/v1/sessions/{id}/checkpoints", "checkpoints", "Where files can be put back to",
            Command::Checkpoints, &[]).in_project(),
        Route::command::<_, SlashCommands, 200>(GET, "/api/v1/sessions/{id}/commands", "slashCommands", "The agent's slash commands",
            Command::Commands, &[]).in_project(),
        Route::new(POST, "/api/v1/uploads", "upload", "Takes a file for a later message", bytes::upload)
            .in_project().limit(MAX_UPLOAD).problems(&[ProblemCode::TooMany, ProblemCode::Unsupported]),
    ]
}

/// What may be wrong when a session is told something.
const STEER: &[ProblemCode] = &[
    ProblemCode::SessionEnded,
    ProblemCode::Busy,
    ProblemCode::Unsupported,
    ProblemCode::OwnedElsewhere,
    ProblemCode::MemoryLost,
    ProblemCode::AgentRefused,
    ProblemCode::AgentUnreachable,
    ProblemCode::SessionLimit,
    ProblemCode::BudgetSpent,
    ProblemCode::TooLong,
];

#[rustfmt::skip]
fn steer_routes() -> Vec<Route> {
    use baton_protocol::api::Command as C;
    vec![
        Route::command::<_, MessageAnswer, 202>(POST, "/api/v1/sessions/{id}/messages", "sendMessage",
            "Sends a message; the same messageId again sends nothing again", C::Message, &[])
            .limit(LARGE).example(r#"{"text": "Now run the tests.", "queue": true}"#)
            .problems(STEER).problems(&[ProblemCode::Empty, ProblemCode::MessageIdConflict, ProblemCode::TooMany]),
        Route::command::<TakeBack, Done, 200>(DELETE, "/api/v1/sessions/{id}/messages/{messageId}", "takeBack",
            "Takes a queued message back", C::TakeBack, &[("messageId", "messageId")])
            .scope(Operate).problems(STEER).problems(&[ProblemCode::NotQueued]),
        Route::command::<_, Done, 200>(POST, "/api/v1/sessions/{id}/interrupt", "interrupt",
            "Stops the running turn; where none runs, all that goes on in the background", C::Interrupt, &[])
            .problems(STEER),
        Route::command::<StopTask, Done, 200>(POST, "/api/v1/sessions/{id}/stop-task", "stopTask",
            "Stops one sub-agent or background command", C::StopTask, &[])
            .example(r#"{"taskId": "b7c1f2a90"}"#).problems(STEER),
        Route::command::<_, Done, 200>(POST, "/api/v1/sessions/{id}/stop", "stop", "Ends the session; it can be resumed", C::Stop, &[])
            .problems(STEER),
        Route::command::<_, Done, 200>(POST, "/api/v1/sessions/{id}/resume", "resume", "Takes an ended session up again", C::Resume, &[])
            .problems(STEER),
        Route::command::<_, SessionRow, 201>(POST, "/api/v1/sessions/{id}/fork", "fork", "Makes a session that begins as this one did", C::Fork, &[])
            .problems(STEER),
        Route::command::<_, Done, 200>(POST, "/api/v1/sessions/{id}/model", "setModel", "Changes the model", C::Model, &[])
            .example(r#"{"model": "opus"}"#).problems(STEER),
        Route::command::<_, Done, 200>(POST, "/api/v1/sessions/{id}/permission-mode", "setPermissionMode",
            "Changes what the agent may do without asking", C::PermissionMode, &[])
            .example(r#"{"mode": "plan"}"#).problems(STEER),
        Route::command::<_, Done, 200>(POST, "/api/v1/sessions/{id}/budget", "setBudget",
            "Changes what the session may cost in all; what waits for money goes on", C::Budget, &[])
            .example(r#"{"maxBudgetUsd": 5}"#).problems(STEER),
        Route::command::<_, Done, 200>(POST, "/api/v1/sessions/{id}/memory", "chooseMemory",
            "Chooses what is done about a past that the agent lacks; what waits for that goes on", C::Memory, &[])
            .example(r#"{"memory": "log"}"#).problems(STEER),
        Route::command::<_, Rewound, 200>(POST, "/api/v1/sessions/{id}/rewind", "rewind",
            "Puts files back to where they were at a message", C::Rewind, &[])
            .example(r#"{"checkpointId": "8d7f7a1e-2f9b-4c64-9b3c-0d1b8a1f1a11", "dryRun": true}"#)
            .problems(STEER),
    ].into_iter().map(Route::in_project).collect()
}

#[rustfmt::skip]
fn approval_routes() -> Vec<Route> {
    vec![
        Route::command::<_, WithSecrets<Part<OpenApproval>>, 200>(GET, "/api/v1/approvals", "approvals", "What waits for a person, of all sessions",
            Command::Approvals, &[]),
        Route::command::<_, WithSecrets<PastApprovals>, 200>(GET, "/api/v1/approvals/past", "pastApprovals", "What people, rules and time answered, the newest first",
            Command::PastApprovals, &[]).problems(&[ProblemCode::NotFound]),
        Route::command::<_, Done, 200>(POST, "/api/v1/sessions/{id}/approvals/{approvalId}", "approve",
            "Answers an approval; the first answer counts", Command::Approve, &[("approvalId", "approvalId")])
            .example(r#"{"decision": "allow"}"#).problems(STEER)
            .problems(&[ProblemCode::AlreadyAnswered, ProblemCode::AnswersMissing, ProblemCode::DeniedByRule]),
        Route::command::<_, Part<Rule>, 200>(GET, "/api/v1/rules", "rules", "Every rule there is", Command::Rules, &[]),
        Route::command::<_, Rule, 201>(POST, "/api/v1/rules", "addRule", "Makes a rule", Command::RuleAdd, &[])
            .example(r#"{"rule": "Bash(git status:*)", "decision": "allow", "scope": "user"}"#)
            .problems(&[ProblemCode::NotFound]),
        Route::command::<RuleRemove, Done, 200>(DELETE, "/api/v1/rules/{ruleId}", "removeRule", "Removes a rule",
            Command::RuleRemove, &[("ruleId", "ruleId")]).scope(Operate),
        Route::command::<_, Part<RuleRow>, 200>(POST, "/api/v1/rules/preview", "previewRule",
            "What a rule would have decided on past requests", Command::RulePreview, &[])
            .example(r#"{"rule": "Bash(git status:*)", "decision": "allow"}"#)
            .scope(Operate),
        Route::command::<_, OfferedRules, 200>(GET, "/api/v1/rules/import", "offeredRules",
            "Rules that the agent's own settings have", Command::RulesOffered, &[])
            .scope(Operate).problems(&[ProblemCode::NotFound]),
        Route::command::<_, Part<Rule>, 200>(POST, "/api/v1/rules/import", "takeRules",
            "Takes some of them over, and answers with what is new", Command::RulesTake, &[])
            .example(r#"{"rules": [], "scope": "user"}"#).problems(&[ProblemCode::NotFound]),
    ].into_iter().map(Route::in_project).collect()
}
