//! The session's rules: what follows from what, without doing any of it.
//!
//! [`Machine::step`] takes one input and says what must happen. It reads no
//! clock, makes no ids and does no IO: the moment and one fresh id come in
//! with each input, and everything to be done goes out as [`Effect`]s, the
//! records first. What the log knows is in [`Facts`]; what only concerns the
//! process at hand (is it up, which of its requests are open) is beside them.
//!
//! Read [`Facts`] and [`Input`] first, then `commands` (what people ask), `agent` (what the
//! agent says), `endings` (exits), `fallback` (going on in another process) and
//! `timers` (deadlines).

mod agent;
mod approvals;
mod clock;
mod commands;
mod endings;
mod facts;
mod fallback;
mod observed;
mod timers;
mod vocabulary;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use baton_protocol::{
    ApprovalId, Event, MessageId, Timestamp,
    event::{SessionCreated, SessionStateChanged, SessionUpdated},
    words::{EndStatus, Json, PermissionMode, Runtime, SessionState},
};
pub use facts::{Elsewhere, Facts, MessageFacts, OpenTool, PendingMessage, Phase, RunningTurn};
pub use observed::{Observed, Sight};
pub use vocabulary::{
    CloseRequest, Effect, Input, Limits, Moment, NewMessage, ProcessEnd, Rejected, Remember, Reply,
    Stored, Trouble, WhenBusy,
};

use crate::agents::AgentCommand;

/// A session's rules applied to its facts.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    facts: Facts,
    limits: Limits,
    process: Process,
    /// Which of the agent's requests each open approval answers.
    requests: BTreeMap<ApprovalId, String>,
    /// Requests that are answered, but not yet known to have been heard, with
    /// the call whose end will show it.
    unconfirmed: BTreeMap<String, Option<String>>,
    /// Our requests that the agent has not answered.
    awaiting: BTreeMap<String, Awaiting>,
    /// Commands for a process that is still starting.
    unsent: Vec<AgentCommand>,
    /// The process has said what it runs with.
    announced: bool,
    stopping: Option<Stopping>,
    start_deadline: Option<Timestamp>,
    /// No approval runs out before this.
    grace_until: Option<Timestamp>,
    ending: Option<(EndStatus, String)>,
    /// When the agent last gave a sign of life, or was given something to do.
    heard: Timestamp,
    /// A process that was told to finish has ended by then, or is killed.
    close_deadline: Option<Timestamp>,
    /// Something ran in the background of this process. What comes of it may
    /// be a turn that the agent begins by itself, a moment later.
    had_background: bool,
    /// The folder asks for other terms than the process was started on.
    renew: bool,
    /// A turn does not run out before this: its process had less time than it.
    turn_floor: Option<Timestamp>,
    /// It said that it would be silent until then.
    quiet_until: Option<Timestamp>,
    /// It is rewriting its context, which it does in silence.
    compacting: bool,
    /// The queue waits for a person: a budget is spent.
    held: bool,
    /// Nothing that waits is begun: the owner is about to end.
    draining: bool,
    spent_today_usd: f64,
}

/// After a time without owner every open approval gets at least this long.
const TAKE_OVER_GRACE: Duration = Duration::from_secs(60);

/// How far a process had come when its earlier owner went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adopted {
    /// It has not said that it takes prompts.
    Silent,
    Ready,
    /// It has also told what it runs with, and that is in the log.
    Started,
    /// It has been told to finish.
    Closing,
    /// Its session is to end with it.
    Ending {
        status: EndStatus,
        reason: String,
    },
}

/// The process at hand; nothing of it survives a restart of the session's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Process {
    None,
    Starting,
    Ready,
    /// Its stdin is closed, or it is being killed: it takes no more prompts.
    Closing {
        was_up: bool,
    },
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
}

impl Machine {
    pub fn new(facts: Facts, limits: Limits) -> Self {
        Self {
            facts,
            limits,
            process: Process::None,
            requests: BTreeMap::new(),
            unconfirmed: BTreeMap::new(),
            awaiting: BTreeMap::new(),
            unsent: Vec::new(),
            announced: false,
            stopping: None,
            start_deadline: None,
            grace_until: None,
            ending: None,
            heard: Timestamp::from_millis(0),
            close_deadline: None,
            had_background: false,
            renew: false,
            turn_floor: None,
            quiet_until: None,
            compacting: false,
            held: false,
            draining: false,
            spent_today_usd: 0.0,
        }
    }

    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

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
            Process::None => self.is_orphaned(),
            Process::Closing { .. } => self.starts_again() && self.ending.is_none(),
            Process::Starting => true,
            Process::Ready => self.facts.undelivered().is_some(),
        }
    }

    /// Whether the process is on its way out, with no work left that it waits for.
    pub fn is_closing(&self) -> bool {
        self.takes_no_more() && self.facts.tasks.is_empty()
    }

    /// The agent gave a sign of life that needs no step.
    pub fn hear(&mut self, now: Timestamp) {
        self.heard = now;
    }

    /// Whether the process could be closed without losing anything.
    pub fn is_evictable(&self) -> bool {
        self.has_no_work() && self.facts.queue.is_empty()
    }

    /// Whether the process is up and nothing is under way in it, not even in
    /// the background. Only then may its stdin be closed: without it an agent
    /// asks for no leave any more, and 2.1.197 then runs what it would ask about.
    fn has_no_work(&self) -> bool {
        self.process == Process::Ready
            && self.facts.phase == Phase::Idle
            && self.facts.approvals.is_empty()
            && self.facts.tasks.is_empty()
            && self.facts.subagents.is_empty()
    }

    const fn serves_one_turn(&self) -> bool {
        matches!(self.facts.runtime, Some(Runtime::Resume)) || self.renew
    }

    /// The next turn needs a process of its own.
    pub fn renew(&mut self) {
        self.renew = true;
    }

    /// What all sessions have cost today.
    pub fn set_spent_today(&mut self, usd: f64) {
        self.spent_today_usd = usd;
    }

    /// Takes up a process that an earlier owner left running, with the
    /// requests it still waits on.
    pub fn adopt(
        &mut self,
        now: Timestamp,
        adopted: Adopted,
        requests: BTreeMap<ApprovalId, String>,
        unconfirmed: BTreeSet<String>,
    ) {
        self.process = match &adopted {
            Adopted::Silent => Process::Starting,
            Adopted::Ready | Adopted::Started => Process::Ready,
            Adopted::Closing | Adopted::Ending { .. } => Process::Closing { was_up: true },
        };
        self.heard = now;
        // Nobody knows what ran in it before.
        self.had_background = true;
        self.turn_floor = Some(now.plus(TAKE_OVER_GRACE));
        // Nobody could answer while nobody was here.
        self.grace_until = Some(now.plus(TAKE_OVER_GRACE));
        if adopted == Adopted::Silent {
            self.start_deadline = Some(now.plus(self.limits.start_timeout));
        }
        self.announced = !matches!(adopted, Adopted::Silent | Adopted::Ready);
        if self.takes_no_more() {
            self.close_deadline = Some(now.plus(self.limits.start_timeout));
        }
        if let Adopted::Ending { status, reason } = adopted {
            self.ending = Some((status, reason));
        }
        self.requests = requests;
        self.unconfirmed = unconfirmed.into_iter().map(|one| (one, None)).collect();
    }

    /// The log knows of a turn or a question, but no process was left to go
    /// on with it: an earlier owner stopped between its commit and the deed.
    fn is_orphaned(&self) -> bool {
        let open = match self.facts.phase {
            Phase::Running(_) => true,
            Phase::Idle => !self.facts.approvals.is_empty(),
            Phase::Ended { .. } => false,
        };
        open && self.process == Process::None && !self.runs_elsewhere()
    }

    /// Whether the turn at hand is somebody else's. One with a message that
    /// the agent has yet to get is ours.
    fn runs_elsewhere(&self) -> bool {
        self.facts.elsewhere.is_some()
            && self.process == Process::None
            && self.facts.undelivered().is_none()
    }

    /// Messages wait for a process that has nothing to do.
    fn is_forgotten(&self) -> bool {
        self.process == Process::Ready
            && self.facts.phase == Phase::Idle
            && self.ending.is_none()
            && !self.held
            && !self.draining
            && !self.facts.queue.is_empty()
    }

    /// Messages wait for the next process, which starts when this one has ended.
    const fn starts_again(&self) -> bool {
        !self.facts.queue.is_empty() && !self.draining
    }

    /// Whether this input may begin a turn: a message does, and so does taking
    /// up a session in which one was left waiting.
    pub fn may_begin(&self, input: &Input) -> bool {
        let left = self.starts_again() && self.process == Process::None;
        matches!(input, Input::Send(_)) || (left && *input == Input::Resume)
    }

    const fn takes_no_more(&self) -> bool {
        matches!(self.process, Process::Closing { .. })
    }

    /// Whether a message sent now has to wait.
    fn must_wait(&self) -> bool {
        matches!(self.facts.phase, Phase::Running(_))
            || self.takes_no_more()
            || !self.facts.queue.is_empty()
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
            Input::StartFailed(trouble) => {
                step.start_failed(trouble);
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
            command @ (Input::Create { .. }
            | Input::Send(_)
            | Input::TakeBack { .. }
            | Input::Answer { .. }
            | Input::Interrupt
            | Input::Kill
            | Input::Close
            | Input::Evict
            | Input::Hold
            | Input::End { .. }
            | Input::Resume
            | Input::Tell(_)
            | Input::Rename { .. }
            | Input::SetModel { .. }
            | Input::SetPermissionMode { .. }
            | Input::Rewind { .. }
            | Input::ContextUsage
            | Input::McpStatus) => {
                step.not_being_read()?;
                step.command(command)?
            }
        };
        step.settle_process();
        step.settle_state();
        let effects = step.effects;
        let reply = match reply {
            Reply::Message {
                message_id, turn, ..
            } => Reply::Message {
                message_id,
                turn,
                state: self.state(),
            },
            Reply::Done | Reply::Later { .. } => reply,
        };
        Ok((reply, effects))
    }

    /// The state that follows from everything known.
    pub fn state(&self) -> SessionState {
        match &self.facts.phase {
            Phase::Ended { .. } => SessionState::Ended,
            Phase::Idle | Phase::Running(_) if !self.facts.approvals.is_empty() => {
                SessionState::Waiting
            }
            Phase::Running(_) if self.runs_elsewhere() => SessionState::Processing,
            Phase::Running(_) => match self.process {
                Process::None | Process::Starting | Process::Closing { was_up: false } => {
                    SessionState::Starting
                }
                Process::Ready | Process::Closing { was_up: true } => SessionState::Processing,
            },
            // The next process starts as soon as the old one has ended.
            Phase::Idle if self.takes_no_more() && self.starts_again() => SessionState::Starting,
            Phase::Idle => SessionState::Idle,
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
        self.machine.facts.apply(self.moment.now, &event);
        let turn = self.machine.facts.turn;
        self.effects.push(Effect::Record {
            event,
            turn,
            agent_id,
        });
    }

    fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Tells the agent now, or once it is up.
    fn tell(&mut self, command: AgentCommand) {
        match self.machine.process {
            Process::Ready | Process::Closing { .. } => self.effect(Effect::Tell(command)),
            Process::Starting => self.machine.unsent.push(command),
            Process::None => {
                self.machine.unsent.push(command);
                self.start();
            }
        }
    }

    fn start(&mut self) {
        self.machine.process = Process::Starting;
        self.machine.announced = false;
        let deadline = self.moment.now.plus(self.machine.limits.start_timeout);
        self.machine.start_deadline = Some(deadline);
        self.machine.heard = self.moment.now;
        let whole_turn = self.machine.limits.turn_timeout;
        self.machine.turn_floor = whole_turn.map(|limit| self.moment.now.plus(limit));
        self.machine.quiet_until = None;
        self.machine.compacting = false;
        self.machine.close_deadline = None;
        self.machine.had_background = false;
        self.machine.renew = false;
        self.effect(Effect::Start);
    }

    /// Ends the process; whatever comes next waits for its exit.
    fn kill_process(&mut self) {
        let has_work = !self.machine.has_no_work();
        self.machine.process = Process::Closing {
            was_up: match self.machine.process {
                Process::None | Process::Starting => false,
                Process::Ready => true,
                Process::Closing { was_up } => was_up,
            },
        };
        self.machine.start_deadline = None;
        self.machine.close_deadline = None;
        self.effect(Effect::Kill { has_work });
    }

    /// A process that serves one turn goes when nothing is left in it.
    fn settle_process(&mut self) {
        let facts = &self.machine.facts;
        if !facts.tasks.is_empty() || !facts.subagents.is_empty() {
            self.machine.had_background = true;
        }
        let machine = &self.machine;
        if machine.serves_one_turn()
            && !machine.had_background
            && machine.has_no_work()
            && machine.awaiting.is_empty()
            && machine.ending.is_none()
        {
            self.close_process();
        }
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
                title: None,
                agent_session_id,
            });
        }
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
