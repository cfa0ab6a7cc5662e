//! What the agents' home says about folders.

use std::path::PathBuf;

use baton_claude::transcript::known_folders;

use super::Supervisor;
use crate::agents::AgentHome;

impl Supervisor {
    /// What this machine has for agents.
    pub fn agent_home(&self) -> &AgentHome {
        &self.home
    }

    /// Folders that Claude Code has run in, with Baton or without. They may be
    /// gone by now.
    pub async fn claude_folders(&self) -> std::io::Result<Vec<PathBuf>> {
        let config = self.home.claude_config.clone();
        let listed = tokio::task::spawn_blocking(move || known_folders(&config));
        listed.await.map_err(std::io::Error::other)?
    }
}
