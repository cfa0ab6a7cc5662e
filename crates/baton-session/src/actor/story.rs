//! What the daemon's own log is told of a session: when turns begin and end, what
//! is asked and how it is answered, each once it is committed. A search for the
//! session's id in that log gives its story. No text of a message, of a tool
//! call or of an error is in it.

use baton_protocol::{
    ApprovalId, Event, Turn,
    words::{DecidedBy, Decision, EndStatus, ErrorCode, Origin, StopReason},
};
use tracing::Span;

use super::Actor;
use crate::machine::Phase;

/// One line of the story.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Runs(Option<u32>),
    Began(Turn, Origin),
    Asked(ApprovalId),
    Answered(ApprovalId, Decision, DecidedBy),
    Failed(ErrorCode),
    Completed(Turn, StopReason, u64),
    Ended(EndStatus),
}

impl Line {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the event log has the rest; this one is for whoever looks after a daemon"
    )]
    pub(super) fn of(event: &Event) -> Option<Self> {
        Some(match event {
            Event::SessionStarted(started) => Self::Runs(started.pid),
            Event::TurnStarted(began) => Self::Began(began.turn, began.origin),
            Event::ApprovalRequested(asked) => Self::Asked(asked.approval_id),
            Event::ApprovalResolved(answer) => {
                Self::Answered(answer.approval_id, answer.decision, answer.by)
            }
            Event::Error(error) => Self::Failed(error.code),
            Event::TurnCompleted(done) => {
                Self::Completed(done.turn, done.stop_reason, done.duration_ms)
            }
            Event::SessionEnded(ended) => Self::Ended(ended.status),
            _ => return None,
        })
    }

    pub(super) fn write(self) {
        match self {
            Self::Runs(pid) => tracing::info!(pid, "the agent runs"),
            Self::Began(turn, origin) => tracing::info!(%turn, %origin, "a turn began"),
            Self::Asked(approval) => tracing::info!(%approval, "a person is asked"),
            Self::Answered(approval, decision, by) => {
                tracing::info!(%approval, %decision, %by, "what was asked is answered");
            }
            Self::Failed(code) => tracing::info!(%code, "an error was recorded"),
            Self::Completed(turn, reason, took_ms) => {
                tracing::info!(%turn, %reason, took_ms, "a turn ended");
            }
            Self::Ended(status) => tracing::info!(%status, "the session ended"),
        }
    }
}

impl Actor {
    /// What is logged in the middle of a turn is logged as a part of it.
    pub(super) fn turn_span(&mut self) -> Span {
        let facts = self.parts.machine.facts();
        if !matches!(facts.phase, Phase::Running(_)) {
            self.turn_span = None;
            return Span::none();
        }
        let turn = facts.open.turn;
        match &self.turn_span {
            Some((of, span)) if *of == turn => span.clone(),
            Some(_) | None => {
                let span = tracing::info_span!("turn", no = %turn);
                self.turn_span = Some((turn, span.clone()));
                span
            }
        }
    }
}
