//! Where a session stands: questions about it that change nothing.

use baton_protocol::words::{Runtime, SessionState};

use super::{Elsewhere, Input, Machine, Phase, Process, Queue};

impl Machine {
    pub const fn has_ended(&self) -> bool {
        matches!(self.facts.phase, Phase::Ended { .. })
    }

    /// Whether a process is there, or on its way in or out.
    pub const fn has_process(&self) -> bool {
        !matches!(self.process, Process::None)
    }

    /// Whether the agent has yet to be told something.
    pub fn owes(&self) -> bool {
        match self.process {
            Process::None => self.is_orphaned() || self.wants_to_begin(),
            Process::Closing { .. } => self.starts_again() && self.ending.is_none(),
            Process::Starting { .. } => true,
            Process::Ready => self.facts.undelivered().is_some(),
        }
    }

    /// Whether the process is on its way out, with no work left that it waits for.
    pub fn is_closing(&self) -> bool {
        self.takes_no_more() && self.facts.open.tasks.is_empty()
    }

    /// Whether the process could be closed without losing anything.
    pub fn is_evictable(&self) -> bool {
        self.has_no_work() && self.facts.open.next().is_none()
    }

    /// Whether the process is up and nothing is under way in it, not even in
    /// the background. Only then may its stdin be closed: without it an agent
    /// asks for no leave any more, and 2.1.197 then runs what it would ask about.
    pub(super) fn has_no_work(&self) -> bool {
        self.process == Process::Ready
            && self.facts.phase == Phase::Idle
            && self.facts.open.approvals.is_empty()
            && !self.is_busy_beside()
    }

    pub(super) const fn serves_one_turn(&self) -> bool {
        matches!(self.facts.runtime, Some(Runtime::Resume)) || self.life.renew
    }

    /// The log knows of a turn, a question or work beside it, but no process was left to go
    /// on with it: an earlier owner stopped between its commit and the deed.
    pub(super) fn is_orphaned(&self) -> bool {
        let open = match self.facts.phase {
            Phase::Running(_) => true,
            Phase::Idle => !self.facts.open.approvals.is_empty() || self.works_beside(),
            Phase::Ended { .. } => false,
        };
        open && self.process == Process::None && !self.runs_elsewhere()
    }

    /// The same, with nothing that another process could be given.
    pub(super) fn is_lost(&self) -> bool {
        self.is_orphaned() && self.facts.undelivered().is_none()
    }

    /// Whether the turn at hand is somebody else's. One with a message that
    /// the agent has yet to get is ours.
    pub(super) fn runs_elsewhere(&self) -> bool {
        (self.facts.elsewhere.is_some() || self.life.tells_elsewhere)
            && self.process == Process::None
            && self.facts.undelivered().is_none()
    }

    /// Whether a turn, or the rest of one, waits for nothing but
    /// [`Input::Begin`]: for a place among the processes, and for a look at
    /// what its folder says now. However it came to wait: behind another turn,
    /// for a process that was lost, or under an owner that is gone.
    pub fn wants_to_begin(&self) -> bool {
        if self.ending.is_some() || self.takes_no_more() {
            return false;
        }
        match &self.facts.phase {
            Phase::Running(_) => {
                self.process == Process::None && self.facts.undelivered().is_some()
            }
            Phase::Idle => self.goes_on(),
            Phase::Ended { .. } => false,
        }
    }

    /// Messages wait, and nothing but the process at hand keeps them waiting.
    pub(super) fn goes_on(&self) -> bool {
        self.starts_again()
            && self.queue == Queue::Open
            && self.facts.elsewhere != Some(Elsewhere::Reading)
    }

    /// Messages wait for the next process, which starts when this one has ended.
    pub(super) fn starts_again(&self) -> bool {
        self.facts.open.next().is_some() && !matches!(self.queue, Queue::Draining)
    }

    /// Whether this input may begin a turn. One that repeats a message does not.
    pub fn may_begin(&self, input: &Input) -> bool {
        matches!(input, Input::Send { message, .. } if !self.facts.messages.contains_key(&message.message_id))
    }

    pub(super) const fn takes_no_more(&self) -> bool {
        matches!(self.process, Process::Closing { .. })
    }

    /// Whether a message sent now has to wait.
    pub(super) fn must_wait(&self) -> bool {
        matches!(self.facts.phase, Phase::Running(_))
            || self.takes_no_more()
            || self.facts.open.next().is_some()
    }

    /// Whether the log gives a state that does not follow from what its next
    /// owner knows, and nothing is about to happen that would set it right.
    pub fn is_unsettled(&self) -> bool {
        self.facts.created.is_some()
            && self.facts.state != Some(self.state())
            && !self.owes()
            && !self.wants_to_begin()
    }

    /// The state that follows from everything known.
    pub fn state(&self) -> SessionState {
        match &self.facts.phase {
            Phase::Ended { .. } => SessionState::Ended,
            Phase::Idle | Phase::Running(_) if !self.facts.open.approvals.is_empty() => {
                SessionState::Waiting
            }
            Phase::Running(_) if self.runs_elsewhere() => SessionState::Processing,
            Phase::Running(_) if self.process.was_up() => SessionState::Processing,
            Phase::Running(_) => SessionState::Starting,
            // The next turn is about to begin, or waits for its process.
            Phase::Idle if self.goes_on() => match self.process {
                Process::Ready => SessionState::Processing,
                Process::None | Process::Starting { .. } | Process::Closing { .. } => {
                    SessionState::Starting
                }
            },
            Phase::Idle if self.is_busy_beside() => SessionState::Processing,
            Phase::Idle => SessionState::Idle,
        }
    }
}
