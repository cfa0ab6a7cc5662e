//! Repositories that are got from elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A repository to get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CloneBody {
    /// `https://…`, `ssh://…` or `git@host:path`, without a password.
    pub url: String,
    /// The folder that it is put into: below the home folder or the roots of the
    /// settings; `~` is the home folder, which it is when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
    /// What its own folder is called; when absent, what the address ends with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CloneId {
    pub id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CloneState {
    Running,
    /// It is there, and a project.
    Done,
    Failed,
    /// Somebody ended it.
    Cancelled,
}

/// A repository on its way. Before it is whole, nothing of it is at `path`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cloned {
    pub id: String,
    pub url: String,
    pub path: String,
    pub state: CloneState,
    /// What git does just now, in its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    /// How much of that is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// The slug of the project that it became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Why it failed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
