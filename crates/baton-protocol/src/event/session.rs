//! A session as a whole.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    id::{ProjectId, SessionId},
    options::SessionOptions,
    seq::Seq,
    words::{EndStatus, MemoryLoss, Mode, PermissionMode, Remedy, Runtime, SessionState},
};

/// `session.created`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCreated {
    /// Which agent runs it: `claude`, `demo`.
    pub agent: String,
    pub mode: Mode,
    pub runtime: Runtime,
    pub cwd: String,
    /// The folder of its project, where that is not `cwd` but around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<SessionId>,
    /// The message or agent row it was cut at; `end` for a whole copy of a
    /// conversation that was begun outside Baton.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_at: Option<String>,
    /// The agent's own session that it takes up, begun outside Baton.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<String>,
    pub options: SessionOptions,
}

impl SessionCreated {
    /// The folder by which its project is known.
    pub fn project_folder(&self) -> &str {
        self.project.as_deref().unwrap_or(&self.cwd)
    }

    /// Everything that it names in a folder that was moved is in the new one.
    pub fn follow(&mut self, moved: &Moved) {
        let folders = [Some(&mut self.cwd), self.project.as_mut()];
        let beside = self.options.add_dirs.iter_mut().flatten();
        for path in folders.into_iter().flatten().chain(beside) {
            *path = moved.place(path);
        }
    }
}

/// `session.started`: each time a process takes the session up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStarted {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default)]
    pub tools: Vec<String>,
    #[serde(default)]
    pub mcp_servers: Vec<McpServerState>,
    #[serde(default)]
    pub slash_commands: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

/// An MCP server as the agent sees it at start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpServerState {
    pub name: String,
    pub status: String,
}

/// `session.state`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStateChanged {
    pub state: SessionState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `session.updated`: only what changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionUpdated {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_session_id: Option<String>,
    /// All that it runs with from its next process on, instead of what it was
    /// made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Box<SessionOptions>>,
    /// Of `options`: only the budget among them is another. The model and the
    /// permission mode stay what they have been changed to since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub budget_only: bool,
    /// What the project's own files leave of the tools from here on. They take
    /// away at once and give nothing back before a person has accepted them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder_tools: Option<FolderTools>,
    /// The agent was found to lack a part of the past, before it was given a
    /// message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_lost: Option<MemoryLost>,
    /// Its project's folder is another from here on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Box<Moved>>,
}

/// A folder that is somewhere else than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// The folder of the project as it was.
    pub from: String,
    pub to: String,
    /// The project as it is called since; the events after this one name it.
    pub project_id: ProjectId,
}

impl Moved {
    /// Where a path is after the move. One outside the folder stays.
    pub fn place(&self, path: &str) -> String {
        match Path::new(path).strip_prefix(&self.from) {
            Ok(rest) if rest.as_os_str().is_empty() => self.to.clone(),
            Ok(rest) => Path::new(&self.to).join(rest).display().to_string(),
            Err(_) => path.to_owned(),
        }
    }
}

/// A past that the agent lacks, and what is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryLost {
    pub reason: MemoryLoss,
    pub remedy: Remedy,
    /// What it lacks begins after this event.
    pub after: Seq,
}

/// What a project's own files leave of a session's tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FolderTools {
    /// What `.baton/permissions.json` leaves; absent, it takes none away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// Rules of `.claude/settings.json` and `settings.local.json` that deny.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// Those that ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<String>,
}

/// `session.ended`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEnded {
    pub status: EndStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
