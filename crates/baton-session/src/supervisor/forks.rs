//! Copies of a conversation that go on by themselves.

use std::sync::Arc;

use baton_protocol::{
    Event, MessageId, Seq, SessionId, Turn,
    event::{AssistantMessage, AssistantThinking, SessionCreated},
    words::PermissionMode,
};

use super::{PAGE, Supervisor, SupervisorError};
use crate::{actor::CommandError, agents::AgentKind, handle::SessionHandle, machine::Rejected};

/// Where a session's copy is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkAt {
    End,
    /// After this row of the agent.
    AgentRow(String),
    /// Before this message of a person.
    Message(MessageId),
}

/// How much of a conversation a copy leaves out.
#[derive(Debug, PartialEq, Eq)]
enum Cut {
    Nowhere,
    After(String),
    /// Everything: it was cut before its first message.
    All,
}

impl Supervisor {
    /// Makes a session that goes on from a copy of another's conversation.
    pub async fn fork(
        &self,
        from: SessionId,
        at: ForkAt,
    ) -> Result<SessionHandle, SupervisorError> {
        let (facts, _) = self.facts(from).await?;
        let source = facts.created.ok_or(SupervisorError::UnknownSession(from))?;
        let kind = AgentKind::from_name(&source.agent);
        let Some(kind) = kind.filter(|kind| kind.capabilities().fork) else {
            let name = kind.map_or("", AgentKind::name);
            return Err(SupervisorError::CannotFork(name));
        };
        let conversation = facts
            .agent_session_id
            .ok_or(SupervisorError::NothingToFork(from))?;
        if facts.open.turn == Turn::default() && source.resumes.is_none() {
            return Err(SupervisorError::NothingToFork(from));
        }
        let at = match at {
            ForkAt::End => Cut::Nowhere,
            ForkAt::AgentRow(row) => {
                if !self.has_said(from, (kind, &conversation), &row).await? {
                    return Err(SupervisorError::UnknownRow(row));
                }
                Cut::After(row)
            }
            ForkAt::Message(message) => self.before(from, message).await?,
        };
        let mut options = self.vault.whole(from, &source.options);
        options.model = facts.model.or(options.model);
        options.permission_mode = facts.permission_mode.or(options.permission_mode);
        if options.permission_mode == Some(PermissionMode::BypassPermissions)
            && !self.limits.bypass_allowed
        {
            return Err(CommandError::from(Rejected::BypassForbidden).into());
        }
        let created = SessionCreated {
            title: source.title.map(|title| format!("{title} (fork)")),
            forked_from: Some(from),
            resumes: Some(conversation).filter(|_| at != Cut::All),
            forked_at: match at {
                Cut::Nowhere | Cut::All => None,
                Cut::After(row) => Some(row),
            },
            options,
            ..source
        };
        let own = self.world.random_id().to_string();
        self.begin(created, Some(own), None).await
    }

    /// Whether a row is the agent's: the log has it, or, of what lies before
    /// the log, its transcript.
    async fn has_said(
        &self,
        id: SessionId,
        (kind, conversation): (AgentKind, &str),
        row: &str,
    ) -> Result<bool, SupervisorError> {
        let mut after = Seq::START;
        loop {
            let page = self.store.read_after(id, after, PAGE).await?;
            let Some(end) = page.last() else {
                break;
            };
            after = end.seq;
            for stored in &page {
                if let Event::AssistantMessage(AssistantMessage(block))
                | Event::AssistantThinking(AssistantThinking(block)) = stored.envelope()?.event
                    && block.agent_uuid.as_deref() == Some(row)
                {
                    return Ok(true);
                }
            }
        }
        let (Ok(name), Ok(row)) = (conversation.parse(), row.parse()) else {
            return Ok(false);
        };
        let home = Arc::clone(&self.home);
        let look = move || home.has_row(kind, name, row);
        Ok(tokio::task::spawn_blocking(look).await.unwrap_or(false))
    }

    /// What the agent last said before it was given a message.
    async fn before(&self, id: SessionId, message: MessageId) -> Result<Cut, SupervisorError> {
        let mut last = None;
        let mut after = Seq::START;
        loop {
            let page = self.store.read_after(id, after, PAGE).await?;
            let Some(end) = page.last() else {
                return Err(SupervisorError::UnknownMessage(message));
            };
            after = end.seq;
            for stored in &page {
                let event = stored.envelope()?.event;
                if let Event::AssistantMessage(AssistantMessage(block))
                | Event::AssistantThinking(AssistantThinking(block)) = event
                {
                    let said = block.agent_uuid;
                    last = said.filter(|_| block.parent_tool_use_id.is_none()).or(last);
                } else if let Event::MessageDelivered(delivered) = event
                    && delivered.message_id == message
                {
                    // What the agent says before this answers something else.
                    return Ok(last.map_or(Cut::All, Cut::After));
                }
            }
        }
    }
}
