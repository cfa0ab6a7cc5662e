//! Tool calls and what they give.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    id::BlobId,
    tool_use::{ToolKind, ToolSubject},
    words::Json,
};

/// `tool.requested`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequested {
    pub tool_use_id: String,
    /// The tool as its agent calls it.
    pub name: String,
    /// What the call is, whatever its agent calls it.
    #[serde(default, skip_serializing_if = "ToolKind::is_other")]
    pub tool_kind: ToolKind,
    #[serde(default, skip_serializing_if = "ToolSubject::is_empty")]
    pub subject: Box<ToolSubject>,
    pub input: Json,
    /// In words: `Reading …/file.rs`.
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_use_id: Option<String>,
}

/// `tool.completed`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCompleted {
    pub tool_use_id: String,
    pub name: String,
    /// What the model sees, as text.
    pub output: String,
    /// What the tool tells a screen beyond its text, such as the patch of an edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Json>,
    #[serde(default)]
    pub is_error: bool,
    pub duration_ms: u64,
    #[serde(default)]
    pub images: Vec<BlobId>,
    /// The whole output is longer; `bytes` says how long.
    #[serde(default)]
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_blob: Option<BlobId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_tool_use_id: Option<String>,
}

/// `image.output`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageOutput {
    pub image_id: BlobId,
    pub media_type: String,
    pub bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
}
