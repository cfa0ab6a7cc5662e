//! The workspace that the tools are about.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_project::{comments::Comments, git::Git, secrets::SecretPlaces};
use baton_protocol::Timestamp;
use uuid::Uuid;

use crate::{issues::IssueProvider, place};

/// What becomes of a proposed change of the scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposals {
    /// A person has approved the call, so it is done.
    Apply,
    /// Nobody has: it is written beside the file, for a person to take over.
    Leave,
}

/// Whether something keeps a file from whoever calls the tools. Asks the disk.
pub type Withheld = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// A folder, and what is known about the work in it.
#[derive(Clone)]
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
    pub issues: Arc<dyn IssueProvider>,
    pub comments: Comments,
    /// What no tool shows.
    pub secrets: SecretPlaces,
    /// What rules keep from this agent: left out, and said so.
    pub withheld: Withheld,
    pub proposals: Proposals,
    pub git: Git,
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    pub fresh_id: Arc<dyn Fn() -> Uuid + Send + Sync>,
}

impl Workspace {
    /// Refuses to read a file of Baton's own that a rule keeps from the agent.
    pub(crate) fn shows(&self, name: &str) -> Result<(), String> {
        let name = Path::new(place::FOLDER).join(name);
        if (self.withheld)(&self.folder.join(&name)) {
            return Err(format!("a rule keeps {} from you", name.display()));
        }
        Ok(())
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}
