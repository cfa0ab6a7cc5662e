//! What governs all sessions of a data folder, given by whoever runs it.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use baton_process::holder::Tie;
use baton_project::surface::ToolLimit;
use baton_protocol::words::{PermissionMode, Remedy, Runtime};

use crate::{host::Host, machine::Limits, pool::PoolLimits};

#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub limits: Limits,
    pub pool: PoolLimits,
    pub defaults: Defaults,
    /// Gives the agents tools of its own.
    pub host: Option<Arc<dyn Host>>,
    /// Whether agents end when their owner does, or go on under the next.
    pub tie: Tie,
}

/// What a session runs with unless it was made with something else.
#[derive(Debug, Clone)]
pub struct Defaults {
    pub runtime: Runtime,
    pub model: Option<String>,
    pub fallback_model: Option<String>,
    pub permission_mode: Option<PermissionMode>,
    pub max_turns: Option<u32>,
    pub tools: ToolLimit,
    /// In a trusted folder; before trust only `user`.
    pub setting_sources: Vec<String>,
    pub append_system_prompt: Option<String>,
    pub agent_teams: bool,
    /// Whether skills and slash commands may run shell commands of their own.
    pub skill_shell: bool,
    /// What is done about a past that an agent lacks.
    pub lost_memory: Remedy,
    /// Further variables for agents in a folder and below it, nearest last.
    pub folder_env: Vec<(PathBuf, Vec<(OsString, OsString)>)>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            runtime: Runtime::Streaming,
            model: None,
            fallback_model: None,
            permission_mode: None,
            max_turns: None,
            tools: ToolLimit::All,
            setting_sources: ["user", "project", "local"].map(str::to_owned).to_vec(),
            append_system_prompt: None,
            agent_teams: true,
            skill_shell: false,
            lost_memory: Remedy::Log,
            folder_env: Vec::new(),
        }
    }
}
