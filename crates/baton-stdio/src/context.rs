//! What is known of a conversation before its first event.

use baton_protocol::{SessionId, words::PermissionMode};

use crate::{
    folder::Folder,
    output::{Budget, McpConflict, McpServer, McpSource, Ready, Source},
};

/// What a conversation was begun with.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    pub conversation: String,
    pub session: SessionId,
    pub cwd: String,
    pub agent: String,
    /// Baton's.
    pub version: String,
    pub permission_mode: PermissionMode,
    pub tool_preset: String,
    /// What the user's own limit leaves of the preset, if there is one.
    pub tools: Option<Vec<String>>,
    /// The conversation that is gone on with.
    pub resumes: Option<String>,
    pub forked: bool,
    pub folder: Folder,
    pub checkpointing: bool,
    pub budget: Budget,
}

impl Context {
    pub(crate) fn ready(&self) -> Ready {
        Ready {
            conversation_id: self.conversation.clone(),
            session_id: self.session,
            cwd: self.cwd.clone(),
            agent: self.agent.clone(),
            version: self.version.clone(),
            permission_mode: self.permission_mode,
            tool_preset: self.tool_preset.clone(),
            tools: self.tools.clone(),
            resumed_from: self.resumes.clone(),
            forked: self.forked,
        }
    }

    pub(crate) const fn source(&self) -> Source {
        match (&self.resumes, self.forked) {
            (None, _) => Source::Startup,
            (Some(_), false) => Source::Resume,
            (Some(_), true) => Source::Fork,
        }
    }

    /// The agent's servers, each with who brought it, and those left out.
    pub(crate) fn servers<'a>(
        &self,
        seen: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Vec<McpServer> {
        let mut servers: Vec<McpServer> = seen
            .map(|(name, status)| McpServer {
                name: name.to_owned(),
                source: self.folder.servers.source(name).unwrap_or(McpSource::Agent),
                status: status.to_owned(),
            })
            .collect();
        for name in &self.folder.servers.untrusted {
            servers.push(McpServer {
                name: name.clone(),
                source: McpSource::Project,
                status: "untrusted".into(),
            });
        }
        servers
    }

    pub(crate) fn conflicts(&self) -> Vec<McpConflict> {
        self.folder.servers.conflicts.clone()
    }
}
