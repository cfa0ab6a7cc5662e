//! Going on in another process when one hangs, dies or never comes up.
//!
//! Once per turn, and only where nothing can run twice. The agent's own
//! records decide: a message they lack is sent again under its own id, one
//! that they have is never sent again, since the agent would take a known id
//! for done; it gets a word to go on instead. A process that ended while nobody
//! was here is not gone on with, unless it never had the message.

use baton_protocol::{
    MessageId,
    api::QueuedMessage,
    event::{MessageDelivered, RuntimeFallback},
    words::Runtime,
};

use crate::agents::AgentKind;

use super::{Process, ProcessEnd, RunningTurn, Step, Stopping, Stored, Why, timers::in_words};

/// How a turn can go on.
pub(super) enum GoOn {
    Again,
    Continued,
    /// It never began, since the agent does not speak as it is spoken to.
    AsText,
}

impl Step<'_> {
    /// Whether the turn that lost its process can go on in another.
    pub(super) fn can_go_on(
        &self,
        running: &RunningTurn,
        stopping: Option<Stopping>,
        was: &Process,
        end: Option<&ProcessEnd>,
    ) -> Option<GoOn> {
        let end = end?;
        let watched = end.watched && !end.lost;
        let facts = &self.machine.facts;
        if was.is_starting()
            && watched
            && stopping.is_none()
            && !facts.text_output
            && !running.messages.is_empty()
            && self.machine.ending.is_none()
            && self.speaks_only_text(end)
        {
            return Some(GoOn::AsText);
        }
        let unwanted = match stopping {
            None => true,
            Some(Stopping { why, .. }) => matches!(why, Why::Hung | Why::NeverUp),
        };
        if !unwanted
            || !self.may_go_on(running)
            || self.machine.ending.is_some()
            || self.why_it_ended(end).is_some()
        {
            return None;
        }
        let was_up = was.was_up();
        // One that was lost may have come further than anybody knows.
        let may_have_it = was_up || end.lost;
        match end.stored {
            Stored::Yes if watched && was_up => Some(GoOn::Continued),
            Stored::Yes => None,
            _ if !may_have_it => Some(GoOn::Again),
            Stored::Unknown => None,
            // What it did before its records were written would be done again.
            Stored::No if facts.stats.tool_calls > 0 || self.machine.life.may_have_acted() => None,
            Stored::No => Some(GoOn::Again),
        }
    }

    /// A turn has one more process, and only for what somebody said.
    pub(super) fn may_go_on(&self, running: &RunningTurn) -> bool {
        !running.fell_back && !running.messages.is_empty() && !self.machine.facts.text_output
    }

    pub(super) fn go_on(
        &mut self,
        how: &GoOn,
        running: &RunningTurn,
        stopping: Option<Stopping>,
        end: Option<&ProcessEnd>,
    ) {
        let text_output = matches!(how, GoOn::AsText);
        let reason = match (stopping, end) {
            _ if text_output => "this version of the agent knows no stream-json: its answers come \
                 as plain text, it can ask nothing, and only reads unless the session is in bypass"
                .to_owned(),
            (Some(stopping), _) if stopping.why == Why::NeverUp => {
                "the agent did not come up in time".to_owned()
            }
            (Some(_), _) => {
                let limit = self.machine.limits.hang_timeout.unwrap_or_default();
                format!("the agent was silent for {}", in_words(limit))
            }
            (None, Some(end)) => format!("the agent's process ended ({})", end.how),
            (None, None) => "the agent's process was lost".to_owned(),
        };
        let continued_by = match how {
            GoOn::Again | GoOn::AsText => None,
            GoOn::Continued => {
                self.deliver(running, running.messages.iter());
                let random = self.moment.fresh.into_bytes();
                let id = uuid::Builder::from_random_bytes(random).into_uuid();
                Some(MessageId::from_uuid(id))
            }
        };
        // The process that goes on counts from nothing. It starts when there is
        // a place for it.
        let spent = std::mem::take(&mut self.machine.life.spent);
        let runtime = self.machine.facts.runtime.unwrap_or(Runtime::Streaming);
        self.record(RuntimeFallback {
            from: runtime,
            to: if text_output {
                Runtime::Resume
            } else {
                runtime
            },
            reason,
            continued_by,
            cost_usd: spent.cost_usd,
            usage: spent.usage,
            text_output,
        });
    }

    /// Says of messages that the agent has them, whether or not it was heard to
    /// say so.
    pub(super) fn deliver<'a>(
        &mut self,
        running: &RunningTurn,
        messages: impl Iterator<Item = &'a QueuedMessage>,
    ) {
        for message in messages {
            let message_id = message.message_id;
            if !running.delivered.contains(&message_id) {
                self.record(MessageDelivered { message_id });
            }
        }
    }

    fn speaks_only_text(&self, end: &ProcessEnd) -> bool {
        let created = self.machine.facts.created.as_ref();
        let kind = created.and_then(|created| AgentKind::from_name(&created.agent));
        kind.is_some_and(|kind| kind.speaks_only_text(&end.stderr))
    }
}
