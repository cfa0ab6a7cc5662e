//! What is true of a session, folded from its events and nothing else.
//!
//! Because every change goes through [`Facts::apply`], replaying the log after
//! a restart gives exactly what a living session knew.

use std::collections::BTreeMap;

use baton_protocol::{
    Envelope, Event, MessageId, Timestamp, Turn,
    api::QueuedMessage,
    event::{Attachment, FolderTools, SessionCreated, TurnStarted, TurnStats},
    words::{EndStatus, Origin, PermissionMode, Runtime, SessionState},
};

use super::{clock::Times, memory::Memory, spent::Spent};
use crate::{fold::Open, stats};

/// Said to an agent that goes on with a turn whose process was lost.
const CONTINUE: &str = "The program running you stopped in the middle of this task and was started \
     again. Go on where you were. A tool call without a result may or may not have taken effect: \
     look before you repeat it.";

/// A session as its log tells it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    pub created: Option<SessionCreated>,
    pub phase: Phase,
    /// What is open, waiting and running.
    pub open: Open,
    /// The state last recorded; surfaces show this.
    pub state: Option<SessionState>,
    pub agent_session_id: Option<String>,
    pub model: Option<String>,
    pub permission_mode: Option<PermissionMode>,
    pub messages: BTreeMap<MessageId, MessageFacts>,
    /// The running turn's counts.
    pub stats: TurnStats,
    /// Over the session's whole life.
    pub cost_usd: f64,
    /// Set while the session is somebody else's: begun elsewhere, and not run
    /// here since.
    pub elsewhere: Option<Elsewhere>,
    /// How its processes relate to turns.
    pub runtime: Option<Runtime>,
    /// Its agent knows no other way to answer than in plain text.
    pub text_output: bool,
    /// What the folder's own files leave of the tools.
    pub folder_tools: FolderTools,
    /// What the agent must have of the past when it is started again.
    pub memory: Memory,
    /// By the wall clock, as the events say.
    pub times: Times,
}

/// How far a session that was begun elsewhere is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elsewhere {
    /// What happened before it came here is being read.
    Reading,
    /// All of that is in the log, and what comes is added.
    Watched,
}

/// Where a session stands. Each variant holds exactly what is true in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Phase {
    #[default]
    Idle,
    Running(RunningTurn),
    Ended {
        status: EndStatus,
    },
}

/// The turn under way.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningTurn {
    pub turn: Turn,
    pub origin: Origin,
    pub started_at: Timestamp,
    /// The messages this turn has to answer, and whether the agent has them.
    pub messages: Vec<QueuedMessage>,
    pub delivered: Vec<MessageId>,
    /// What it has cost in processes that were lost.
    pub carried: Spent,
    /// Its process was lost once, and it goes on in another.
    pub fell_back: bool,
    /// What was sent instead of a message that the agent already has.
    pub continuation: Option<QueuedMessage>,
}

/// What must be remembered of every message to answer a repeated send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageFacts {
    pub digest: u64,
    /// The turn that took it; none while it is queued.
    pub turn: Option<Turn>,
}

impl Facts {
    /// Folds a whole log.
    pub fn replay<'a>(log: impl IntoIterator<Item = &'a Envelope>) -> Self {
        let mut facts = Self::default();
        for envelope in log {
            facts.apply(envelope.ts, &envelope.event);
        }
        facts
    }

    /// Takes one event in.
    #[expect(
        clippy::too_many_lines,
        reason = "the list of what each event changes is one table"
    )]
    pub fn apply(&mut self, ts: Timestamp, event: &Event) {
        self.times.pass(ts, self.milestone(event));
        self.remember(event);
        let taken = self.open.apply(ts, event);
        match event {
            Event::SessionCreated(created) => {
                self.model.clone_from(&created.options.model);
                self.permission_mode = created.options.permission_mode;
                let begun_elsewhere = created.resumes.is_some()
                    && created.forked_from.is_none()
                    && created.forked_at.is_none();
                self.elsewhere = begun_elsewhere.then_some(Elsewhere::Reading);
                self.runtime = Some(created.runtime);
                self.created = Some((**created).clone());
            }
            Event::SessionStarted(started) => {
                if started.agent_session_id.is_some() {
                    self.agent_session_id.clone_from(&started.agent_session_id);
                }
                if started.model.is_some() {
                    self.model.clone_from(&started.model);
                }
                self.permission_mode = started.permission_mode.or(self.permission_mode);
                self.elsewhere = None;
            }
            Event::SessionState(state) => {
                self.state = Some(state.state);
                self.elsewhere = self.elsewhere.map(|_| Elsewhere::Watched);
                // The only way out of an end.
                if state.state != SessionState::Ended && matches!(self.phase, Phase::Ended { .. }) {
                    self.phase = Phase::Idle;
                }
            }
            Event::SessionUpdated(updated) => {
                if updated.agent_session_id.is_some() {
                    self.agent_session_id.clone_from(&updated.agent_session_id);
                }
                if let Some(left) = &updated.folder_tools {
                    self.folder_tools.clone_from(left);
                }
                if let (Some(moved), Some(created)) = (&updated.moved, &mut self.created) {
                    created.follow(moved);
                }
                if let Some(options) = updated.options.as_deref() {
                    if !updated.budget_only {
                        self.model.clone_from(&options.model);
                        self.permission_mode = options.permission_mode;
                    }
                    if let Some(created) = &mut self.created {
                        created.options.clone_from(options);
                    }
                }
            }
            Event::SessionEnded(ended) => {
                self.phase = Phase::Ended {
                    status: ended.status,
                };
            }
            Event::UserMessage(message) => {
                let facts = MessageFacts {
                    digest: digest(&message.text, &message.attachments),
                    turn: None,
                };
                self.messages.insert(message.message_id, facts);
            }
            Event::MessageRemoved(removed) => drop(self.messages.remove(&removed.message_id)),
            Event::MessageDelivered(delivered) => {
                if let Phase::Running(running) = &mut self.phase {
                    running.delivered.push(delivered.message_id);
                }
            }
            Event::TurnStarted(started) => self.turn_started(ts, started),
            Event::TurnCompleted(completed) => {
                self.cost_usd += completed.cost_usd.unwrap_or(0.0);
                self.stats = TurnStats::default();
                if matches!(self.phase, Phase::Running(_)) {
                    self.phase = Phase::Idle;
                }
            }
            Event::ToolRequested(requested) => {
                stats::requested(&mut self.stats, requested);
            }
            Event::ToolCompleted(completed) => {
                self.stats.total_tool_duration_ms = self
                    .stats
                    .total_tool_duration_ms
                    .saturating_add(completed.duration_ms);
            }
            Event::SubagentStarted(_) => self.stats.sub_agents += 1,
            Event::ModelChanged(changed) => self.model.clone_from(&changed.model),
            Event::PermissionModeChanged(changed) => self.permission_mode = Some(changed.mode),
            Event::RuntimeFallback(fallback) => {
                // One death does not change how a session runs for good.
                if fallback.text_output {
                    self.runtime = Some(fallback.to);
                }
                self.text_output |= fallback.text_output;
                if let Phase::Running(running) = &mut self.phase {
                    running.carried = running.carried.plus(Spent {
                        cost_usd: fallback.cost_usd,
                        usage: fallback.usage,
                    });
                    running.go_on(ts, fallback.continued_by);
                }
            }
            Event::ApprovalRequested(_)
            | Event::ApprovalResolved(_)
            // What else becomes of the queue is all in `open`. An edited message is
            // still known by what was sent first, should its sender try again.
            | Event::MessageEdited(_)
            | Event::MessageMoved(_)
            | Event::QueueHeld(_)
            | Event::QueueReleased(_)
            | Event::SubagentStopped(_)
            | Event::TaskUpdated(_)
            | Event::TodoUpdated(_)
            | Event::AssistantMessage(_)
            | Event::AssistantThinking(_)
            | Event::ImageOutput(_)
            | Event::ContextUsage(_)
            | Event::ContextCompacted(_)
            | Event::CheckpointCreated(_)
            | Event::FilesRewound(_)
            | Event::Notification(_)
            | Event::AgentRetry(_)
            | Event::AgentUnknown(_)
            | Event::Error(_)
            | Event::PtyOpened(_)
            | Event::PtyResized(_)
            | Event::PtyClosed(_)
            | Event::Unrecognised { .. } => {}
        }
        if let (Some(taken), Phase::Running(running)) = (taken, &mut self.phase) {
            if let Some(facts) = self.messages.get_mut(&taken.message_id) {
                facts.turn = Some(running.turn);
            }
            running.messages.push(taken);
        }
    }

    /// The message that the agent has not confirmed to have, if a turn waits for it.
    pub fn undelivered(&self) -> Option<&QueuedMessage> {
        let Phase::Running(running) = &self.phase else {
            return None;
        };
        let wanted = match &running.continuation {
            Some(continuation) => std::slice::from_ref(continuation),
            None => running.messages.as_slice(),
        };
        wanted
            .iter()
            .find(|message| !running.delivered.contains(&message.message_id))
    }

    fn turn_started(&mut self, ts: Timestamp, started: &TurnStarted) {
        self.stats = TurnStats::default();
        self.phase = Phase::Running(RunningTurn {
            turn: started.turn,
            origin: started.origin,
            started_at: ts,
            messages: Vec::new(),
            delivered: Vec::new(),
            carried: Spent::default(),
            fell_back: false,
            continuation: None,
        });
    }
}

impl RunningTurn {
    /// The messages it has to answer.
    pub fn message_ids(&self) -> impl Iterator<Item = MessageId> {
        self.messages.iter().map(|message| message.message_id)
    }

    /// The turn goes on in another process: with the message itself if the
    /// agent does not have it, else with a word to go on.
    fn go_on(&mut self, ts: Timestamp, continued_by: Option<MessageId>) {
        self.fell_back = true;
        match continued_by {
            Some(message_id) => {
                self.continuation = Some(QueuedMessage {
                    message_id,
                    text: CONTINUE.to_owned(),
                    attachments: Vec::new(),
                    queued_at: ts,
                    held: false,
                });
            }
            None => self.delivered.clear(),
        }
    }
}

/// Tells two messages with the same id apart by what they say.
pub(crate) fn digest(text: &str, attachments: &[Attachment]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(text.as_bytes());
    for attachment in attachments {
        add(&[0]);
        add(attachment.name.as_bytes());
        if let Some(blob) = attachment.blob_id {
            add(blob.uuid().as_bytes());
        }
    }
    hash
}
