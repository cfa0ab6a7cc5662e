//! Turns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;

use super::{EndedWork, RunningWork};
use crate::{
    id::MessageId,
    seq::Turn,
    words::{Json, Origin, StopReason, Usage},
};

/// `turn.started`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStarted {
    pub turn: Turn,
    pub origin: Origin,
    /// The message that began it. Absent where it is the oldest that waits, and
    /// where the agent began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// Why the agent began it by itself: what ended beside the conversation.
    /// Empty where it did not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<EndedWork>,
}

impl TurnStarted {
    /// Which of the messages that wait the turn takes: the agent gets one
    /// message per turn.
    pub fn takes(&self, oldest: Option<MessageId>) -> Option<MessageId> {
        match self.origin {
            Origin::User | Origin::Schedule => self.message_id.or(oldest),
            Origin::Agent => self.message_id,
        }
    }
}

/// `turn.completed`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnCompleted {
    pub turn: Turn,
    /// The messages this turn answered.
    #[serde(default)]
    pub message_ids: Vec<MessageId>,
    pub stop_reason: StopReason,
    /// Set when the turn ended because the process did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub is_error: bool,
    /// The agent's final answer, or the error's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The answer as data, when a schema was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<Json>,
    pub duration_ms: u64,
    /// This turn's price, not the process's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub stats: TurnStats,
    /// What goes on in the background though the turn is over. The session is
    /// not idle before it has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub still_running: Vec<RunningWork>,
}

/// What a turn did, counted from its events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TurnStats {
    pub tool_calls: u32,
    pub tools_by_type: BTreeMap<String, u32>,
    pub sub_agents: u32,
    pub files_read: u32,
    pub files_written: u32,
    pub bash_commands: u32,
    pub web_searches: u32,
    pub total_tool_duration_ms: u64,
}
