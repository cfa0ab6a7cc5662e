//! Small lines beside the conversation.

use serde::Deserialize;

use crate::json::{self, RawJson, word_enum};

word_enum! {
    /// Where a sent message stands.
    LifecycleState {
        /// Taken from stdin.
        Queued = "queued",
        /// Its turn began, or it was folded into the running one.
        Started = "started",
        /// Its turn ended; comes just after the result.
        Completed = "completed",
        /// It was withdrawn before it began.
        Cancelled = "cancelled",
    }
}

/// What became of a message the host sent (2.1.325).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CommandLifecycle {
    /// The uuid the host chose.
    pub command_uuid: String,
    /// Where it stands.
    pub state: LifecycleState,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
}

/// A tool still works.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ToolProgress {
    /// The call.
    pub tool_use_id: String,
    /// The tool.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_name: Option<String>,
    /// The `Agent` call it belongs to.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub parent_tool_use_id: Option<String>,
    /// For how long.
    #[serde(default, deserialize_with = "json::opt_f64")]
    pub elapsed_time_seconds: Option<f64>,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
}

/// A sentence about some tool calls.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ToolUseSummary {
    /// The sentence.
    pub summary: String,
    /// The calls.
    #[serde(default, deserialize_with = "json::or_default")]
    pub preceding_tool_use_ids: Vec<String>,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
}

/// A login is under way.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuthStatus {
    /// Whether it still runs.
    #[serde(rename = "isAuthenticating", default, deserialize_with = "json::flag")]
    pub is_authenticating: bool,
    /// What to show.
    #[serde(default, deserialize_with = "json::or_default")]
    pub output: Vec<String>,
    /// Why it failed.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub error: Option<String>,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
}

/// How much of a subscription's allowance is used.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RateLimitEvent {
    /// The numbers.
    pub rate_limit_info: RateLimitInfo,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
}

/// The numbers of a subscription's allowance. Known from type declarations
/// only, so every field may be absent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimitInfo {
    /// Such as `allowed` or `rejected`.
    #[serde(deserialize_with = "json::opt_string")]
    pub status: Option<String>,
    /// When it starts anew, in seconds since 1970.
    #[serde(deserialize_with = "json::opt_u64")]
    pub resets_at: Option<u64>,
    /// Which allowance, such as `five_hour`.
    #[serde(deserialize_with = "json::opt_string")]
    pub rate_limit_type: Option<String>,
    /// The part used, from 0 to 1.
    #[serde(deserialize_with = "json::opt_f64")]
    pub utilization: Option<f64>,
}

/// What the user might say next.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PromptSuggestion {
    /// The text.
    pub suggestion: String,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
}

/// The conversation starts anew under another id (2.1.325; 2.1.197 only shows
/// the new `session_id` from its next `init` on).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ConversationReset {
    /// The new id.
    pub new_conversation_id: String,
    /// Why.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub trigger: Option<String>,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
}

/// A line this crate does not know, or a known one it cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Its type, when it has one.
    pub kind: Option<String>,
    /// Its subtype, when it has one.
    pub subtype: Option<String>,
    /// Why a line of a known type could not be read.
    pub reason: Option<String>,
    /// The whole line.
    pub raw: RawJson,
}
