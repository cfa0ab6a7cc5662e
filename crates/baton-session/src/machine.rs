//! The session's rules: what follows from what, without doing any of it.
//!
//! [`Machine::step`] takes one input and says what must happen. It reads no
//! clock, makes no ids and does no IO: the moment and one fresh id come in
//! with each input, and everything to be done goes out as [`Effect`]s, the
//! records first. What the log knows is in [`Facts`]; what only concerns the
//! process at hand (is it up, which of its requests are open) is beside them.
//!
//! Read [`Facts`] and [`Input`] first, then `commands` (what people ask), `agent` (what the
//! agent says), `beside` (work in the background), `endings` (exits), `fallback` (going on in another process),
//! `timers` (deadlines), `clock` (what they are counted by), `queue` (messages that
//! wait) and `standing` (what may happen next).

mod agent;
mod approvals;
mod beside;
mod budget;
mod clock;
mod commands;
mod endings;
mod facts;
mod fallback;
mod memory;
mod modes;
mod observed;
mod process;
mod queue;
mod spent;
mod standing;
mod takeover;
mod timers;
mod vocabulary;

pub(crate) use agent::rewound;
use baton_protocol::{
    Event, MessageId, Timestamp, ToolUse,
    event::{FolderTools, SessionCreated, SessionStateChanged, SessionUpdated},
    words::{EndStatus, Json, PermissionMode},
};
pub(crate) use budget::within;
use clock::OwnTime;
pub use clock::Times;
pub use facts::{Elsewhere, Facts, MessageFacts, Phase, RunningTurn};
pub use memory::{Memory, Recalled};
pub use observed::{Observed, Sight};
pub use process::Unheard;
use process::{Life, Process};
use queue::Queue;
pub use spent::Spent;
pub(crate) use spent::to_nanos;
pub use takeover::{Adopted, Notes};
pub use vocabulary::{
    CloseRequest, DAY_IS_SPENT, Effect, Input, Limits, Moment, ProcessEnd, Rejected, Reply, Stored,
    Trouble, WhenBusy,
};

use crate::agents::AgentKind;

/// A session's rules applied to its facts.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    facts: Facts,
    /// The moments of those facts, and what else is measured, on our own clock.
    own: OwnTime,
    limits: Limits,
    process: Process,
    /// What is known of that process, or of the last one.
    life: Life,
    /// Whether a tool that ran without permission ends the agent.
    watches_gate: bool,
    ending: Option<(EndStatus, String)>,
    queue: Queue,
    spent_today_usd: f64,
}

/// The running turn is being stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stopping {
    why: Why,
    /// The agent was asked to stop, and is killed if it has not by then. None:
    /// it is being killed.
    kill_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// A person wants it.
    Asked,
    /// It took too long, and that has been told.
    TimedOut,
    /// The agent fell silent.
    Hung,
    /// The process did not come up in time, and that has been told.
    NeverUp,
    /// Its folder is no longer trusted, and that has been told.
    Distrusted,
    /// A budget is spent, and that has been told.
    OverBudget,
    /// It used a tool without permission, and that has been told.
    Unasked,
}

#[derive(Debug, Clone, PartialEq)]
struct Awaiting {
    what: Asked,
    deadline: Timestamp,
}

#[derive(Debug, Clone, PartialEq)]
enum Asked {
    Model(Option<String>),
    Mode(PermissionMode),
    /// Only which files would change.
    RewindPreview,
    /// The real rewind does not list its files, so it is asked twice: first
    /// this, then `Rewind` with what it said.
    RewindFiles {
        checkpoint: MessageId,
    },
    Rewind {
        checkpoint: MessageId,
        preview: Json,
        /// The request that the asker waits for.
        asker: String,
    },
    Question,
    /// What the process has cost so far.
    Cost,
}

impl Machine {
    pub fn new(facts: Facts, limits: Limits) -> Self {
        Self {
            own: OwnTime::of(&facts),
            facts,
            limits,
            process: Process::None,
            life: Life::begun(Timestamp::from_millis(0)),
            watches_gate: false,
            ending: None,
            queue: Queue::Open,
            spent_today_usd: 0.0,
        }
    }

    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What a call of one of the session's tools is.
    pub fn tool_use(&self, name: &str, input: &serde_json::Value) -> ToolUse {
        let created = self.facts.created.as_ref();
        let agent = created.and_then(|created| AgentKind::from_name(&created.agent));
        agent.map_or_else(ToolUse::default, |agent| agent.tool_use(name, input))
    }

    /// The host's answer to a request is recorded and about to be said.
    pub fn host_answered(&mut self, request: String, acts: bool) {
        let unheard = Unheard { call: None, acts };
        self.life.unconfirmed.insert(request, unheard);
    }

    /// The agent gave a sign of life that needs no step.
    pub fn hear(&mut self, at: Timestamp) {
        self.life.heard = at;
    }

    /// The next turn needs a process of its own.
    pub fn renew(&mut self) {
        self.life.renew = true;
    }

    pub const fn is_to_be_renewed(&self) -> bool {
        self.life.renew
    }

    /// What the folder's files leave of the tools is something else now.
    /// Recorded before anything runs with it.
    pub fn limit_tools(&mut self, moment: Moment, left: FolderTools) -> Vec<Effect> {
        let mut step = Step {
            machine: self,
            moment,
            effects: Vec::new(),
        };
        step.record(SessionUpdated {
            folder_tools: Some(left),
            ..SessionUpdated::default()
        });
        step.effects
    }

    /// What all sessions have cost today.
    pub fn set_spent_today(&mut self, usd: f64) {
        self.spent_today_usd = usd;
    }

    /// Applies one input.
    pub fn step(&mut self, moment: Moment, input: Input) -> Result<(Reply, Vec<Effect>), Rejected> {
        let mut step = Step {
            machine: self,
            moment,
            effects: Vec::new(),
        };
        let reply = match input {
            Input::Agent(output) => {
                step.agent(output);
                Reply::Done
            }
            Input::Observed(seen) => step.observed(seen)?,
            Input::Recalled(recalled) => step.recalled(recalled),
            Input::Outdated => step.outdated(),
            Input::Wait(trouble) => step.wait(trouble),
            Input::StartFailed(trouble) => {
                step.start_failed(trouble);
                Reply::Done
            }
            Input::NotAttached(trouble) => {
                step.not_attached(trouble);
                Reply::Done
            }
            Input::Exited(end) => {
                step.exited(&end);
                Reply::Done
            }
            Input::Tick => {
                step.tick();
                Reply::Done
            }
            Input::Begin => {
                step.begin();
                Reply::Done
            }
            command @ (Input::Create { .. }
            | Input::Send { .. }
            | Input::TakeBack { .. }
            | Input::Edit { .. }
            | Input::Move { .. }
            | Input::SendNow { .. }
            | Input::HoldQueue { .. }
            | Input::ReleaseQueue { .. }
            | Input::Answer { .. }
            | Input::Interrupt { .. }
            | Input::Kill
            | Input::Distrust
            | Input::Close
            | Input::Evict
            | Input::Hold
            | Input::End { .. }
            | Input::Resume
            | Input::Tell(_)
            | Input::SetOptions(_)
            | Input::SetBudget { .. }
            | Input::ChooseMemory
            | Input::OverBudget { .. }
            | Input::Rename { .. }
            | Input::Follow(_)
            | Input::SetModel { .. }
            | Input::SetPermissionMode { .. }
            | Input::Rewind { .. }
            | Input::ContextUsage
            | Input::McpStatus
            | Input::StopTask { .. }) => {
                step.not_being_read()?;
                step.command(command)?
            }
        };
        step.settle_process();
        step.settle_beside();
        step.settle_state();
        let effects = step.effects;
        Ok((self.in_state(reply), effects))
    }

    /// The answer with the state that all of the step has led to.
    fn in_state(&self, reply: Reply) -> Reply {
        match reply {
            Reply::Message {
                message_id, turn, ..
            } => Reply::Message {
                message_id,
                turn,
                state: self.state(),
            },
            Reply::Done | Reply::Later { .. } => reply,
        }
    }
}

/// One step under way.
struct Step<'a> {
    machine: &'a mut Machine,
    moment: Moment,
    effects: Vec<Effect>,
}

impl Step<'_> {
    fn record(&mut self, event: impl Into<Event>) {
        self.record_from(event, None);
    }

    fn record_from(&mut self, event: impl Into<Event>, agent_id: Option<String>) {
        let event = event.into();
        let Moment { now, at, .. } = self.moment;
        let machine = &mut *self.machine;
        machine.own.pass(now, at, &machine.facts, &event);
        machine.facts.apply(now, &event);
        let turn = self.machine.facts.open.turn;
        self.effects.push(Effect::Record {
            event,
            turn,
            agent_id,
        });
    }

    fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    fn settle_state(&mut self) {
        // A session that is being read has no state yet.
        let facts = &self.machine.facts;
        if facts.created.is_none() || facts.elsewhere == Some(Elsewhere::Reading) {
            return;
        }
        let state = self.machine.state();
        if self.machine.facts.state != Some(state) {
            self.record(SessionStateChanged {
                state,
                reason: None,
            });
        }
    }

    fn created(&mut self, created: SessionCreated, agent_session_id: Option<String>) {
        self.record(created);
        if agent_session_id.is_some() {
            self.record(SessionUpdated {
                agent_session_id,
                ..SessionUpdated::default()
            });
        }
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
