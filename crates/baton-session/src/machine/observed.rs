//! What somebody else's process did to the session, as its traces tell it.
//!
//! A session begun elsewhere is read, and then watched, until a process of our
//! own takes it up. What is seen happened at its own time and cannot be
//! refused; but it is told as the session's own turns are, so that no reader
//! has to care who ran them.

use baton_protocol::{
    Timestamp,
    event::{MessageDelivered, SessionCreated, SessionStateChanged, TurnStarted, UserMessage},
    words::{Origin, StopReason},
};

use super::{Effect, Elsewhere, Moment, Phase, Process, Rejected, Reply, Step};
use crate::agents::{AgentOutput, TurnEnd};

/// One thing that was seen, and when it happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub at: Timestamp,
    pub what: Sight,
}

/// What can be seen of a session that runs elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub enum Sight {
    /// The session, with the agent's name for it.
    Created {
        created: SessionCreated,
        agent_session_id: String,
    },
    /// Somebody said this. It began a turn, unless one ran and took it in.
    Said { message: UserMessage, folded: bool },
    /// What the agent did.
    Output(AgentOutput),
    /// All that was there has been seen; from here on it is watched.
    ReadUp,
    /// Nobody runs it any more: what is open will not end by itself.
    Left,
}

impl Step<'_> {
    pub(super) fn observed(&mut self, seen: Vec<Observed>) -> Result<Reply, Rejected> {
        let machine = &self.machine;
        if matches!(machine.facts.phase, Phase::Ended { .. }) {
            return Err(Rejected::Ended);
        }
        let created = machine.facts.created.is_some();
        if created && (machine.facts.elsewhere.is_none() || machine.process != Process::None) {
            return Err(Rejected::RunsHere);
        }
        self.see(seen);
        Ok(Reply::Done)
    }

    pub(super) fn see(&mut self, seen: Vec<Observed>) {
        let Moment { now, at, .. } = self.moment;
        for one in seen {
            self.moment.now = one.at;
            self.moment.at = one.at;
            self.effect(Effect::At(one.at));
            self.sight(one.what);
            // Each change of state stands where it happened, however many
            // sights come at once.
            self.settle_state();
        }
        self.moment.now = now;
        self.moment.at = at;
        self.effect(Effect::At(now));
    }

    /// Nothing can be asked of a session before its history is there.
    pub(super) fn not_being_read(&self) -> Result<(), Rejected> {
        match self.machine.facts.elsewhere {
            Some(Elsewhere::Reading) => Err(Rejected::BeingRead),
            Some(Elsewhere::Watched) | None => Ok(()),
        }
    }

    fn sight(&mut self, what: Sight) {
        match what {
            Sight::Created {
                created,
                agent_session_id,
            } => self.created(created, Some(agent_session_id)),
            Sight::Said { message, folded } => self.said_elsewhere(message, folded),
            Sight::Output(AgentOutput::TurnEnded(end)) => self.ended_elsewhere(end),
            Sight::Output(output) => self.agent(output),
            Sight::ReadUp => self.read_up(),
            Sight::Left => self.left(),
        }
    }

    fn said_elsewhere(&mut self, message: UserMessage, folded: bool) {
        if self
            .machine
            .facts
            .messages
            .contains_key(&message.message_id)
        {
            return;
        }
        let running = matches!(self.machine.facts.phase, Phase::Running(_));
        let folded = folded && running;
        if running && !folded {
            self.ended_elsewhere(TurnEnd::default());
        }
        let message_id = message.message_id;
        self.record(UserMessage {
            queued: folded,
            ..message
        });
        if !folded {
            let oldest = self.machine.facts.open.first();
            self.record(TurnStarted {
                turn: self.machine.facts.open.turn.next(),
                origin: Origin::User,
                message_id: Some(message_id).filter(|id| oldest != Some(*id)),
                because: Vec::new(),
            });
        }
        self.record(MessageDelivered { message_id });
    }

    /// An end that was told before is none.
    fn ended_elsewhere(&mut self, end: TurnEnd) {
        if matches!(self.machine.facts.phase, Phase::Running(_)) {
            self.agent(AgentOutput::TurnEnded(end));
        }
    }

    fn read_up(&mut self) {
        if self.machine.facts.elsewhere == Some(Elsewhere::Reading) {
            self.record(SessionStateChanged {
                state: self.machine.state(),
                reason: None,
            });
        }
    }

    fn left(&mut self) {
        self.close_tools(|_| true);
        self.stop_background();
        if let Phase::Running(running) = self.machine.facts.phase.clone() {
            self.complete(&running, StopReason::Interrupted, None, None);
        }
    }
}
