//! Messages in both directions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    id::{BlobId, MessageId},
    words::{ClientRef, Usage},
};

/// `user.message`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    pub message_id: MessageId,
    pub text: String,
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    #[serde(default)]
    pub queued: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientRef>,
}

/// A file or image that came with a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    pub name: String,
    pub media_type: String,
    pub bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob_id: Option<BlobId>,
}

/// `message.delivered`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageDelivered {
    pub message_id: MessageId,
}

/// `message.removed`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageRemoved {
    pub message_id: MessageId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientRef>,
    /// Why, where nobody took it back: the session ended before its turn came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `message.edited`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageEdited {
    pub message_id: MessageId,
    /// What the agent gets instead; its files stay.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientRef>,
}

/// `message.moved`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageMoved {
    pub message_id: MessageId,
    /// The one that it stands before now; absent: it is the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientRef>,
}

/// `queue.held`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueHeld {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientRef>,
    /// Why, where nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `queue.released`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueReleased {
    /// Only this one goes on, before all others; absent: all of them do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientRef>,
}

/// One finished block of the assistant: text or thinking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistantBlock {
    /// The model API's id, shared by the blocks of one answer.
    pub message_id: String,
    /// The agent's own row id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_uuid: Option<String>,
    pub block: u32,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Provisional; `turn.completed` counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_use_id: Option<String>,
    /// Cut short by an interrupt.
    #[serde(default)]
    pub aborted: bool,
}
