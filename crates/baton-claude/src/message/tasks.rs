//! Tasks: sub-agents and commands that run beside the conversation.

use serde::Deserialize;

use crate::json::{self, RawJson, word_enum};

word_enum! {
    /// What a task is.
    TaskKind {
        /// A shell command.
        LocalBash = "local_bash",
        /// A sub-agent.
        LocalAgent = "local_agent",
    }
}

word_enum! {
    /// Where a task stands.
    TaskStatus {
        /// It works.
        Running = "running",
        /// It ended well.
        Completed = "completed",
        /// It ended badly.
        Failed = "failed",
        /// It was stopped (as `task_notification` says it).
        Stopped = "stopped",
        /// It was stopped (as `task_updated` says it).
        Killed = "killed",
    }
}

/// A task began.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TaskStarted {
    /// Names the task; asks of a sub-agent carry it as `agent_id`.
    pub task_id: String,
    /// The call that started it.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_use_id: Option<String>,
    /// What it is for.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub description: Option<String>,
    /// What it is.
    #[serde(default)]
    pub task_type: Option<TaskKind>,
    /// The kind of sub-agent.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub subagent_type: Option<String>,
    /// The sub-agent's prompt.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub prompt: Option<String>,
    /// Whether the conversation goes on without it (2.1.325).
    #[serde(default, deserialize_with = "json::opt_bool")]
    pub is_backgrounded: Option<bool>,
}

/// A sub-agent used a tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TaskProgress {
    /// The task.
    pub task_id: String,
    /// The call that started it.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_use_id: Option<String>,
    /// What it is doing.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub description: Option<String>,
    /// The kind of sub-agent.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub subagent_type: Option<String>,
    /// What it has used so far.
    #[serde(default)]
    pub usage: Option<TaskUsage>,
    /// The tool it used last.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub last_tool_name: Option<String>,
}

/// What a task has used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TaskUsage {
    /// Tokens.
    #[serde(deserialize_with = "json::opt_u64")]
    pub total_tokens: Option<u64>,
    /// Tool calls.
    #[serde(deserialize_with = "json::opt_u64")]
    pub tool_uses: Option<u64>,
    /// Time.
    #[serde(deserialize_with = "json::opt_u64")]
    pub duration_ms: Option<u64>,
}

/// Some fields of a task changed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TaskUpdated {
    /// The task.
    pub task_id: String,
    /// The fields that changed.
    #[serde(deserialize_with = "json::or_default")]
    pub patch: TaskPatch,
}

/// The fields of a task that changed; absent ones did not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TaskPatch {
    /// Where it stands.
    pub status: Option<TaskStatus>,
    /// When it ended, in milliseconds since 1970.
    #[serde(deserialize_with = "json::opt_u64")]
    pub end_time: Option<u64>,
    /// Whether the conversation goes on without it.
    #[serde(deserialize_with = "json::opt_bool")]
    pub is_backgrounded: Option<bool>,
}

/// A task ended.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TaskNotification {
    /// The task.
    pub task_id: String,
    /// How it ended.
    pub status: TaskStatus,
    /// The call that started it.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_use_id: Option<String>,
    /// Where its output is; empty for foreground work.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub output_file: Option<String>,
    /// A sentence about it.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub summary: Option<String>,
    /// What it used.
    #[serde(default)]
    pub usage: Option<TaskUsage>,
}

/// The whole list of background tasks, which replaces the one before.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct BackgroundTasksChanged {
    /// The tasks; their shape has not been observed, so they stay raw.
    pub tasks: Vec<RawJson>,
}
