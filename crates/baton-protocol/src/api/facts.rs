//! A session with what is open in it, for a screen that opens it at its tail.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{agent::Capabilities, approval::WaitingApproval};
use crate::{
    event::{Attachment, ContextUsage, RunningWork, TaskUpdated, TodoItem},
    id::{MessageId, SessionId},
    mask::Secret,
    row::SessionRow,
    seq::{Seq, Turn},
    time::Timestamp,
    words::TaskStatus,
};

/// A session with what is open in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    #[serde(flatten)]
    pub session: SessionRow,
    /// What its agent can do.
    #[serde(default)]
    pub capabilities: Capabilities,
    pub facts: SessionFacts,
    /// Of a copy of another session, where its past is, the oldest first.
    pub past: Vec<PastPart>,
    /// Texts in it that look like credentials, for screens to cover. Absent
    /// where there are none, and for who does not see them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<Secret>,
}

/// A part of another session's log, with which a copy of it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastPart {
    pub session_id: SessionId,
    /// The last event of it that the copy began with.
    pub up_to: Seq,
}

/// What is open, waiting and running, as of event `seq`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionFacts {
    pub seq: Seq,
    /// What goes on, in a few words.
    pub activity: Option<String>,
    /// What waits for a person, the oldest first.
    pub approvals: Vec<WaitingApproval>,
    /// Messages that wait for a turn, in the order in which they go.
    pub queue: Vec<QueuedMessage>,
    pub todo: Vec<TodoItem>,
    /// How full the model's context is; absent when not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextUsage>,
    pub tools: Vec<RunningTool>,
    /// Work in the background.
    pub tasks: Vec<TaskUpdated>,
    pub subagents: Vec<SubAgent>,
    /// The files that its tools changed, as far as the log can tell.
    pub changed: ChangedFiles,
    /// Sub-agents and background commands at work, with since when.
    pub work: Vec<RunningWork>,
}

/// A message that waits for a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    pub message_id: MessageId,
    pub text: String,
    pub attachments: Vec<Attachment>,
    pub queued_at: Timestamp,
    /// It is not begun before somebody lets it go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
}

/// A call without its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunningTool {
    pub tool_use_id: String,
    pub name: String,
    pub label: String,
    pub agent_id: Option<String>,
    pub parent_tool_use_id: Option<String>,
    pub turn: Turn,
    pub started_at: Timestamp,
}

/// One sub-agent or teammate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubAgent {
    pub agent_id: String,
    pub agent_type: Option<String>,
    pub description: Option<String>,
    /// The call that began it.
    pub parent_tool_use_id: Option<String>,
    /// The sub-agent that made that call; none: the main agent.
    pub parent_agent_id: Option<String>,
    pub status: TaskStatus,
    /// The turn it began in; it may outlive that.
    pub turn: Turn,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// Calls it has made.
    pub tool_calls: u32,
    /// What its newest call does, in words.
    pub last_label: Option<String>,
}

/// What the log tells about files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFiles {
    /// As the tools named them; those in a folder that was moved, as it is called now.
    pub files: BTreeSet<String>,
    /// Calls that may have changed files nobody can name, such as commands.
    pub untold: u32,
}
