//! Approvals: durable questions to a person, answered exactly once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    id::{ApprovalId, RuleId},
    time::Timestamp,
    tool_use::{ToolKind, ToolSubject},
    words::{ApprovalKind, ClientRef, DecidedBy, Decision, Json, PermissionMode, Risk, Scope},
};

/// `approval.requested`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequested {
    pub approval_id: ApprovalId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    pub kind: ApprovalKind,
    /// The tool as its agent calls it.
    pub tool_name: String,
    /// What the call is, whatever its agent calls it.
    #[serde(default, skip_serializing_if = "ToolKind::is_other")]
    pub tool_kind: ToolKind,
    #[serde(default, skip_serializing_if = "ToolSubject::is_empty")]
    pub subject: Box<ToolSubject>,
    pub input: Json,
    pub risk: Risk,
    /// Why it is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// For edits: the change against the file on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<DiffPreview>,
    #[serde(default)]
    pub suggestions: Vec<Suggestion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The sub-agent that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}

/// Something a person should see before deciding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    pub kind: String,
    pub message: String,
}

/// A rule that would answer this and similar questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    pub rule: String,
    pub scope: Scope,
}

/// A change to one file, as hunks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffPreview {
    pub path: String,
    #[serde(default)]
    pub hunks: Vec<Hunk>,
    #[serde(default)]
    pub truncated: bool,
}

/// Lines that change together, with a little around them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    pub old_start: u32,
    pub new_start: u32,
    #[serde(default)]
    pub lines: Vec<DiffLine>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    pub kind: LineKind,
    pub text: String,
}

/// `approval.resolved`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    pub approval_id: ApprovalId,
    pub decision: Decision,
    pub by: DecidedBy,
    /// Of `by: "mode"`: the permission mode that decided. Where it is left out,
    /// another limit of the session did, such as its tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
    /// `client` denied because it had nobody to ask: no person and no mode
    /// decided, though `by` is `mode`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unattended: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<RuleId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Said to the agent with a denial, or why the question went away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_input: Option<Json>,
    /// What the call is about with that input.
    #[serde(default, skip_serializing_if = "ToolSubject::is_empty")]
    pub modified_subject: Box<ToolSubject>,
    #[serde(default)]
    pub interrupt: bool,
}

/// Which side of a change a line is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LineKind {
    Same,
    Added,
    Removed,
}
