//! Why something was not done, for programs (`code`) and for people.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{event::ApprovalResolved, id::SessionId};

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, $status:literal, $title:literal;)+) => {
        /// The closed list of reasons; names are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum ProblemCode {
            $($(#[$doc])* #[serde(rename = $text)] $variant,)+
            /// One that this version does not know.
            #[serde(other, rename = "unknown")]
            Unknown,
        }

        impl ProblemCode {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ Self::Unknown => "unknown" }
            }

            /// The HTTP status that goes with it.
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)+ Self::Unknown => 500 }
            }

            /// What it means, whatever the case.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ Self::Unknown => "Something went wrong" }
            }
        }
    };
}

codes! {
    BadJson = "bad_json", 400, "The message is not JSON of the expected form";
    TooLong = "too_long", 413, "The message is too long";
    /// No credential, a wrong one, or one that was revoked.
    Unauthorized = "unauthorized", 401, "You are not signed in";
    /// Signed in, but not for this.
    Forbidden = "forbidden", 403, "You may not do this";
    /// Too many wrong PINs; `Retry-After` says when to try again.
    TooManyAttempts = "too_many_attempts", 429, "Too many attempts to sign in";
    UnknownCommand = "unknown_command", 404, "There is no such command";
    InvalidRequest = "invalid_request", 400, "The request makes no sense";
    NotFound = "not_found", 404, "There is no such thing";
    /// The address that was asked for is none of the daemon's own.
    WrongHost = "wrong_host", 403, "This is not my address";
    /// A page of somebody else asks.
    ForeignOrigin = "foreign_origin", 403, "Another page may not ask this";
    MethodNotAllowed = "method_not_allowed", 405, "This path does not take this method";
    UnsupportedMediaType = "unsupported_media_type", 415, "The body has the wrong type";
    /// The request did not arrive in time.
    RequestTimeout = "request_timeout", 408, "The request took too long";
    Empty = "empty", 400, "The message is empty";
    /// A turn is running and the message was not to be queued.
    Busy = "busy", 409, "A turn is running";
    SessionEnded = "session_ended", 409, "The session has ended";
    /// Only a session that has ended can be removed.
    SessionRunning = "session_running", 409, "The session has not ended";
    MessageIdConflict = "message_id_conflict", 409, "The message id was used for other text";
    NotQueued = "not_queued", 409, "The message is not waiting";
    /// Carries the winner.
    AlreadyAnswered = "already_answered", 409, "The approval was already answered";
    AnswersMissing = "answers_missing", 400, "A question needs answers";
    Unsupported = "unsupported", 409, "This cannot be done here";
    /// Another process has the session, or it is still being read in.
    OwnedElsewhere = "owned_elsewhere", 409, "The session is somebody else's now";
    /// The agent does not have the past, and nobody has chosen what is done
    /// about it.
    MemoryLost = "memory_lost", 409, "The agent lacks a part of the past";
    AgentRefused = "agent_refused", 502, "The agent refused";
    AgentUnreachable = "agent_unreachable", 502, "The agent cannot be reached";
    /// Carries the sessions that take the places.
    SessionLimit = "session_limit", 429, "As many agents run as may";
    DeniedByRule = "denied_by_rule", 409, "A rule denies this";
    /// What was to be accepted is not what is there.
    TrustChanged = "trust_changed", 409, "The folder has changed";
    /// Nothing in the folder may run, git with its settings included.
    BudgetSpent = "budget_spent", 402, "The budget is spent";
    /// More connections, subscriptions or files than one client may have.
    TooMany = "too_many", 429, "Too many at once";
    ShuttingDown = "shutting_down", 503, "The daemon is stopping";
    /// Something that the daemon needs is missing or fails; it may come back.
    NotReady = "not_ready", 503, "The daemon cannot work right now";
    StorageFull = "storage_full", 507, "The disk is full";
    Storage = "storage", 500, "The event log failed";
    Internal = "internal", 500, "Something went wrong";
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Something was not done; nothing has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{detail}")]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    pub code: ProblemCode,
    pub title: String,
    /// This case, in one sentence.
    pub detail: String,
    pub status: u16,
    /// Which fields are wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Who answered the approval first, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Box<ApprovalResolved>>,
    /// Who takes the places, when there are no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionId>,
}

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldError {
    pub field: String,
    pub message: String,
}

impl Problem {
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            title: code.title().to_owned(),
            detail: detail.into(),
            status: code.status(),
            errors: Vec::new(),
            winner: None,
            sessions: Vec::new(),
        }
    }

    pub fn invalid(field: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            errors: vec![FieldError {
                field: field.to_owned(),
                message: message.clone(),
            }],
            ..Self::new(ProblemCode::InvalidRequest, format!("`{field}`: {message}"))
        }
    }
}
