//! Search, usage, backup and retention: what the log as a whole is asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::Part;
use crate::{
    id::{ProjectId, SessionId},
    seq::Seq,
    words::Usage,
};

/// Words to look for in everything that was said, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Search {
    /// All of them must occur; the last one may be a beginning.
    pub q: String,
    /// Only in this project: its slug, id or path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// At most 200; 50 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A message or a title in which all words occur.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    pub session_id: SessionId,
    pub project_id: ProjectId,
    /// Of the session.
    pub title: Option<String>,
    /// Of the event.
    pub seq: Seq,
    /// The text around the match.
    pub snippet: String,
    /// Where the words are in `snippet`: beginnings and ends in UTF-16 code units.
    pub marks: Vec<(u32, u32)>,
    /// Copies of the session that began with this event: it is a part of their past.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<SessionId>,
}

/// Part of what was found.
pub type SearchHits = Part<SearchHit>;

/// Which days and which project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct UsageQuery {
    /// The first day in UTC, such as `2026-11-15`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// A slug, id or path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// What turns of one model cost in one project on one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageItem {
    /// In UTC, such as `2026-11-15`.
    pub day: String,
    pub project_id: ProjectId,
    /// None if it is not listed.
    pub project: Option<String>,
    /// None for turns whose model was not known.
    pub model: Option<String>,
    pub cost_usd: f64,
    pub usage: Usage,
    pub turns: u64,
}

/// Cost and tokens, the newest day first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    pub items: Vec<UsageItem>,
    pub total_cost_usd: f64,
    pub total_turns: u64,
}

/// Where a copy of the log goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Backup {
    /// A file that is not there yet, as an absolute path.
    pub path: String,
}

/// A copy of the log that was read back and is whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupMade {
    pub path: String,
    pub bytes: u64,
    pub sessions: u64,
    pub events: u64,
}

/// What retention took out of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retained {
    pub removed: Vec<RemovedSession>,
}

/// A session that is no longer in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedSession {
    pub session_id: SessionId,
    pub events: u64,
}
