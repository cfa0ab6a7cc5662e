//! The issue that is worked on, whoever tracks it.
//!
//! A provider knows what an issue is about and where it stands. The local one
//! keeps issues as files of the workspace and needs no account; the one for
//! Linear knows no more than the identifier it was given and what such a file
//! says, and keeps the status here: nothing is sent anywhere.

use std::path::{Path, PathBuf};

use baton_project::secrets::SecretPlaces;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::place;

/// An issue as far as it is known here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Issue {
    pub id: String,
    pub provider: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The branch that was begun for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What else its file says, which is kept.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Whoever tracks issues. Errors are words for an agent.
pub trait IssueProvider: Send + Sync {
    fn name(&self) -> &'static str;

    /// An issue by its id; none if this provider has no such issue.
    fn get(&self, id: &str) -> Result<Option<Issue>, String>;

    /// Keeps what was changed about an issue.
    fn put(&self, issue: &Issue) -> Result<(), String>;
}

/// Issues as files: `.baton/issues/ID.json`.
#[derive(Debug, Clone)]
pub struct LocalIssues {
    folder: PathBuf,
    secrets: SecretPlaces,
}

impl LocalIssues {
    pub fn of(workspace: &Path, secrets: SecretPlaces) -> Self {
        Self {
            folder: workspace.to_owned(),
            secrets,
        }
    }
}

impl IssueProvider for LocalIssues {
    fn name(&self) -> &'static str {
        "local"
    }

    fn get(&self, id: &str) -> Result<Option<Issue>, String> {
        let name = file_name(id)?;
        let found =
            place::read(&self.folder, &self.secrets, &name).map_err(|error| error.to_string())?;
        let Some(found) = found else {
            return Ok(None);
        };
        let issue: Issue = serde_json::from_value(found)
            .map_err(|error| format!(".baton/{name} is no issue: {error}"))?;
        Ok(Some(Issue {
            id: id.to_owned(),
            provider: self.name().to_owned(),
            ..issue
        }))
    }

    fn put(&self, issue: &Issue) -> Result<(), String> {
        let name = file_name(&issue.id)?;
        let value = serde_json::to_value(issue).map_err(|error| error.to_string())?;
        place::write(&self.folder, &self.secrets, &name, &value).map_err(|error| error.to_string())
    }
}

/// Issues of Linear, known by their identifier.
#[derive(Debug, Clone)]
pub struct LinearIssues {
    here: LocalIssues,
}

impl LinearIssues {
    pub fn of(workspace: &Path, secrets: SecretPlaces) -> Self {
        Self {
            here: LocalIssues::of(workspace, secrets),
        }
    }
}

impl IssueProvider for LinearIssues {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn get(&self, id: &str) -> Result<Option<Issue>, String> {
        let known = self.here.get(id)?.unwrap_or_default();
        Ok(Some(Issue {
            id: id.to_owned(),
            provider: self.name().to_owned(),
            ..known
        }))
    }

    fn put(&self, issue: &Issue) -> Result<(), String> {
        self.here.put(issue)
    }
}

/// Whether a text can name an issue, and so a file and a branch.
pub(crate) fn is_id(id: &str) -> bool {
    let mut chars = id.chars();
    id.len() <= 64
        && chars.next().is_some_and(|c| c.is_ascii_alphanumeric())
        && chars.all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

fn file_name(id: &str) -> Result<String, String> {
    if !is_id(id) {
        return Err("an issue's id has letters, digits, - and _, 64 at most".into());
    }
    Ok(format!("issues/{id}.json"))
}
