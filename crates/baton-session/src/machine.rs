//! The session's rules: what follows from what, without doing any of it.
//!
//! [`Machine::step`] takes one input and says what must happen. It reads no
//! clock, makes no ids and does no IO: the moment and one fresh id come in
//! with each input, and everything to be done goes out as [`Effect`]s, the
//! records first. What the log knows is in [`Facts`]; what only concerns the
//! process at hand (is it up, which of its requests are open) is beside them.
//!
//! Read [`facts`] first, then `commands` (what people ask), `agent` (what the
//! agent says) and `endings` (exits and deadlines).

mod agent;
mod commands;
mod endings;
mod facts;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use baton_protocol::{
    ApprovalId, BlobId, Event, Live, MessageId, Timestamp, Turn,
    event::{ApprovalResolved, Attachment, SessionCreated, SessionStateChanged, SessionUpdated},
    words::{ClientRef, DecidedBy, EndStatus, ErrorCode, Json, PermissionMode, SessionState},
};
pub use facts::{Facts, MessageFacts, OpenTool, PendingMessage, Phase, RunningTurn};
use uuid::Uuid;

use crate::agents::{AgentCommand, AgentOutput, AskDecision};

/// Times that govern a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How long a tool approval waits; none is for ever.
    pub approval_timeout: Option<Duration>,
    /// How long questions and plans wait.
    pub question_timeout: Option<Duration>,
    /// How long an agent may take to obey an interrupt before it is killed.
    pub interrupt_grace: Duration,
    /// How long a process may take from its start until it takes prompts.
    pub start_timeout: Duration,
    /// How long an agent may take to answer a request.
    pub reply_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            approval_timeout: None,
            question_timeout: Some(Duration::from_secs(24 * 60 * 60)),
            interrupt_grace: Duration::from_secs(10),
            start_timeout: Duration::from_secs(60),
            reply_timeout: Duration::from_secs(60),
        }
    }
}

/// When a step happens, and one id it may use.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub now: Timestamp,
    pub fresh: Uuid,
}

/// Everything that can change a session: the closed list.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Create {
        created: SessionCreated,
        agent_session_id: Option<String>,
    },
    Send(NewMessage),
    TakeBack {
        message: MessageId,
        client: Option<ClientRef>,
    },
    Answer {
        approval: ApprovalId,
        decision: AskDecision,
        by: DecidedBy,
        client: Option<ClientRef>,
    },
    Interrupt,
    /// Ends the process of the running turn without waiting for it to obey.
    Kill,
    /// Closes an idle process; the session stays.
    Close,
    End {
        status: EndStatus,
        reason: String,
    },
    Rename {
        title: String,
    },
    SetModel {
        model: Option<String>,
    },
    SetPermissionMode {
        mode: PermissionMode,
    },
    Rewind {
        checkpoint: MessageId,
        dry_run: bool,
    },
    ContextUsage,
    /// What the agent said.
    Agent(AgentOutput),
    /// The agent's process could not be started.
    StartFailed(Trouble),
    /// The agent's process has ended.
    Exited(ProcessEnd),
    /// Time has passed.
    Tick,
}

/// A message on its way in.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    pub id: MessageId,
    pub text: String,
    pub attachments: Vec<Attachment>,
    pub when_busy: WhenBusy,
    pub client: Option<ClientRef>,
}

/// What becomes of a message to a busy session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenBusy {
    Refuse,
    Queue,
}

/// Why something did not work, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub code: ErrorCode,
    pub message: String,
    pub hint: Option<String>,
    pub detail: Option<String>,
}

/// How an agent's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    pub exit_code: Option<i32>,
    /// In words: `exit code 1`, `killed by signal 9`, `lost`.
    pub how: String,
    /// The holder or the machine went away with it.
    pub lost: bool,
    pub stderr: String,
}

/// Something to be done, in order.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "most are events; a box for each would only cost"
)]
pub enum Effect {
    /// Commit this event. Nothing after it happens before.
    Record {
        event: Event,
        turn: Turn,
        agent_id: Option<String>,
    },
    /// Commit these bytes with the events.
    Blob {
        id: BlobId,
        media_type: String,
        bytes: Vec<u8>,
    },
    /// Remember that the agent waits for an answer.
    OpenRequest {
        request: String,
        approval: ApprovalId,
    },
    /// Remember what becomes of such a request.
    CloseRequest {
        request: String,
        close: CloseRequest,
    },
    /// Show this.
    Live(Live),
    /// Start a process.
    Start,
    /// Tell the agent.
    Tell(AgentCommand),
    /// Close the agent's stdin, so that it ends when it is done.
    CloseStdin,
    /// End the process and everything it started.
    Kill,
    /// Give the asker of a request the agent's answer.
    Settled {
        request: String,
        outcome: Result<Json, String>,
    },
}

/// What becomes of a request of the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum CloseRequest {
    /// It is answered, and the answer is sent again after a restart until
    /// it is confirmed.
    Answered(Json),
    /// The agent has gone on, so it has the answer.
    Confirmed,
    /// Nobody waits for the answer any more.
    Dropped,
}

/// What the asker learns at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Done,
    Message {
        message_id: MessageId,
        turn: Option<Turn>,
        state: SessionState,
    },
    /// The answer comes as [`Effect::Settled`] with this id.
    Later {
        request: String,
    },
}

/// A refused command: the session is as it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Rejected {
    #[error("the message is empty")]
    Empty,
    #[error("turn {turn} is still running")]
    Busy { turn: Turn },
    #[error("the session has ended")]
    Ended,
    #[error("message {id} was already sent with other text")]
    MessageConflict { id: MessageId },
    #[error("message {id} is not waiting in the queue")]
    NotQueued { id: MessageId },
    #[error("no approval {approval} in this session")]
    UnknownApproval { approval: ApprovalId },
    #[error("approval {} was already answered: {}", .0.approval_id, .0.decision)]
    AlreadyAnswered(Box<ApprovalResolved>),
    #[error("a question can only be allowed together with its answers")]
    AnswersMissing,
    #[error("this agent cannot do that: {what}")]
    Unsupported { what: &'static str },
    #[error("bypassPermissions must be chosen when the session is created")]
    BypassNotChosen,
}

/// A session's rules applied to its facts.
#[derive(Debug, Clone)]
pub struct Machine {
    facts: Facts,
    limits: Limits,
    process: Process,
    /// Which of the agent's requests each open approval answers.
    requests: BTreeMap<ApprovalId, String>,
    /// Requests that are answered, but not yet known to have been heard.
    unconfirmed: BTreeSet<String>,
    /// Our requests that the agent has not answered.
    awaiting: BTreeMap<String, Awaiting>,
    /// Commands for a process that is still starting.
    unsent: Vec<AgentCommand>,
    interrupt_deadline: Option<Timestamp>,
    start_deadline: Option<Timestamp>,
    ending: Option<(EndStatus, String)>,
}

/// How far a process had come when its earlier owner went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adopted {
    /// It has not said that it takes prompts.
    Silent,
    Ready,
    /// It has also told what it runs with, and that is in the log.
    Started,
    /// It has been told to finish.
    Closing,
}

/// The process at hand; nothing of it survives a restart of the session's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Process {
    None,
    Starting,
    Ready {
        announced: bool,
    },
    /// Its stdin is closed; it ends when it is done.
    Closing,
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
            unconfirmed: BTreeSet::new(),
            awaiting: BTreeMap::new(),
            unsent: Vec::new(),
            interrupt_deadline: None,
            start_deadline: None,
            ending: None,
        }
    }

    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Whether a process is there, or on its way in or out.
    pub const fn has_process(&self) -> bool {
        !matches!(self.process, Process::None)
    }

    /// Whether the agent has yet to be told something.
    pub fn owes(&self) -> bool {
        match self.process {
            Process::None | Process::Closing => false,
            Process::Starting => true,
            Process::Ready { .. } => self.facts.undelivered().is_some(),
        }
    }

    /// Whether the process is on its way out, with no work left that it waits for.
    pub fn is_closing(&self) -> bool {
        self.process == Process::Closing && self.facts.tasks.is_empty()
    }

    /// Takes up a process that an earlier owner left running, with the
    /// requests it still waits on.
    pub fn adopt(
        &mut self,
        adopted: Adopted,
        requests: BTreeMap<ApprovalId, String>,
        unconfirmed: BTreeSet<String>,
    ) {
        self.process = match adopted {
            Adopted::Silent => Process::Starting,
            Adopted::Ready => Process::Ready { announced: false },
            Adopted::Started => Process::Ready { announced: true },
            Adopted::Closing => Process::Closing,
        };
        self.requests = requests;
        self.unconfirmed = unconfirmed;
    }

    /// When [`Input::Tick`] is due.
    pub fn deadline(&self) -> Option<Timestamp> {
        let approvals = self
            .facts
            .approvals
            .values()
            .filter_map(|open| open.expires_at);
        let replies = self.awaiting.values().map(|awaiting| awaiting.deadline);
        approvals
            .chain(replies)
            .chain(self.interrupt_deadline)
            .min()
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
            | Input::End { .. }
            | Input::Rename { .. }
            | Input::SetModel { .. }
            | Input::SetPermissionMode { .. }
            | Input::Rewind { .. }
            | Input::ContextUsage) => step.command(command)?,
        };
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
            Phase::Running(_) => match self.process {
                Process::None | Process::Starting => SessionState::Starting,
                Process::Ready { .. } | Process::Closing => SessionState::Processing,
            },
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
            Process::Ready { .. } | Process::Closing => self.effect(Effect::Tell(command)),
            Process::Starting => self.machine.unsent.push(command),
            Process::None => {
                self.machine.unsent.push(command);
                self.start();
            }
        }
    }

    fn start(&mut self) {
        self.machine.process = Process::Starting;
        let deadline = self.moment.now.plus(self.machine.limits.start_timeout);
        self.machine.start_deadline = Some(deadline);
        self.effect(Effect::Start);
    }

    fn settle_state(&mut self) {
        if self.machine.facts.created.is_none() {
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
