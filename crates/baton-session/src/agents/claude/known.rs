//! How much of a session begun elsewhere is in the log already.

use std::collections::BTreeSet;

use baton_claude::{ContentBlock, transcript::Row};
use baton_protocol::{
    Envelope, Event, Seq, SessionId, Timestamp,
    words::{ErrorCode, SessionState},
};
use baton_store::{Store, StoreError};
use uuid::Uuid;

use crate::{
    agents::AgentOutput,
    machine::{Observed, Sight},
};

const PAGE: usize = 1000;

/// What the log has, by the names that rows can be known by.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Messages and answers.
    rows: BTreeSet<Uuid>,
    calls: BTreeSet<String>,
    results: BTreeSet<String>,
    /// Events without a name after the last one that has one.
    nameless: usize,
    /// When the session began.
    pub(crate) began: Option<Timestamp>,
}

/// A session's log, for whoever would add what happens elsewhere.
#[derive(Debug)]
pub(super) enum LogState {
    Open(Known),
    /// There is nothing to be told unless it is taken up again.
    Ended,
    /// There is nothing to be told any more.
    RanHere,
}

impl Known {
    /// All that the log has, whoever ran it.
    pub(crate) async fn all(store: &Store, id: SessionId) -> Result<Self, StoreError> {
        let mut known = Self::default();
        let mut head = Seq::START;
        loop {
            let page = store.read_after(id, head, PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(known);
            };
            head = last.seq;
            for stored in &page {
                let Envelope { ts, event, .. } = stored.envelope()?;
                known.began = known.began.or(Some(ts));
                known.add(event);
            }
        }
    }

    pub(super) async fn read(store: &Store, id: SessionId) -> Result<LogState, StoreError> {
        let mut known = Self::default();
        let mut head = Seq::START;
        let mut ended = false;
        loop {
            let page = store.read_after(id, head, PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(if ended {
                    LogState::Ended
                } else {
                    LogState::Open(known)
                });
            };
            head = last.seq;
            for stored in &page {
                let Envelope { ts, event, .. } = stored.envelope()?;
                known.began = known.began.or(Some(ts));
                if matches!(event, Event::SessionStarted(_)) {
                    return Ok(LogState::RanHere);
                }
                if let Event::SessionState(state) = &event {
                    ended = state.state == SessionState::Ended;
                }
                known.add(event);
            }
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only events that are made from rows count"
    )]
    fn add(&mut self, event: Event) {
        match event {
            Event::UserMessage(message) => {
                self.rows.insert(message.message_id.uuid());
            }
            Event::AssistantMessage(message) => self.row(message.0.agent_uuid.as_deref()),
            Event::AssistantThinking(thinking) => self.row(thinking.0.agent_uuid.as_deref()),
            Event::ToolRequested(call) => {
                self.calls.insert(call.tool_use_id);
            }
            Event::ToolCompleted(result) => {
                self.results.insert(result.tool_use_id);
            }
            event => {
                self.nameless += usize::from(is_nameless(&event));
                return;
            }
        }
        self.nameless = 0;
    }

    fn row(&mut self, uuid: Option<&str>) {
        self.rows
            .extend(uuid.and_then(|uuid| Uuid::try_parse(uuid).ok()));
    }

    /// Whether the log has what this row tells.
    pub(crate) fn contains(&self, row: &Row) -> bool {
        let named = |uuid: Option<&str>| {
            let uuid = uuid.and_then(|uuid| Uuid::try_parse(uuid).ok());
            uuid.is_some_and(|uuid| self.rows.contains(&uuid))
        };
        let calls = |block: &ContentBlock| matches!(block, ContentBlock::ToolUse { id, .. } if self.calls.contains(id));
        let message = row.assistant();
        if message.is_some_and(|message| message.content.blocks().iter().any(calls)) {
            return true;
        }
        named(row.uuid.as_deref())
            || named(row.folded())
            || row.results().any(|id| self.results.contains(id))
    }

    /// Whether this is one of the nameless events that the log ends with.
    /// They come in the order they came in then.
    pub(super) fn skips(&mut self, seen: &Observed) -> bool {
        let Sight::Output(AgentOutput::Event { event, .. }) = &seen.what else {
            return false;
        };
        let skips = self.nameless > 0 && is_nameless(event);
        self.nameless -= usize::from(skips);
        skips
    }
}

/// Whether a row may have become this. What is ours to say has another kind or
/// code.
fn is_nameless(event: &Event) -> bool {
    if let Event::Notification(notification) = event {
        return matches!(notification.kind.as_str(), "synthetic" | "image");
    }
    if let Event::Error(error) = event {
        return !matches!(
            error.code,
            ErrorCode::AgentMissing
                | ErrorCode::AgentRefused
                | ErrorCode::AgentSilent
                | ErrorCode::AgentExited
                | ErrorCode::AgentLost
                | ErrorCode::SessionLimit
                | ErrorCode::Budget
        );
    }
    matches!(event, Event::ContextCompacted(_))
}
