//! Every path there is: method, who may ask, what it takes, what it answers.
//!
//! The router and the OpenAPI document are made of this one table.

use axum::http::Method;
use baton_protocol::{
    api::{ProblemCode, ProjectName, TrustBody, ask},
    words::AccessScope::{Admin, Observe},
};

use super::{
    docs_page,
    handlers::{bytes, daemon, events, export, sessions, sign_in},
    metrics,
    route::{LARGE, Route, TINY},
    ws,
};
use crate::api::MAX_UPLOAD;

const GET: Method = Method::GET;
const POST: Method = Method::POST;
const PATCH: Method = Method::PATCH;
const DELETE: Method = Method::DELETE;

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
        Route::command::<ask::Doctor, 200>(GET, "/api/v1/doctor", "doctor", "Whether everything is here that Baton needs; one may ask at a time", &[])
            .problems(&[ProblemCode::TooMany, ProblemCode::Unsupported]),
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
            .scope(Observe),
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
/// The path names the clone: what is called `id` there is a session.
const CLONE: &[(&str, &str)] = &[("id", "cloneId")];
const COMMENT: &[(&str, &str)] = &[("project", "slug"), ("commentId", "commentId")];

#[rustfmt::skip]
fn project_routes() -> Vec<Route> {
    vec![
        Route::command::<ask::Projects, 200>(GET, "/api/v1/projects", "projects", "Projects, the last used first", &[]),
        Route::command::<ask::ProjectAdd, 201>(POST, "/api/v1/projects", "addProject", "Lists a folder as a project", &[])
            .example(r#"{"path": "/srv/code/shop"}"#),
        Route::command::<ask::ProjectClone, 202>(POST, "/api/v1/clones", "cloneProject", "Begins to get a repository, which becomes a project", &[])
            .example(r#"{"url": "https://github.com/rust-lang/regex", "into": "~/code"}"#).problems(&[ProblemCode::TooMany]),
        Route::command::<ask::CloneState, 200>(GET, "/api/v1/clones/{cloneId}", "clone", "How far a repository is that is being got", CLONE)
            .problems(&[ProblemCode::NotFound]),
        Route::command::<ask::CloneCancel, 200>(DELETE, "/api/v1/clones/{cloneId}", "cancelClone", "Ends it, and removes what is there of it", CLONE)
            .problems(&[ProblemCode::NotFound]),
        Route::command::<ask::Folders, 200>(GET, "/api/v1/folders", "folders", "Folders below the home folder and the roots that can become projects", &[]),
        Route::command::<ask::ProjectScan, 200>(POST, "/api/v1/projects/scan", "scanProjects", "Looks for projects where the settings say", &[]),
        Route::command::<ask::Project, 200>(GET, "/api/v1/projects/{slug}", "project", "One project", SLUG),
        Route::command::<ask::ProjectUpdate, 200>(PATCH, "/api/v1/projects/{slug}", "updateProject", "Changes a project's title", SLUG)
            .example(r#"{"title": "Shop"}"#),
        Route::command::<ask::ProjectMove, 200>(POST, "/api/v1/projects/{slug}/move", "moveProject",
            "Tells where a project's folder was moved to; its sessions, rules and comments follow", SLUG)
            .example(r#"{"to": "/srv/code/store"}"#).problems(&[ProblemCode::NotFound, ProblemCode::Busy]),
        Route::command::<ask::ProjectRemove, 200>(DELETE, "/api/v1/projects/{slug}", "removeProject", "Takes a project off the list; files and sessions stay", SLUG),
        Route::part::<ask::Trust, ProjectName, 200>(GET, "/api/v1/projects/{slug}/trust", "trust", "What the folder would run by itself", SLUG, ask_trust)
            .problems(TRUST),
        Route::command::<ask::Trust, 200>(POST, "/api/v1/projects/{slug}/trust", "setTrust", "Accepts or declines what the folder would run", SLUG)
            .example(r#"{"accept": false}"#).problems(TRUST),
        Route::command::<ask::Sessions, 200>(GET, "/api/v1/projects/{slug}/sessions", "projectSessions", "Sessions of a project", SLUG),
        Route::command::<ask::Choices, 200>(GET, "/api/v1/projects/{slug}/choices", "choices", "Models and commands that an agent offers for a session", SLUG),
        Route::command::<ask::Create, 201>(POST, "/api/v1/projects/{slug}/sessions", "createSession", "Makes a session, with a first message if there is one", SLUG)
            .limit(LARGE).example(r#"{"prompt": "Fix the failing test", "agent": "demo"}"#)
            .problems(STEER).problems(&[ProblemCode::Empty, ProblemCode::TooMany]),
        Route::command::<ask::History, 200>(GET, "/api/v1/projects/{slug}/history", "history", "Sessions that the agent has and Baton did not begin", SLUG),
        Route::command::<ask::Import, 201>(POST, "/api/v1/projects/{slug}/history/{agentSessionId}", "importSession", "Makes a session of one of these", &[("project", "slug"), ("agentSessionId", "agentSessionId")])
            .problems(STEER),
        Route::command::<ask::Files, 200>(GET, "/api/v1/projects/{slug}/files", "files", "Entries of a folder", SLUG)
            .problems(FILES),
        Route::command::<ask::FilesFind, 200>(GET, "/api/v1/projects/{slug}/files/find", "findFiles", "Files of the whole project by letters of their paths", SLUG)
            .problems(FILES),
        Route::command::<ask::FilesSearch, 200>(GET, "/api/v1/projects/{slug}/files/search", "searchFiles", "Lines of files of the whole project with words, or what a pattern matches", SLUG)
            .problems(FILES),
        Route::command::<ask::File, 200>(GET, "/api/v1/projects/{slug}/file", "file", "A file, or lines of it", SLUG)
            .problems(FILES),
        Route::command::<ask::Diff, 200>(GET, "/api/v1/projects/{slug}/diff", "diff", "How the work tree differs from the last commit", SLUG)
            .problems(FILES),
        Route::command::<ask::Comments, 200>(GET, "/api/v1/projects/{slug}/comments", "comments", "Review comments on files, the oldest first", SLUG)
            .problems(COMMENTS),
        Route::command::<ask::CommentAdd, 201>(POST, "/api/v1/projects/{slug}/comments", "addComment", "Keeps a review comment", SLUG)
            .example(r#"{"path": "src/main.rs", "line": 3, "body": "Why twice?"}"#).problems(COMMENTS),
        Route::command::<ask::CommentResolve, 200>(PATCH, "/api/v1/projects/{slug}/comments/{commentId}", "resolveComment",
            "Settles a review comment, or opens it again", COMMENT)
            .example(r#"{"resolved": true}"#).problems(COMMENTS),
        Route::command::<ask::CommentRemove, 200>(DELETE, "/api/v1/projects/{slug}/comments/{commentId}", "removeComment",
            "Takes a review comment off the list for good", COMMENT)
            .problems(COMMENTS),
        Route::command::<ask::Search, 200>(GET, "/api/v1/search", "search", "Words in everything that was said, the newest first", &[])
            .problems(&[ProblemCode::NotFound]),
        Route::command::<ask::Usage, 200>(GET, "/api/v1/usage", "usage", "Cost and tokens by day, project and model", &[])
            .problems(&[ProblemCode::NotFound]),
    ]
}

/// Only asks: what a GET is given must not decide anything.
fn ask_trust(name: ProjectName) -> TrustBody {
    TrustBody {
        project: name.project,
        accept: None,
        digest: None,
    }
}

const TRUST: &[ProblemCode] = &[ProblemCode::TrustChanged, ProblemCode::Unsupported];
const COMMENTS: &[ProblemCode] = &[
    ProblemCode::Unsupported,
    ProblemCode::Storage,
    ProblemCode::StorageFull,
];
const FILES: &[ProblemCode] = &[ProblemCode::Unsupported, ProblemCode::TooLong];

#[rustfmt::skip]
fn session_routes() -> Vec<Route> {
    vec![
        Route::command::<ask::TryDemo, 201>(POST, "/api/v1/demo", "demo", "Makes a session of the demo agent in a folder of its own", &[])
            .problems(STEER).problems(&[ProblemCode::TooMany]),
        Route::command::<ask::Sessions, 200>(GET, "/api/v1/sessions", "sessions", "Sessions, the latest activity first", &[]),
        Route::command::<ask::Session, 200>(GET, "/api/v1/sessions/{id}", "session", "One session, with what is open in it", &[])
            .shared(),
        Route::new(PATCH, "/api/v1/sessions/{id}", "updateSession", "Changes a session's title", sessions::update)
            .in_project().example(r#"{"title": "Fix the flaky test"}"#).problems(STEER),
        Route::command::<ask::Delete, 200>(DELETE, "/api/v1/sessions/{id}", "deleteSession",
            "Removes an ended session with its files; that it was there stays on record", &[])
            .problems(&[ProblemCode::SessionRunning]),
        Route::new(GET, "/api/v1/sessions/{id}/events", "events",
            "Events after a number; with `Accept: text/event-stream` as a stream that goes on live", events::events)
            .in_project().shared().problems(&[ProblemCode::TooMany])
            .headers(&[("Last-Event-ID", "Of a stream: where it broke off; counts more than `after`.")]),
        Route::new(GET, "/api/v1/sessions/{id}/export", "export", "The whole log, one event per line, or as text to read; what is cut short breaks off", export::export)
            .in_project().shared().problems(&[ProblemCode::TooMany]),
        Route::new(GET, "/api/v1/sessions/{id}/images/{imageId}", "image", "An image that an event names", bytes::image)
            .in_project().shared(),
        Route::new(GET, "/api/v1/sessions/{id}/tools/{toolUseId}/output", "toolOutput", "The whole output of a tool call", bytes::tool_output)
            .in_project().shared(),
        Route::new(POST, "/api/v1/sessions/{id}/share", "shareSession",
            "Makes a link that shows this session to whoever has it, and nothing else", sign_in::share)
            .scope(Admin).example(r#"{"hours": 24}"#).problems(&[ProblemCode::TooMany]),
        Route::command::<ask::Checkpoints, 200>(GET, "/api/v1/sessions/{id}/checkpoints", "checkpoints", "Where files can be put back to", &[]),
        Route::command::<ask::Commands, 200>(GET, "/api/v1/sessions/{id}/commands", "slashCommands", "The agent's slash commands", &[]),
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
    vec![
        Route::command::<ask::Message, 202>(POST, "/api/v1/sessions/{id}/messages", "sendMessage",
            "Sends a message; the same messageId again sends nothing again", &[])
            .limit(LARGE).example(r#"{"text": "Now run the tests.", "queue": true}"#)
            .problems(STEER).problems(&[ProblemCode::Empty, ProblemCode::MessageIdConflict, ProblemCode::TooMany]),
        Route::command::<ask::TakeBack, 200>(DELETE, "/api/v1/sessions/{id}/messages/{messageId}", "takeBack",
            "Takes a queued message back", &[("messageId", "messageId")])
            .problems(STEER).problems(&[ProblemCode::NotQueued]),
        Route::command::<ask::QueueEdit, 200>(PATCH, "/api/v1/sessions/{id}/messages/{messageId}", "editQueued",
            "Changes the text of a queued message", &[("messageId", "messageId")])
            .limit(LARGE).example(r#"{"text": "Now run all tests."}"#)
            .problems(STEER).problems(&[ProblemCode::NotQueued, ProblemCode::Empty]),
        Route::command::<ask::QueueMove, 200>(POST, "/api/v1/sessions/{id}/messages/{messageId}/move", "moveQueued",
            "Puts a queued message before another one, or at the end", &[("messageId", "messageId")])
            .example("{}").problems(STEER).problems(&[ProblemCode::NotQueued]),
        Route::command::<ask::SendNow, 200>(POST, "/api/v1/sessions/{id}/messages/{messageId}/now", "sendNow",
            "Begins a queued message as soon as can be; a running turn is stopped for it", &[("messageId", "messageId")])
            .problems(STEER).problems(&[ProblemCode::NotQueued]),
        Route::command::<ask::QueueHold, 200>(POST, "/api/v1/sessions/{id}/queue/hold", "holdQueue",
            "Begins none of the messages that wait now before they are let go on", &[])
            .problems(STEER),
        Route::command::<ask::QueueRelease, 200>(POST, "/api/v1/sessions/{id}/queue/release", "releaseQueue",
            "Lets the messages go on that are held", &[])
            .problems(STEER),
        Route::command::<ask::Interrupt, 200>(POST, "/api/v1/sessions/{id}/interrupt", "interrupt",
            "Stops the running turn, and holds the messages that wait; where none runs, stops all that goes on in the background", &[])
            .problems(STEER),
        Route::command::<ask::StopTask, 200>(POST, "/api/v1/sessions/{id}/stop-task", "stopTask",
            "Stops one sub-agent or background command", &[])
            .example(r#"{"taskId": "b7c1f2a90"}"#).problems(STEER),
        Route::command::<ask::Stop, 200>(POST, "/api/v1/sessions/{id}/stop", "stop", "Ends the session; it can be resumed", &[])
            .problems(STEER),
        Route::command::<ask::Resume, 200>(POST, "/api/v1/sessions/{id}/resume", "resume", "Takes an ended session up again", &[])
            .problems(STEER),
        Route::command::<ask::Fork, 201>(POST, "/api/v1/sessions/{id}/fork", "fork", "Makes a session that begins as this one did", &[])
            .problems(STEER),
        Route::command::<ask::Model, 200>(POST, "/api/v1/sessions/{id}/model", "setModel", "Changes the model", &[])
            .example(r#"{"model": "opus"}"#).problems(STEER),
        Route::command::<ask::PermissionMode, 200>(POST, "/api/v1/sessions/{id}/permission-mode", "setPermissionMode",
            "Changes what the agent may do without asking", &[])
            .example(r#"{"mode": "plan"}"#).problems(STEER),
        Route::command::<ask::Budget, 200>(POST, "/api/v1/sessions/{id}/budget", "setBudget",
            "Changes what the session may cost in all; what waits for money goes on", &[])
            .example(r#"{"maxBudgetUsd": 5}"#).problems(STEER),
        Route::command::<ask::Memory, 200>(POST, "/api/v1/sessions/{id}/memory", "chooseMemory",
            "Chooses what is done about a past that the agent lacks; what waits for that goes on", &[])
            .example(r#"{"memory": "log"}"#).problems(STEER),
        Route::command::<ask::Rewind, 200>(POST, "/api/v1/sessions/{id}/rewind", "rewind",
            "Puts files back to where they were at a message", &[])
            .example(r#"{"checkpointId": "8d7f7a1e-2f9b-4c64-9b3c-0d1b8a1f1a11", "dryRun": true}"#)
            .problems(STEER),
    ]
}

#[rustfmt::skip]
fn approval_routes() -> Vec<Route> {
    vec![
        Route::command::<ask::Approvals, 200>(GET, "/api/v1/approvals", "approvals", "What waits for a person, of all sessions", &[]),
        Route::command::<ask::PastApprovals, 200>(GET, "/api/v1/approvals/past", "pastApprovals", "What people, rules and time answered, the newest first", &[]).problems(&[ProblemCode::NotFound]),
        Route::command::<ask::Approve, 200>(POST, "/api/v1/sessions/{id}/approvals/{approvalId}", "approve",
            "Answers an approval; the first answer counts", &[("approvalId", "approvalId")])
            .example(r#"{"decision": "allow"}"#).problems(STEER)
            .problems(&[ProblemCode::AlreadyAnswered, ProblemCode::AnswersMissing, ProblemCode::DeniedByRule]),
        Route::command::<ask::Rules, 200>(GET, "/api/v1/rules", "rules", "Every rule there is", &[]),
        Route::command::<ask::RuleAdd, 201>(POST, "/api/v1/rules", "addRule", "Makes a rule", &[])
            .example(r#"{"rule": "Bash(git status:*)", "decision": "allow", "scope": "user"}"#)
            .problems(&[ProblemCode::NotFound]),
        Route::command::<ask::RuleRemove, 200>(DELETE, "/api/v1/rules/{ruleId}", "removeRule", "Removes a rule", &[("ruleId", "ruleId")]),
        Route::command::<ask::RulePreview, 200>(POST, "/api/v1/rules/preview", "previewRule",
            "What a rule would have decided on past requests", &[])
            .example(r#"{"rule": "Bash(git status:*)", "decision": "allow"}"#),
        Route::command::<ask::RulesOffered, 200>(GET, "/api/v1/rules/import", "offeredRules",
            "Rules that the agent's own settings have", &[])
            .problems(&[ProblemCode::NotFound]),
        Route::command::<ask::RulesTake, 200>(POST, "/api/v1/rules/import", "takeRules",
            "Takes some of them over, and answers with what is new", &[])
            .example(r#"{"rules": [], "scope": "user"}"#).problems(&[ProblemCode::NotFound]),
    ]
}
