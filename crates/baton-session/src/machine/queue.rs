//! Messages that wait for a turn: taken back, changed, put in another order,
//! held, and let go on.
//!
//! Which of them are held is in the log, so that whoever stops a session finds
//! it stopped however often its owner changes. Beside that, [`Queue`] has why
//! nothing at all begins at the moment.

use baton_protocol::{
    MessageId, Timestamp,
    event::{MessageEdited, MessageMoved, MessageRemoved, QueueHeld, QueueReleased},
    words::ClientRef,
};

use super::{Phase, Rejected, Reply, Step};

/// Whether messages that wait are begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queue {
    Open,
    /// A process could not be started; the next one is tried then.
    Later(Timestamp),
    /// A person has to say something first: a budget is spent, or the agent
    /// lacks a part of the past.
    Held,
    /// Nothing is begun any more: the owner is about to end.
    Draining,
}

impl Queue {
    /// Whether it was not held before.
    pub(super) fn hold(&mut self) -> bool {
        let held = matches!(self, Self::Open | Self::Later(_));
        if held {
            *self = Self::Held;
        }
        held
    }

    pub(super) fn release(&mut self) {
        if *self == Self::Held {
            *self = Self::Open;
        }
    }

    pub(super) fn try_at(&mut self, at: Timestamp) {
        if matches!(self, Self::Open | Self::Later(_)) {
            *self = Self::Later(at);
        }
    }

    pub(super) fn try_now(&mut self) {
        if matches!(self, Self::Later(_)) {
            *self = Self::Open;
        }
    }

    pub(super) const fn next_try(self) -> Option<Timestamp> {
        match self {
            Self::Later(at) => Some(at),
            Self::Open | Self::Held | Self::Draining => None,
        }
    }
}

impl Step<'_> {
    /// Refuses what is about a message that does not wait.
    fn waits(&self, id: MessageId) -> Result<(), Rejected> {
        let mut queue = self.machine.facts.open.queue.iter();
        if queue.any(|waiting| waiting.message_id == id) {
            return Ok(());
        }
        Err(Rejected::NotQueued { id })
    }

    pub(super) fn take_back(
        &mut self,
        id: MessageId,
        client: Option<ClientRef>,
    ) -> Result<Reply, Rejected> {
        self.waits(id)?;
        self.record(MessageRemoved {
            message_id: id,
            client,
            reason: None,
        });
        Ok(Reply::Done)
    }

    pub(super) fn edit(
        &mut self,
        id: MessageId,
        text: String,
        client: Option<ClientRef>,
    ) -> Result<Reply, Rejected> {
        self.waits(id)?;
        let mut queue = self.machine.facts.open.queue.iter();
        let waiting = queue.find(|waiting| waiting.message_id == id);
        if waiting.is_some_and(|waiting| waiting.text == text) {
            return Ok(Reply::Done);
        }
        if text.trim().is_empty() && waiting.is_none_or(|one| one.attachments.is_empty()) {
            return Err(Rejected::Empty);
        }
        if let Some((command, why)) = self.refused_command(&text) {
            return Err(Rejected::CommandRefused { command, why });
        }
        self.record(MessageEdited {
            message_id: id,
            text,
            client,
        });
        Ok(Reply::Done)
    }

    pub(super) fn move_waiting(
        &mut self,
        id: MessageId,
        before: Option<MessageId>,
        client: Option<ClientRef>,
    ) -> Result<Reply, Rejected> {
        self.waits(id)?;
        before.map_or(Ok(()), |other| self.waits(other))?;
        let queue = &self.machine.facts.open.queue;
        let at = queue.iter().position(|one| one.message_id == id);
        let behind = at.and_then(|at| queue.get(at + 1));
        // It stands there already.
        if before == Some(id) || before == behind.map(|one| one.message_id) {
            return Ok(Reply::Done);
        }
        self.record(MessageMoved {
            message_id: id,
            before,
            client,
        });
        Ok(Reply::Done)
    }

    /// It is the next, and nothing of before keeps it waiting. What is held
    /// beside it stays so.
    pub(super) fn send_now(
        &mut self,
        id: MessageId,
        client: Option<ClientRef>,
    ) -> Result<Reply, Rejected> {
        self.waits(id)?;
        let turn = match &self.machine.facts.phase {
            Phase::Running(running) => Some(running.turn),
            Phase::Idle | Phase::Ended { .. } => None,
        };
        if let Some(turn) = turn.filter(|_| self.machine.runs_elsewhere()) {
            return Err(Rejected::RunsElsewhere { turn });
        }
        self.within_budget()?;
        let open = &self.machine.facts.open;
        // It is the next already, and asked for twice.
        if open.first() != Some(id) || open.next() != Some(id) {
            self.record(QueueReleased {
                message_id: Some(id),
                client,
            });
        }
        self.machine.queue.try_now();
        if turn.is_some() {
            self.stop_turn();
        }
        Ok(Reply::Done)
    }

    /// What waits now begins only when somebody lets it go on. What is sent
    /// later is not held with it.
    pub(super) fn hold_queue(&mut self, client: Option<ClientRef>, reason: Option<&str>) -> Reply {
        if self.machine.facts.open.next().is_some() {
            self.record(QueueHeld {
                client,
                reason: reason.map(str::to_owned),
            });
        }
        Reply::Done
    }

    /// Somebody stops what runs, and does not want the next of it instead.
    pub(super) fn stop_holds(&mut self, by: Option<ClientRef>) {
        if by.is_some() && self.machine.limits.stop_holds {
            self.hold_queue(by, None);
        }
    }

    pub(super) fn let_go_on(&mut self, client: Option<ClientRef>) -> Reply {
        if self.machine.facts.open.queue.iter().any(|one| one.held) {
            self.record(QueueReleased {
                message_id: None,
                client,
            });
        }
        self.machine.queue.try_now();
        Reply::Done
    }

    /// What waits when a session ends will not run: nothing may begin later
    /// that nobody announced.
    pub(super) fn empty_queue(&mut self) {
        self.machine.queue.try_now();
        let queue = self.machine.facts.open.queue.iter();
        let waiting: Vec<_> = queue.map(|one| one.message_id).collect();
        for message_id in waiting {
            self.record(MessageRemoved {
                message_id,
                client: None,
                reason: Some("the session ended before its turn came".into()),
            });
        }
    }

    pub(super) fn drain(&mut self) -> Reply {
        self.machine.queue = Queue::Draining;
        Reply::Done
    }
}
