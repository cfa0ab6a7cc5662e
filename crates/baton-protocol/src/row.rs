//! A session as lists show it.

use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    event::RunningWork,
    id::{ApprovalId, ProjectId, SessionId},
    time::Timestamp,
    words::{EndStatus, Mode, PermissionMode, Risk, Runtime, SessionState, Usage},
};

/// How a session stands as a whole: `running` until it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SessionStatus {
    Running,
    Completed,
    Stopped,
    Failed,
    /// Ended by itself, for want of something to do or after a long life.
    Asleep,
}

impl SessionStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Asleep => "asleep",
        }
    }
}

impl fmt::Display for SessionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<EndStatus> for SessionStatus {
    fn from(status: EndStatus) -> Self {
        match status {
            EndStatus::Completed => Self::Completed,
            EndStatus::Stopped => Self::Stopped,
            EndStatus::Failed => Self::Failed,
            EndStatus::Asleep => Self::Asleep,
        }
    }
}

/// A tool call that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelledCall {
    pub tool_use_id: String,
    pub label: String,
}

/// A try of the agent's that failed, and the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retrying {
    pub attempt: u32,
    pub max_attempts: Option<u32>,
    /// As the agent gave it.
    pub reason: String,
    /// When it tries again.
    pub due: Timestamp,
}

/// One session, true as of its event number `event_count`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    pub id: SessionId,
    pub project_id: ProjectId,
    pub agent: String,
    pub mode: Mode,
    pub runtime: Runtime,
    pub state: SessionState,
    pub status: SessionStatus,
    /// As given, else the first line of the first message.
    pub title: Option<String>,
    pub cwd: Option<String>,
    pub started_at: Timestamp,
    pub last_activity_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// From the start to the last activity.
    pub duration_ms: u64,
    /// Also the number of the last event.
    pub event_count: u64,
    pub turn_count: u32,
    pub exit_code: Option<i32>,
    pub error: Option<String>,
    /// Of the agent's process; absent once its holder is gone.
    pub pid: Option<u32>,
    pub agent_session_id: Option<String>,
    pub forked_from: Option<SessionId>,
    /// The sum over turns; absent until a turn told its price.
    pub cost_usd: Option<f64>,
    /// The sum over turns.
    pub usage: Usage,
    pub model: Option<String>,
    pub permission_mode: Option<PermissionMode>,
    /// The last turn failed, and none has begun since.
    #[serde(default)]
    pub turn_failed: bool,
    /// What the agent does now, in words: the newest call that has not ended,
    /// or why it waits to try again. Absent when no call runs.
    pub last_label: Option<String>,
    /// What it waits with to try again; absent once it got through.
    #[serde(default)]
    pub retry: Option<Retrying>,
    /// The calls without an end behind the label, oldest first.
    #[serde(default)]
    pub tools: Vec<LabelledCall>,
    pub open_approvals: u32,
    /// Of the open approvals.
    pub highest_risk: Option<Risk>,
    /// How full the model's context is, 0 to 1; absent when not known.
    pub context_share: Option<f64>,
    /// The open approvals behind the two fields above.
    pub approvals: BTreeMap<ApprovalId, Risk>,
    /// Sub-agents and background commands at work, the oldest first.
    #[serde(default)]
    pub work: Vec<RunningWork>,
}

impl SessionRow {
    /// The row before the first event.
    pub const fn new(id: SessionId, project_id: ProjectId, created_at: Timestamp) -> Self {
        Self {
            id,
            project_id,
            agent: String::new(),
            mode: Mode::Structured,
            runtime: Runtime::Streaming,
            state: SessionState::Starting,
            status: SessionStatus::Running,
            title: None,
            cwd: None,
            started_at: created_at,
            last_activity_at: created_at,
            ended_at: None,
            duration_ms: 0,
            event_count: 0,
            turn_count: 0,
            exit_code: None,
            error: None,
            pid: None,
            agent_session_id: None,
            forked_from: None,
            cost_usd: None,
            usage: Usage {
                input_tokens: 0,
                output_tokens: 0,
                cache_read_input_tokens: 0,
                cache_creation_input_tokens: 0,
            },
            model: None,
            permission_mode: None,
            turn_failed: false,
            last_label: None,
            retry: None,
            tools: Vec::new(),
            open_approvals: 0,
            highest_risk: None,
            context_share: None,
            approvals: BTreeMap::new(),
            work: Vec::new(),
        }
    }
}
