//! What the agent says and how full its context is.

use baton_protocol::{
    Turn,
    event::TodoItem,
    words::{Json, Usage},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A paragraph of the answer, blank lines at its end included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistantText {
    pub text: String,
    /// The model's message that it belongs to.
    pub message_id: String,
    pub block: u32,
    pub turn: Turn,
    /// The block is not what was told of it so far: it begins anew here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<bool>,
}

/// The model begins to think.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingStart {
    pub message_id: String,
    pub block: u32,
}

/// A piece of what it thinks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingDelta {
    pub message_id: String,
    pub block: u32,
    pub text: String,
}

/// All of what it thought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Thinking {
    pub message_id: String,
    pub block: u32,
    pub text: String,
    /// It was cut short; this is what was heard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted: Option<bool>,
}

/// The agent's list; always the whole of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoUpdate {
    pub todos: Vec<TodoItem>,
}

/// Tokens of one message of the model, and what fills the context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// How much the model's context holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextWindowSize {
    pub window: u64,
    pub tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The context was compacted here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactBoundary {
    pub trigger: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_tokens: Option<u64>,
}

/// Something a person may want to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentNotification {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub message: String,
    pub notification_type: String,
    /// What the agent said, where this version does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Json>,
}
