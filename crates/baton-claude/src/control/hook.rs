//! Hooks: the CLI calls back at certain moments and heeds the answer.

use serde::{Deserialize, Serialize};

use super::permission::{PermissionMode, PermissionUpdate};
use crate::json::{self, RawJson, word_enum};

word_enum! {
    /// The moments a hook may be called at.
    ///
    /// `SessionEnd` is never delivered as a callback and `SessionStart` only
    /// after a compaction.
    HookEvent {
        /// Before a tool runs; may allow, refuse, ask or change its input.
        PreToolUse = "PreToolUse",
        /// After a tool ran.
        PostToolUse = "PostToolUse",
        /// After a tool failed.
        PostToolUseFailure = "PostToolUseFailure",
        /// After all tools of one message ran.
        PostToolBatch = "PostToolBatch",
        /// Beside an ask; whoever answers first decides.
        PermissionRequest = "PermissionRequest",
        /// After a refusal.
        PermissionDenied = "PermissionDenied",
        /// Before a prompt is taken.
        UserPromptSubmit = "UserPromptSubmit",
        /// After a prompt was expanded.
        UserPromptExpansion = "UserPromptExpansion",
        /// Before a turn ends; may make it go on.
        Stop = "Stop",
        /// After a turn failed.
        StopFailure = "StopFailure",
        /// A sub-agent starts.
        SubagentStart = "SubagentStart",
        /// A sub-agent ends; also fires for the compaction's own agent.
        SubagentStop = "SubagentStop",
        /// Before a compaction.
        PreCompact = "PreCompact",
        /// After a compaction.
        PostCompact = "PostCompact",
        /// The session starts.
        SessionStart = "SessionStart",
        /// The session ends.
        SessionEnd = "SessionEnd",
        /// Something to tell the user.
        Notification = "Notification",
        /// Repository set-up.
        Setup = "Setup",
        /// A team member has nothing to do.
        TeammateIdle = "TeammateIdle",
        /// A task was created.
        TaskCreated = "TaskCreated",
        /// A task is done.
        TaskCompleted = "TaskCompleted",
        /// An MCP server asks the user.
        Elicitation = "Elicitation",
        /// The user answered an MCP server.
        ElicitationResult = "ElicitationResult",
        /// Settings changed.
        ConfigChange = "ConfigChange",
        /// A worktree was made.
        WorktreeCreate = "WorktreeCreate",
        /// A worktree was removed.
        WorktreeRemove = "WorktreeRemove",
        /// Instructions were loaded.
        InstructionsLoaded = "InstructionsLoaded",
        /// The working directory changed.
        CwdChanged = "CwdChanged",
        /// A watched file changed.
        FileChanged = "FileChanged",
        /// Text is shown.
        MessageDisplay = "MessageDisplay",
        /// Before the model changes (2.1.325).
        PreModelSwitch = "PreModelSwitch",
        /// After the model changed (2.1.325).
        PostModelSwitch = "PostModelSwitch",
        /// A directory was added (2.1.325).
        DirectoryAdded = "DirectoryAdded",
    }
}

/// Which calls of an event go to which callbacks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookMatcher {
    /// The tools it is for, as a pattern; absent means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// Names of ours that come back in [`HookCallback::callback_id`].
    pub hook_callback_ids: Vec<String>,
    /// Seconds, not milliseconds. When they are over the CLI cancels the
    /// callback and refuses the tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u32>,
}

/// The CLI calls a hook.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HookCallback {
    /// The name given at registration.
    pub callback_id: String,
    /// The tool call; for events without one, a random id.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_use_id: Option<String>,
    /// What happened; [`HookCallback::parsed`] reads it.
    pub input: RawJson,
}

impl HookCallback {
    /// Reads the input.
    ///
    /// # Errors
    /// Fails when the input is not an object with an event name.
    pub fn parsed(&self) -> Result<HookInput, serde_json::Error> {
        self.input.parse()
    }
}

/// What happened, for every kind of event; fields of other events are absent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct HookInput {
    /// The event.
    pub hook_event_name: HookEvent,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
    /// The transcript on disk.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub transcript_path: Option<String>,
    /// The working directory.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub cwd: Option<String>,
    /// The permission mode.
    #[serde(default)]
    pub permission_mode: Option<PermissionMode>,
    /// The tool.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_name: Option<String>,
    /// The tool's input.
    #[serde(default)]
    pub tool_input: Option<RawJson>,
    /// The tool's structured result.
    #[serde(default)]
    pub tool_response: Option<RawJson>,
    /// The calls of a batch.
    #[serde(default)]
    pub tool_calls: Option<RawJson>,
    /// The call.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_use_id: Option<String>,
    /// How long the tool ran.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub duration_ms: Option<u64>,
    /// Why a tool failed.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub error: Option<String>,
    /// Whether it failed because of an interrupt.
    #[serde(default, deserialize_with = "json::opt_bool")]
    pub is_interrupt: Option<bool>,
    /// The CLI's suggestions for an ask.
    #[serde(default, deserialize_with = "json::or_default")]
    pub permission_suggestions: Vec<PermissionUpdate>,
    /// The prompt.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub prompt: Option<String>,
    /// Whether a stop hook made this turn go on already.
    #[serde(default, deserialize_with = "json::opt_bool")]
    pub stop_hook_active: Option<bool>,
    /// The answer so far.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub last_assistant_message: Option<String>,
    /// The sub-agent.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub agent_id: Option<String>,
    /// The kind of sub-agent.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub agent_type: Option<String>,
    /// The sub-agent's transcript.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub agent_transcript_path: Option<String>,
    /// What started a compaction.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub trigger: Option<String>,
    /// What a compaction wrote.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub compact_summary: Option<String>,
    /// How the session started.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub source: Option<String>,
    /// Why the session ended.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub reason: Option<String>,
    /// The task.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub task_id: Option<String>,
    /// The task's title.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub task_subject: Option<String>,
    /// What to tell the user.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub message: Option<String>,
}

/// A hook's answer. The default has no opinion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookOutput {
    /// False ends the turn.
    #[serde(default, rename = "continue", skip_serializing_if = "Option::is_none")]
    pub go_on: Option<bool>,
    /// True lets the CLI go on at once; whatever else is said does not count.
    #[serde(default, rename = "async", skip_serializing_if = "Option::is_none")]
    pub in_background: Option<bool>,
    /// Hides the hook's output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppress_output: Option<bool>,
    /// Why the turn ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Approves or blocks what is about to happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<HookVerdict>,
    /// Shown to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
    /// Why; for a blocked stop, what the model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What only this event knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_specific_output: Option<HookSpecificOutput>,
}

word_enum! {
    /// A hook's verdict on what is about to happen.
    HookVerdict {
        /// Go on.
        Approve = "approve",
        /// Do not.
        Block = "block",
    }
}

/// The part of a hook's answer that depends on the event. Which fields count
/// is said at each; others are ignored by the CLI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookSpecificOutput {
    /// The event answered.
    pub hook_event_name: HookEvent,
    /// `PreToolUse`: whether the tool runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_decision: Option<HookPermission>,
    /// `PreToolUse`: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_decision_reason: Option<String>,
    /// `PreToolUse` with allow: the whole input to run it with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<RawJson>,
    /// `UserPromptSubmit`, `PostToolUse`: told to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<String>,
    /// `PermissionRequest`: a decision of the shape of
    /// [`crate::PermissionDecision`]; `{"behavior":"allow"}` suffices here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<RawJson>,
}

impl HookSpecificOutput {
    /// An answer for `event` without any opinion yet.
    #[must_use]
    pub fn new(event: HookEvent) -> Self {
        Self {
            hook_event_name: event,
            permission_decision: None,
            permission_decision_reason: None,
            updated_input: None,
            additional_context: None,
            decision: None,
        }
    }
}

word_enum! {
    /// Whether a tool runs, by a `PreToolUse` hook.
    HookPermission {
        /// It runs, without an ask.
        Allow = "allow",
        /// It does not; the reason is the tool's result.
        Deny = "deny",
        /// The host is asked, whatever the rules say.
        Ask = "ask",
        /// Left to what would happen without the hook.
        Defer = "defer",
    }
}
