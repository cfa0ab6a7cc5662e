//! Sessions that go on from a conversation the agent has, without its history
//! in the log: what an embedding program asks for.

use std::{path::PathBuf, sync::Arc};

use baton_protocol::{event::SessionCreated, words::Mode};
use uuid::Uuid;

use super::{NewSessionSpec, Supervisor, SupervisorError};
use crate::handle::SessionHandle;

/// How a conversation is gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakeUp {
    /// In the same conversation.
    Continue,
    /// In a copy, which gets an id of its own.
    Fork,
}

impl Supervisor {
    /// Makes a session that goes on from `conversation`, the agent's own name
    /// for it. The log begins here; what was said before stays with the agent.
    pub async fn take_up(
        &self,
        new: NewSessionSpec,
        conversation: Uuid,
        how: TakeUp,
    ) -> Result<SessionHandle, SupervisorError> {
        let cwd = self.folder(&new.cwd)?;
        let (home, kind) = (Arc::clone(&self.home), new.agent);
        let look = move || home.transcripts(kind, conversation);
        let found = tokio::task::spawn_blocking(look).await;
        if !found.is_ok_and(|files| !files.is_empty()) {
            return Err(SupervisorError::NoTranscript {
                id: conversation,
                cwd: PathBuf::from(cwd),
            });
        }
        let (resumes, forked_at, own) = match how {
            TakeUp::Continue => (None, None, conversation),
            TakeUp::Fork => (
                Some(conversation.to_string()),
                Some("end".to_owned()),
                self.world.random_id(),
            ),
        };
        let created = SessionCreated {
            agent: new.agent.name().to_owned(),
            mode: Mode::Structured,
            runtime: new.runtime.unwrap_or(self.defaults.runtime),
            project: self.around(&cwd, new.project.as_deref())?,
            cwd,
            title: new.title,
            forked_from: None,
            forked_at,
            resumes,
            options: self.with_defaults(new.agent, new.options)?,
        };
        self.begin(created, Some(own.to_string()), None).await
    }
}
