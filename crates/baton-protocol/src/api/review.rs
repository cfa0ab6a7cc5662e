//! Review comments: remarks on a project's files, of people and agents alike.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// One remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewComment {
    pub id: String,
    /// From the project's folder.
    pub path: String,
    /// The line it is about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The last line it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    pub severity: Severity,
    pub body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    pub created_at: Timestamp,
    /// The lines it was made on, by which it is found again when others come
    /// before them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The file or the lines are not there any more; `line` is where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated: Option<bool>,
    /// Somebody has said that it is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolution>,
}

/// Who settled a remark, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resolution {
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// How much a remark matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    Note,
    #[default]
    Suggestion,
    Problem,
}

/// A remark to keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommentAdd {
    pub project: String,
    /// The file, from the project's folder.
    pub path: String,
    /// What there is to say; 10,000 characters at most.
    pub body: String,
    /// The line it is about, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The last line it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    #[serde(default)]
    pub severity: Severity,
    /// Who says it; the client's name unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
}

/// Settles a remark, or opens it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommentResolve {
    pub project: String,
    pub comment_id: String,
    pub resolved: bool,
}

/// Takes a remark off the list for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommentRemove {
    pub project: String,
    pub comment_id: String,
}

/// Which remarks to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ListComments {
    pub project: String,
    /// Only those on this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Up to 200; 100 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Remarks on a project, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewComments {
    pub comments: Vec<ReviewComment>,
    /// How many there are.
    pub total: u64,
    /// There are more after these.
    pub truncated: bool,
    /// Where the next part begins; none at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// How many each file of the whole project has that are not settled.
    pub files: Vec<FileComments>,
}

/// How many remarks a file has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileComments {
    pub path: String,
    pub comments: u32,
}
