//! What Baton says: every event, one JSON object per line.
//!
//! Each type's own comment says when it is said. `translate` makes them from
//! the session's log; `docs/stdio.md` has an example of each.

mod answer;
mod life;
mod parts;
mod person;
mod talk;
mod work;

pub use answer::*;
pub use life::*;
pub use parts::*;
pub use person::*;
pub use talk::*;
pub use work::*;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};

macro_rules! outputs {
    ($($variant:ident = $name:literal,)+) => {
        /// One line of the output.
        #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum Output {
            $(#[serde(rename = $name)] $variant($variant),)+
        }

        impl Output {
            /// Every name, `type` in the line.
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            /// This line's name.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)+
                }
            }
        }

        // By hand: a derived one cannot hold JSON as it came.
        impl<'de> Deserialize<'de> for Output {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                let mut fields = Map::deserialize(deserializer)?;
                let Some(Value::String(name)) = fields.remove("type") else {
                    return Err(de::Error::missing_field("type"));
                };
                let body = Value::Object(fields);
                match name.as_str() {
                    $($name => serde_json::from_value(body).map(Self::$variant),)+
                    other => return Err(de::Error::unknown_variant(other, Self::NAMES)),
                }
                .map_err(de::Error::custom)
            }
        }

        $(impl From<$variant> for Output {
            fn from(said: $variant) -> Self {
                Self::$variant(said)
            }
        })+
    };
}

outputs! {
    Ready = "ready",
    FolderTrust = "folder_trust",
    Init = "init",
    SessionStarted = "session_started",
    SessionEnded = "session_ended",
    SessionIdUpdate = "session_id_update",
    MessageAccepted = "message_accepted",
    TurnStarted = "turn_started",
    TurnComplete = "turn_complete",
    BackgroundDone = "background_done",
    Complete = "complete",
    AssistantText = "assistant_text",
    ThinkingStart = "thinking_start",
    ThinkingDelta = "thinking_delta",
    Thinking = "thinking",
    ToolStart = "tool_start",
    ToolEnd = "tool_end",
    ToolProgress = "tool_progress",
    ImageOutput = "image_output",
    HookPreTool = "hook_pre_tool",
    HookPostTool = "hook_post_tool",
    SubagentStarted = "subagent_started",
    SubagentStopped = "subagent_stopped",
    TaskUpdate = "task_update",
    TaskStopping = "task_stopping",
    UserQuestionRequest = "user_question_request",
    PlanApprovalRequest = "plan_approval_request",
    ToolApprovalRequest = "tool_approval_request",
    ApprovalResolved = "approval_resolved",
    TodoUpdate = "todo_update",
    Result = "result",
    ContextUsage = "context_usage",
    ContextWindowSize = "context_window_size",
    CompactBoundary = "compact_boundary",
    CheckpointCreated = "checkpoint_created",
    FilesRewound = "files_rewound",
    ModelChanged = "model_changed",
    PermissionModeChanged = "permission_mode_changed",
    BudgetChanged = "budget_changed",
    Interrupted = "interrupted",
    AgentNotification = "agent_notification",
    AgentStop = "agent_stop",
    SupportedModels = "supported_models",
    SupportedCommands = "supported_commands",
    McpStatus = "mcp_status",
    AccountInfo = "account_info",
    Error = "error",
    AuthError = "auth_error",
    Shutdown = "shutdown",
}
