//! What a person is asked.

use baton_protocol::{
    ApprovalId, Timestamp,
    event::{DiffPreview, Suggestion, Warning},
    words::{DecidedBy, Decision, Json, Risk},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The agent asks; `user_question_response` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserQuestionRequest {
    pub request_id: ApprovalId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    pub questions: Json,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// The agent has a plan; `plan_approval_response` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanApprovalRequest {
    pub request_id: ApprovalId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    pub plan: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_file_path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// A tool call needs a person; `tool_approval_response` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolApprovalRequest {
    pub request_id: ApprovalId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    pub tool_name: String,
    pub input: Json,
    pub risk: Risk,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub warnings: Vec<Warning>,
    /// For edits: the change against the file on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<DiffPreview>,
    pub suggestions: Vec<Suggestion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}

/// A request needs no answer any more. Each request gets one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    pub request_id: ApprovalId,
    pub decision: Decision,
    pub by: DecidedBy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
