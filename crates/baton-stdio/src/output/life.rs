//! The conversation, its processes and its turns.

use baton_protocol::{
    MessageId, SessionId, Turn,
    event::{EndedWork, RunningWork, TurnStats},
    words::{EndStatus, Json, Origin, PermissionMode, StopReason, Usage},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::{Budget, LeftOut, McpConflict, McpServer, Source};

/// The process takes messages. Always the first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    pub conversation_id: String,
    /// Baton's own id of the session.
    pub session_id: SessionId,
    pub cwd: String,
    /// `claude`, or `demo` where claude is not installed.
    pub agent: String,
    /// Baton's.
    pub version: String,
    pub permission_mode: PermissionMode,
    pub tool_preset: String,
    /// The tools that the user's setting `agent.tools` leaves of the preset;
    /// missing where it takes nothing away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The conversation that `--resume` named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed_from: Option<String>,
    pub forked: bool,
}

/// What the agent runs with: each time a process takes the conversation up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Init {
    /// The agent's own id: what `--resume` takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub tools: Vec<String>,
    pub mcp_servers: Vec<McpServer>,
    /// Names that several sources use, and who got them.
    pub mcp_conflicts: Vec<McpConflict>,
    pub slash_commands: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    pub cwd: String,
    /// Whether the folder's own settings, servers and instructions are taken:
    /// somebody has accepted them as they are.
    pub trusted: bool,
    /// What is left out of them because nobody has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    pub checkpointing: bool,
    pub budget: Budget,
}

/// Whether what is in the folder counts. Right after `ready` where something is
/// left out, the answer to `trust_folder`, and before a process that begins with
/// something else than the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderTrust {
    pub trusted: bool,
    /// What is in the folder and does not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Why it does not, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Names what is in the folder now; accepting it needs this.
    pub digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// A message was taken: it is in the log and will have its turn, or is told as
/// not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageAccepted {
    pub message_id: MessageId,
    /// It was known already, and is not run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// A process took the conversation up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStarted {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    pub source: Source,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

/// The process is gone, or was replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEnded {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<EndStatus>,
}

/// The agent's own id of the conversation changed: resume with this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionIdUpdate {
    pub session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_session_id: Option<String>,
}

/// A message is being worked on, or the agent went on by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStarted {
    pub turn: Turn,
    pub origin: Origin,
    /// Why the agent went on by itself: what ended in the background.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<EndedWork>,
    /// The messages it is about; none where the agent went on by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message_ids: Vec<MessageId>,
}

/// The turn is over; the process waits for the next message. After its `result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnComplete {
    pub turn: Turn,
    pub stop_reason: StopReason,
    /// What goes on in the background though the turn is over. `background_done`
    /// follows when it has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub still_running: Vec<RunningWork>,
}

/// What the last `turn_complete` named as still running has ended, and the
/// turns that came of it: nothing goes on any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackgroundDone {
    /// The last turn that began.
    pub turn: Turn,
}

/// How a turn ended. Exactly one per turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Result {
    pub turn: Turn,
    /// The messages it answered.
    pub message_ids: Vec<MessageId>,
    pub success: bool,
    pub is_error: bool,
    pub stop_reason: StopReason,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<Json>,
    /// Of this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Of the conversation in this process.
    pub total_cost_usd: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub duration_ms: u64,
    /// Set when it ended because the agent's process did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    pub stats: TurnStats,
    /// As in the `turn_complete` that follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub still_running: Vec<RunningWork>,
}

/// The turn was interrupted; with `wasRunning` false there was none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Interrupted {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    pub was_running: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// The agent is done with the turn by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentStop {
    pub turn: Turn,
}

/// The conversation ended by `stop` or the end of the input. Only `shutdown` follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Complete {
    pub turns: u32,
    pub total_cost_usd: f64,
}

/// The last line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Shutdown {
    pub reason: String,
    pub exit_code: u8,
}
