//! The workspace that the tools are about.

use std::{fmt, path::PathBuf, sync::Arc};

use baton_project::{comments::Comments, git::Git, secrets::SecretPlaces};
use baton_protocol::Timestamp;
use uuid::Uuid;

use crate::issues::IssueProvider;

/// What becomes of a proposed change of the scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposals {
    /// A person has approved the call, so it is done.
    Apply,
    /// Nobody has: it is written beside the file, for a person to take over.
    Leave,
}

/// A folder, and what is known about the work in it.
pub struct Workspace {
    /// The whole path of the folder.
    pub folder: PathBuf,
    /// The folder of the project that it is in, or is. Remarks are the project's.
    pub project: PathBuf,
    pub conversation: Option<String>,
    /// The branch that the work is to go back to.
    pub target_branch: Option<String>,
    /// The issue that is worked on.
    pub issue: Option<String>,
    pub issues: Box<dyn IssueProvider>,
    pub comments: Comments,
    /// What no tool shows.
    pub secrets: SecretPlaces,
    pub proposals: Proposals,
    pub git: Git,
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    pub fresh_id: Arc<dyn Fn() -> Uuid + Send + Sync>,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}
