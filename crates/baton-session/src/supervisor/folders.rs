//! What the agents' home says about folders.

use std::{path::PathBuf, sync::Arc};

use super::Supervisor;
use crate::agents::AgentHome;

impl Supervisor {
    /// What this machine has for agents.
    pub fn agent_home(&self) -> &AgentHome {
        &self.home
    }

    /// Folders that agents have run in, with Baton or without. They may be gone
    /// by now.
    pub async fn known_folders(&self) -> std::io::Result<Vec<PathBuf>> {
        let home = Arc::clone(&self.home);
        let listed = tokio::task::spawn_blocking(move || home.known_folders());
        listed.await.map_err(std::io::Error::other)?
    }
}
