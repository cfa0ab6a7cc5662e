//! What agents keep in files of their own and take from folders, asked for
//! without knowing whose files they are.
//!
//! A conversation is named by the agent that has it and its id there. Only one
//! agent keeps any so far; a second makes [`Notes`] and [`Written`] enums, as
//! [`super::Translator`] is.

use std::{
    io,
    path::{Path, PathBuf},
};

use baton_project::{
    accepted::{self, Accepted, Sources},
    secrets::SecretPlaces,
    trust::{self, Survey},
};
use baton_protocol::{MessageId, api::PastSession, words::Scope};
use serde_json::Value;
use uuid::Uuid;

pub(crate) use super::claude::{Known, Notes, StartFiles, Watched, Watcher, Written};
use super::{AgentHome, AgentKind, claude};
use crate::machine::{Facts, Stored};

impl AgentKind {
    /// The agent's own name for a session's conversation, where it keeps files
    /// of it.
    pub(crate) fn conversation(self, facts: &Facts) -> Option<Uuid> {
        let name = facts.agent_session_id.as_deref();
        name.filter(|_| self.capabilities().own_history)?
            .parse()
            .ok()
    }
}

impl Facts {
    /// The agent and its own name for the conversation, if it keeps files of it.
    pub(crate) fn conversation(&self) -> Option<(AgentKind, Uuid)> {
        let kind = AgentKind::from_name(&self.created.as_ref()?.agent)?;
        Some((kind, kind.conversation(self)?))
    }
}

/// Conversations.
impl AgentHome {
    /// The files of a conversation. None: the agent does not have it.
    pub fn transcripts(&self, kind: AgentKind, id: Uuid) -> Vec<PathBuf> {
        match kind {
            AgentKind::Claude => claude::locate(&self.claude_config, id),
            AgentKind::Demo => Ok(Vec::new()),
        }
        .unwrap_or_default()
    }

    /// Whether a conversation has a row of this name.
    pub(crate) fn has_row(&self, kind: AgentKind, id: Uuid, row: Uuid) -> bool {
        let files = self.transcripts(kind, id);
        files.iter().any(|file| match kind {
            AgentKind::Claude => claude::contains_message(file, row).unwrap_or(false),
            AgentKind::Demo => false,
        })
    }

    /// Whether a session's conversation has a message. What cannot be read is
    /// not known: a message must never run twice.
    pub(crate) fn stored(&self, conversation: (AgentKind, Uuid), message: MessageId) -> Stored {
        match conversation {
            (AgentKind::Claude, id) => claude::stored(&self.claude_config, id, message),
            (AgentKind::Demo, _) => Stored::Unknown,
        }
    }

    /// Conversations that agents had in a folder, whoever began them.
    pub(crate) fn past_sessions(&self, cwd: &Path) -> io::Result<Vec<(AgentKind, PastSession)>> {
        let of_claude = claude::past_sessions(&self.claude_config, cwd)?;
        let of_claude = of_claude.into_iter();
        Ok(of_claude.map(|one| (AgentKind::Claude, one)).collect())
    }

    /// The conversations that some process runs now, ours or another.
    pub(crate) fn running(&self) -> Vec<Uuid> {
        claude::running(&self.claude_config)
    }

    /// The live process, if any, that runs a session's conversation. Only to be
    /// asked where no process of ours does.
    pub(crate) fn owner(&self, facts: &Facts) -> Option<i32> {
        match facts.conversation()? {
            (AgentKind::Claude, id) => claude::owner(&self.claude_config, id),
            (AgentKind::Demo, _) => None,
        }
    }

    /// The same, leaving out every process that Baton started.
    pub(crate) fn foreign_owner(&self, facts: &Facts) -> Option<i32> {
        match facts.conversation()? {
            (AgentKind::Claude, id) => claude::foreign_owner(&self.claude_config, id),
            (AgentKind::Demo, _) => None,
        }
    }

    /// What there is to follow of a conversation that runs elsewhere.
    pub(crate) fn watched(&self, kind: AgentKind, id: Uuid, cwd: &Path) -> Option<Watched> {
        match kind {
            AgentKind::Claude => claude::Watched::find(&self.claude_config, cwd, id),
            AgentKind::Demo => None,
        }
    }

    /// Where a conversation is written down, if it is.
    pub(crate) fn notes(
        &self,
        kind: AgentKind,
        id: Uuid,
        cwd: &Path,
    ) -> io::Result<Option<PathBuf>> {
        match kind {
            AgentKind::Claude => claude::find(&self.claude_config, cwd, id),
            AgentKind::Demo => Ok(None),
        }
    }

    /// The same, for an agent that is about to be started in `cwd` and must
    /// find it there.
    pub(crate) fn notes_here(
        &self,
        kind: AgentKind,
        id: Uuid,
        cwd: &Path,
    ) -> io::Result<Option<PathBuf>> {
        match kind {
            AgentKind::Claude => claude::find_here(&self.claude_config, cwd, id),
            AgentKind::Demo => Ok(None),
        }
    }

    /// Whether a file in the folder of plans is that of a conversation.
    pub(crate) fn is_plan_of(&self, conversation: (AgentKind, Uuid), plan: &Path) -> bool {
        match conversation {
            (AgentKind::Claude, id) => claude::is_plan_of(&self.claude_config, id, plan),
            (AgentKind::Demo, _) => false,
        }
    }
}

/// Settings of the user's own.
impl AgentHome {
    /// Folders that agents have run in, with Baton or without. They may be gone
    /// by now.
    pub fn known_folders(&self) -> io::Result<Vec<PathBuf>> {
        claude::known_folders(&self.claude_config)
    }

    /// The folders with the user's own settings of agents.
    pub(crate) fn settings(&self) -> [&Path; 1] {
        [&self.claude_config]
    }

    /// Files with rules that people gave an agent, and how far they reach.
    pub fn rule_files(&self, project: Option<&Path>) -> Vec<(PathBuf, Scope)> {
        claude::rule_files(&self.claude_config, project)
    }

    pub(crate) fn plans(&self) -> PathBuf {
        self.claude_config.join("plans")
    }

    /// What an agent keeps for its sessions in a folder, and may read.
    pub(crate) fn own_files(&self, cwd: &Path) -> Vec<PathBuf> {
        claude::own_files(&self.claude_config, cwd)
    }

    /// Whether settings that an agent reads again while it runs may answer for
    /// a person.
    pub(crate) fn hooks_may_answer(&self) -> bool {
        claude::hooks::settings_may_answer(&self.claude_config)
    }

    /// Whether the hooks of the user's own settings are switched off, because
    /// one of them may answer for a person.
    pub(crate) fn hooks_are_off(&self) -> bool {
        claude::hooks::may_answer(&self.claude_config)
    }

    /// What a program reads when it comes up, as it lies there now.
    pub(crate) fn start_files(&self, kind: AgentKind, cwd: &Path) -> StartFiles {
        match (kind, self.program(kind)) {
            (AgentKind::Claude, Some(program)) => {
                StartFiles::look(&self.claude_config, program, cwd)
            }
            (AgentKind::Claude, None) | (AgentKind::Demo, _) => StartFiles::default(),
        }
    }

    /// Whether something that people wrote runs when a process comes up or ends,
    /// though nothing was said to it.
    pub(crate) fn acts_at_start(&self, accepted: Option<&Accepted>, folder: &Path) -> bool {
        claude::hooks::act_at_start(&self.claude_config)
            || accepted.is_some_and(|one| claude::hooks::accepted_act_at_start(one, folder))
    }

    /// Why a call that starts a sub-agent may do something by itself. `brought`
    /// is where its process has what the folder brought, `extra` are folders
    /// beside it that the agent has.
    pub(crate) fn sub_agent_wants_more(
        &self,
        brought: Option<&Path>,
        folder: &Path,
        extra: &[PathBuf],
        input: &Value,
    ) -> Option<String> {
        let places = claude::subagents::SubAgents {
            config: &self.claude_config,
            brought,
            folder,
            extra,
        };
        claude::subagents::wants_more(&places, input)
    }

    /// Where secrets are that nobody is shown.
    pub fn secrets(&self, data: &Path) -> SecretPlaces {
        SecretPlaces::of(&self.home(), &self.claude_config, data)
    }
}

/// What a folder brings.
impl AgentHome {
    /// What it would make agents run by itself. Blocks.
    pub fn survey(&self, folder: &Path) -> Survey {
        trust::survey(folder, &self.claude_config, &self.home())
    }

    /// Whether it has settings for agents.
    pub fn has_settings(folder: &Path) -> bool {
        folder.join(".claude").is_dir()
    }

    /// Its instructions for agents.
    pub fn instructions(&self, folder: &Path, sources: Sources) -> Vec<PathBuf> {
        accepted::instructions(folder, &self.claude_config, sources)
    }

    /// A copy of what it brings, for the agent to use. Blocks.
    pub(crate) fn accepted(&self, folder: &Path, sources: Sources) -> Accepted {
        accepted::accepted(folder, &self.claude_config, sources)
    }
}
