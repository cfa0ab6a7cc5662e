//! System lines: what the CLI says about itself.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::tasks::{
    BackgroundTasksChanged, TaskNotification, TaskProgress, TaskStarted, TaskUpdated,
};
use crate::control::PermissionMode;
use crate::json::{self, RawJson, word_enum};

/// One `system` line.
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    /// The session. It changes on `/clear` and on a fork.
    pub session_id: Option<String>,
    /// Names this line.
    pub uuid: Option<String>,
    /// The user messages it is about (2.1.325, on init and status).
    pub user_message_uuids: Vec<String>,
    /// What it says.
    pub message: SystemMessage,
}

/// What a `system` line says, by its subtype.
#[derive(Debug, Clone, PartialEq)]
pub enum SystemMessage {
    /// A turn begins; sent every turn, also for turns the CLI starts itself.
    Init(Box<Init>),
    /// An API call or compaction begins or ends, or the mode changed.
    Status(Status),
    /// History up to here was replaced by a summary.
    CompactBoundary(CompactBoundary),
    /// A command hook starts.
    HookStarted(HookRun),
    /// A command hook wrote something.
    HookProgress(HookRun),
    /// A command hook ended.
    HookResponse(HookRun),
    /// A sub-agent, a background command, or a foreground command that takes
    /// longer than about three seconds.
    TaskStarted(TaskStarted),
    /// A sub-agent used a tool.
    TaskProgress(TaskProgress),
    /// Some fields of a task changed.
    TaskUpdated(TaskUpdated),
    /// A task ended.
    TaskNotification(TaskNotification),
    /// The whole list of background tasks.
    BackgroundTasksChanged(BackgroundTasksChanged),
    /// An API call failed and will be tried again.
    ApiRetry(ApiRetry),
    /// The fallback model takes over.
    ModelFallback(ModelFallback),
    /// Reasoning goes on; one per thinking delta.
    ThinkingTokens(ThinkingTokens),
    /// Running, waiting for an answer, or idle.
    SessionStateChanged(SessionStateChanged),
    /// The whole list of slash commands.
    CommandsChanged(CommandsChanged),
    /// Something to show the user.
    Notification(Notification),
    /// Any other subtype, or a known one we cannot read, whole.
    Other {
        /// The subtype.
        subtype: Option<String>,
        /// The line.
        raw: RawJson,
    },
}

/// The start of a turn and the state of the session at that moment.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Init {
    /// The working directory.
    #[serde(deserialize_with = "json::opt_string")]
    pub cwd: Option<String>,
    /// The model in use.
    #[serde(deserialize_with = "json::opt_string")]
    pub model: Option<String>,
    /// The permission mode.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// Names of the tools; the sub-agent tool is listed as `Task` here while
    /// its calls are named `Agent`.
    #[serde(deserialize_with = "json::or_default")]
    pub tools: Vec<String>,
    /// MCP servers and how they are.
    #[serde(deserialize_with = "json::or_default")]
    pub mcp_servers: Vec<InitMcpServer>,
    /// Slash commands, without the slash.
    #[serde(deserialize_with = "json::or_default")]
    pub slash_commands: Vec<String>,
    /// Kinds of sub-agents.
    #[serde(deserialize_with = "json::or_default")]
    pub agents: Vec<String>,
    /// Skills.
    #[serde(deserialize_with = "json::or_default")]
    pub skills: Vec<String>,
    /// Plugins, as the CLI describes them.
    #[serde(deserialize_with = "json::or_default")]
    pub plugins: Vec<InitPlugin>,
    /// Where the API key comes from.
    #[serde(rename = "apiKeySource", deserialize_with = "json::opt_string")]
    pub api_key_source: Option<String>,
    /// The CLI's version, such as `2.1.197`.
    #[serde(deserialize_with = "json::opt_string")]
    pub claude_code_version: Option<String>,
    /// Protocol features of this CLI; absent before 2.1.325.
    pub capabilities: Option<Vec<String>>,
    /// The output style.
    #[serde(deserialize_with = "json::opt_string")]
    pub output_style: Option<String>,
    /// Fast mode: `off`, `on`, …
    #[serde(deserialize_with = "json::opt_string")]
    pub fast_mode_state: Option<String>,
    /// Further directories the session may work in (2.1.325).
    #[serde(deserialize_with = "json::or_default")]
    pub additional_directories: Vec<String>,
}

/// An MCP server as `init` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct InitMcpServer {
    /// Its name.
    pub name: String,
    /// How it is.
    pub status: McpServerState,
}

word_enum! {
    /// How an MCP server is.
    McpServerState {
        /// In use.
        Connected = "connected",
        /// Could not be started or reached.
        Failed = "failed",
        /// Starting.
        Pending = "pending",
        /// Switched off.
        Disabled = "disabled",
        /// Waits for a login.
        NeedsAuth = "needs-auth",
    }
}

/// A plugin as `init` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct InitPlugin {
    /// Its name.
    pub name: String,
    /// Where it is loaded from.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub path: Option<String>,
    /// Name and marketplace.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub source: Option<String>,
}

/// A change of what the CLI is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Status {
    /// `requesting`, `compacting`, or nothing.
    #[serde(deserialize_with = "json::opt_string")]
    pub status: Option<String>,
    /// The new permission mode, when it changed.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// `success` or `failed`, at the end of a compaction.
    #[serde(deserialize_with = "json::opt_string")]
    pub compact_result: Option<String>,
    /// Why a compaction failed.
    #[serde(deserialize_with = "json::opt_string")]
    pub compact_error: Option<String>,
}

/// The point where a summary replaced history.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CompactBoundary {
    /// How it came about.
    #[serde(deserialize_with = "json::or_default")]
    pub compact_metadata: CompactMetadata,
}

/// How a compaction came about and what it did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CompactMetadata {
    /// `manual` or `auto`.
    #[serde(deserialize_with = "json::opt_string")]
    pub trigger: Option<String>,
    /// Tokens before.
    #[serde(deserialize_with = "json::opt_u64")]
    pub pre_tokens: Option<u64>,
    /// Tokens after.
    #[serde(deserialize_with = "json::opt_u64")]
    pub post_tokens: Option<u64>,
    /// How long it took.
    #[serde(deserialize_with = "json::opt_u64")]
    pub duration_ms: Option<u64>,
}

/// A command hook that runs or ran. Callback hooks make no such lines.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HookRun {
    /// Names the run.
    pub hook_id: String,
    /// Such as `PreToolUse:Bash`.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub hook_name: Option<String>,
    /// The event.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub hook_event: Option<String>,
    /// What it wrote, both streams.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub output: Option<String>,
    /// What it wrote to stdout.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub stdout: Option<String>,
    /// What it wrote to stderr.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub stderr: Option<String>,
    /// Its exit code.
    #[serde(default, deserialize_with = "json::opt_i64")]
    pub exit_code: Option<i64>,
    /// Such as `success`.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub outcome: Option<String>,
}

/// A failed API call that will be tried again.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ApiRetry {
    /// Counts from one; restarts after a model fallback.
    #[serde(deserialize_with = "json::opt_u64")]
    pub attempt: Option<u64>,
    /// The last attempt's number.
    #[serde(deserialize_with = "json::opt_u64")]
    pub max_retries: Option<u64>,
    /// Time until the next attempt.
    #[serde(deserialize_with = "json::opt_f64")]
    pub retry_delay_ms: Option<f64>,
    /// The HTTP status; absent when nothing answered.
    #[serde(deserialize_with = "json::opt_u64")]
    pub error_status: Option<u64>,
    /// Such as `overloaded`, `rate_limit`, `authentication_failed`.
    #[serde(deserialize_with = "json::opt_string")]
    pub error: Option<String>,
}

/// A change to the fallback model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ModelFallback {
    /// Why, such as `overloaded`.
    #[serde(deserialize_with = "json::opt_string")]
    pub trigger: Option<String>,
    /// The model that was asked for.
    #[serde(deserialize_with = "json::opt_string")]
    pub original_model: Option<String>,
    /// The model that answers instead.
    #[serde(deserialize_with = "json::opt_string")]
    pub fallback_model: Option<String>,
    /// A sentence for the user.
    #[serde(deserialize_with = "json::opt_string")]
    pub content: Option<String>,
}

/// An estimate of how much was thought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ThinkingTokens {
    /// So far.
    #[serde(deserialize_with = "json::opt_u64")]
    pub estimated_tokens: Option<u64>,
    /// Since the line before.
    #[serde(deserialize_with = "json::opt_u64")]
    pub estimated_tokens_delta: Option<u64>,
}

word_enum! {
    /// What the session is doing, by its own account.
    SessionState {
        /// A turn runs.
        Running = "running",
        /// It waits for an answer of the host.
        RequiresAction = "requires_action",
        /// It waits for a message.
        Idle = "idle",
    }
}

/// A change of the session's state. Sent only when an environment variable asks
/// for it, see [`crate::Options::session_state_events`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SessionStateChanged {
    /// The new state.
    pub state: SessionState,
}

/// There are other slash commands now; the next `init` line has them all.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CommandsChanged {}

/// Something to show the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Notification {
    /// What it is about, such as `stop-hook-error`.
    #[serde(deserialize_with = "json::opt_string")]
    pub key: Option<String>,
    /// The text.
    #[serde(deserialize_with = "json::opt_string")]
    pub text: Option<String>,
    /// Such as `immediate`.
    #[serde(deserialize_with = "json::opt_string")]
    pub priority: Option<String>,
}

#[derive(Deserialize)]
struct HeadWire {
    #[serde(default, deserialize_with = "json::opt_string")]
    session_id: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    uuid: Option<String>,
    #[serde(default, deserialize_with = "json::or_default")]
    user_message_uuids: Vec<String>,
}

pub(crate) fn decode(line: &str, subtype: Option<&str>) -> Result<System, serde_json::Error> {
    let head: HeadWire = serde_json::from_str(line)?;
    let message = match body(line, subtype) {
        Some(message) => message,
        None => SystemMessage::Other {
            subtype: subtype.map(str::to_owned),
            raw: serde_json::from_str(line)?,
        },
    };
    Ok(System {
        session_id: head.session_id,
        uuid: head.uuid,
        user_message_uuids: head.user_message_uuids,
        message,
    })
}

/// None when the subtype is unknown or its line lacks what it needs.
fn body(line: &str, subtype: Option<&str>) -> Option<SystemMessage> {
    fn read<T: DeserializeOwned>(line: &str) -> Option<T> {
        serde_json::from_str(line).ok()
    }
    Some(match subtype? {
        "init" => SystemMessage::Init(Box::new(read(line)?)),
        "status" => SystemMessage::Status(read(line)?),
        "compact_boundary" => SystemMessage::CompactBoundary(read(line)?),
        "hook_started" => SystemMessage::HookStarted(read(line)?),
        "hook_progress" => SystemMessage::HookProgress(read(line)?),
        "hook_response" => SystemMessage::HookResponse(read(line)?),
        "task_started" => SystemMessage::TaskStarted(read(line)?),
        "task_progress" => SystemMessage::TaskProgress(read(line)?),
        "task_updated" => SystemMessage::TaskUpdated(read(line)?),
        "task_notification" => SystemMessage::TaskNotification(read(line)?),
        "background_tasks_changed" => SystemMessage::BackgroundTasksChanged(read(line)?),
        "api_retry" => SystemMessage::ApiRetry(read(line)?),
        "model_fallback" => SystemMessage::ModelFallback(read(line)?),
        "thinking_tokens" => SystemMessage::ThinkingTokens(read(line)?),
        "session_state_changed" => SystemMessage::SessionStateChanged(read(line)?),
        "commands_changed" => SystemMessage::CommandsChanged(read(line)?),
        "notification" => SystemMessage::Notification(read(line)?),
        _ => return None,
    })
}
