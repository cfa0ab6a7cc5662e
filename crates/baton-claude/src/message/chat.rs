//! Assistant and user lines: the conversation itself.

use serde::Deserialize;

use super::content::{Content, ContentBlock};
use super::usage::Usage;
use crate::json::{self, RawJson, word_enum};

/// One `assistant` line. The CLI writes one per completed content block, all
/// with the same API message id, each before its block's stop event.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Assistant {
    /// The API message with the block.
    pub message: AssistantMessage,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
    /// Names this line; also its row in the transcript.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub uuid: Option<String>,
    /// The `Agent` call of the sub-agent that speaks; absent on the main thread.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub parent_tool_use_id: Option<String>,
    /// The kind of sub-agent that speaks.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub subagent_type: Option<String>,
    /// What the sub-agent was started for.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub task_description: Option<String>,
    /// The API's request id.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub request_id: Option<String>,
    /// Why a synthetic message stands in for an answer.
    #[serde(default)]
    pub error: Option<AssistantError>,
    /// Whether the block was cut short by an interrupt (2.1.325 only).
    #[serde(default, deserialize_with = "json::flag")]
    pub aborted: bool,
    /// When it was written (2.1.325).
    #[serde(default, deserialize_with = "json::opt_string")]
    pub timestamp: Option<String>,
    /// The user messages this turn answers, on its first line (2.1.325).
    #[serde(default, deserialize_with = "json::or_default")]
    pub user_message_uuids: Vec<String>,
}

impl Assistant {
    /// Whether the CLI made this message up (API errors, local commands).
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        self.message.model.as_deref() == Some("<synthetic>")
    }
}

/// The API message inside an `assistant` line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AssistantMessage {
    /// The API's message id, shared by all lines of one message.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub id: Option<String>,
    /// The model that answered.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub model: Option<String>,
    /// One block on stdout, one per row in the transcript.
    pub content: Content,
    /// Null on stdout except for synthetic messages; final in the transcript.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub stop_reason: Option<String>,
    /// Counts as known at the start of the message.
    #[serde(default)]
    pub usage: Option<Usage>,
}

word_enum! {
    /// Why a synthetic assistant message stands in for an answer.
    AssistantError {
        /// Bad, missing or refused credentials.
        AuthenticationFailed = "authentication_failed",
        /// Payment is needed.
        BillingError = "billing_error",
        /// Too many requests.
        RateLimit = "rate_limit",
        /// The API is overloaded.
        Overloaded = "overloaded",
        /// The request cannot be served as it is.
        InvalidRequest = "invalid_request",
        /// The model does not exist or may not be used.
        ModelNotFound = "model_not_found",
        /// The API failed or cannot be reached.
        ServerError = "server_error",
        /// The answer grew too long.
        MaxOutputTokens = "max_output_tokens",
        /// The CLI does not know.
        Unknown = "unknown",
    }
}

/// One `user` line: a tool's result, a replayed or synthetic prompt, or a
/// sub-agent's prompt.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct User {
    /// The message.
    pub message: UserBody,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
    /// Names this line; for a replay, the uuid the host chose.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub uuid: Option<String>,
    /// The `Agent` call of the sub-agent this belongs to.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub parent_tool_use_id: Option<String>,
    /// The kind of sub-agent this belongs to.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub subagent_type: Option<String>,
    /// What the sub-agent was started for.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub task_description: Option<String>,
    /// Whether this repeats a prompt (or local command output) to the host.
    #[serde(default, rename = "isReplay", deserialize_with = "json::flag")]
    pub is_replay: bool,
    /// Whether the CLI made the prompt up (hook feedback, nudges, summaries).
    #[serde(default, rename = "isSynthetic", deserialize_with = "json::flag")]
    pub is_synthetic: bool,
    /// The tool's structured result; its shape depends on the tool.
    #[serde(default)]
    pub tool_use_result: Option<RawJson>,
    /// How each tool call was permitted (2.1.325).
    #[serde(default)]
    pub tool_result_meta: Option<RawJson>,
    /// When it was written.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub timestamp: Option<String>,
    /// Who wrote the prompt, when not the host.
    #[serde(default)]
    pub origin: Option<Origin>,
}

impl User {
    /// The tool results in this line.
    pub fn tool_results(&self) -> impl Iterator<Item = &ContentBlock> {
        self.message
            .content
            .blocks()
            .iter()
            .filter(|block| matches!(block, ContentBlock::ToolResult { .. }))
    }
}

/// The message inside a `user` line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct UserBody {
    /// Text, or blocks.
    pub content: Content,
}

/// Who started something, when not the host.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Origin {
    /// Such as `task-notification`.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub kind: Option<String>,
}
