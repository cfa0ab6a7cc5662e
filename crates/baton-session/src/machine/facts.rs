//! What is true of a session, folded from its events and nothing else.
//!
//! Because every change goes through [`Facts::apply`], replaying the log after
//! a restart gives exactly what a living session knew.

use std::collections::BTreeMap;

use baton_protocol::{
    ApprovalId, Envelope, Event, MessageId, Timestamp, Turn,
    event::{
        ApprovalRequested, Attachment, FolderTools, RunningWork, SessionCreated, SubagentStarted,
        TaskUpdated, TodoItem, TurnStarted, TurnStats, UserMessage,
    },
    words::{EndStatus, Origin, PermissionMode, Runtime, SessionState, TaskStatus},
    work,
};

use super::{clock::Times, memory::Memory, spent::Spent};
use crate::stats;

/// Said to an agent that goes on with a turn whose process was lost.
const CONTINUE: &str = "The program running you stopped in the middle of this task and was started \
     again. Go on where you were. A tool call without a result may or may not have taken effect: \
     look before you repeat it.";

/// A session as its log tells it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    pub created: Option<SessionCreated>,
    pub phase: Phase,
    /// The last turn that began.
    pub turn: Turn,
    /// The state last recorded; surfaces show this.
    pub state: Option<SessionState>,
    pub agent_session_id: Option<String>,
    pub model: Option<String>,
    pub permission_mode: Option<PermissionMode>,
    pub approvals: BTreeMap<ApprovalId, ApprovalRequested>,
    pub messages: BTreeMap<MessageId, MessageFacts>,
    /// Messages that wait for a turn, oldest first.
    pub queue: Vec<PendingMessage>,
    pub tools: BTreeMap<String, OpenTool>,
    pub subagents: BTreeMap<String, SubagentStarted>,
    pub tasks: BTreeMap<String, TaskUpdated>,
    /// Both of them as they are shown, with since when they run.
    pub work: Vec<RunningWork>,
    pub todo: Vec<TodoItem>,
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
    pub messages: Vec<PendingMessage>,
    pub delivered: Vec<MessageId>,
    /// What it has cost in processes that were lost.
    pub carried: Spent,
    /// Its process was lost once, and it goes on in another.
    pub fell_back: bool,
    /// What was sent instead of a message that the agent already has.
    pub continuation: Option<PendingMessage>,
}

/// A message whose text may still have to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingMessage {
    pub id: MessageId,
    pub text: String,
    pub attachments: Vec<Attachment>,
}

/// What must be remembered of every message to answer a repeated send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageFacts {
    pub digest: u64,
    /// The turn that took it; none while it is queued.
    pub turn: Option<Turn>,
}

/// A tool call without its end.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenTool {
    pub name: String,
    pub started_at: Timestamp,
    pub parent_tool_use_id: Option<String>,
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
        work::follow(&mut self.work, ts, event);
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
                    self.model.clone_from(&options.model);
                    self.permission_mode = options.permission_mode;
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
            Event::UserMessage(message) => self.message_stored(message),
            Event::MessageRemoved(removed) => {
                self.queue
                    .retain(|waiting| waiting.id != removed.message_id);
                self.messages.remove(&removed.message_id);
            }
            Event::MessageDelivered(delivered) => {
                self.message_delivered(delivered.message_id);
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
                stats::requested(&mut self.stats, &requested.name);
                let tool = OpenTool {
                    name: requested.name.clone(),
                    started_at: ts,
                    parent_tool_use_id: requested.parent_tool_use_id.clone(),
                };
                self.tools.insert(requested.tool_use_id.clone(), tool);
            }
            Event::ToolCompleted(completed) => {
                self.stats.total_tool_duration_ms = self
                    .stats
                    .total_tool_duration_ms
                    .saturating_add(completed.duration_ms);
                self.tools.remove(&completed.tool_use_id);
            }
            Event::ApprovalRequested(requested) => {
                self.approvals
                    .insert(requested.approval_id, requested.clone());
            }
            Event::ApprovalResolved(resolved) => {
                self.approvals.remove(&resolved.approval_id);
            }
            Event::SubagentStarted(started) => {
                self.stats.sub_agents += 1;
                self.subagents
                    .insert(started.agent_id.clone(), started.clone());
            }
            Event::SubagentStopped(stopped) => {
                self.subagents.remove(&stopped.agent_id);
            }
            Event::TaskUpdated(task) => match task.status {
                TaskStatus::Running => {
                    self.tasks.insert(task.task_id.clone(), task.clone());
                }
                TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Stopped => {
                    self.tasks.remove(&task.task_id);
                }
            },
            Event::TodoUpdated(todo) => self.todo.clone_from(&todo.items),
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
                    running.go_on(fallback.continued_by);
                }
            }
            Event::AssistantMessage(_)
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
    }

    /// The message that the agent has not confirmed to have, if a turn waits for it.
    pub fn undelivered(&self) -> Option<&PendingMessage> {
        let Phase::Running(running) = &self.phase else {
            return None;
        };
        let wanted = match &running.continuation {
            Some(continuation) => std::slice::from_ref(continuation),
            None => running.messages.as_slice(),
        };
        wanted
            .iter()
            .find(|message| !running.delivered.contains(&message.id))
    }

    fn message_stored(&mut self, message: &UserMessage) {
        let facts = MessageFacts {
            digest: digest(&message.text, &message.attachments),
            turn: None,
        };
        self.messages.insert(message.message_id, facts);
        self.queue.push(PendingMessage {
            id: message.message_id,
            text: message.text.clone(),
            attachments: message.attachments.clone(),
        });
    }

    /// A waiting message may be taken into the turn that runs.
    fn message_delivered(&mut self, id: MessageId) {
        let Phase::Running(running) = &mut self.phase else {
            return;
        };
        running.delivered.push(id);
        if let Some(index) = self.queue.iter().position(|waiting| waiting.id == id) {
            running.messages.push(self.queue.remove(index));
            if let Some(facts) = self.messages.get_mut(&id) {
                facts.turn = Some(running.turn);
            }
        }
    }

    fn turn_started(&mut self, ts: Timestamp, started: &TurnStarted) {
        let turn = started.turn;
        self.turn = turn;
        self.stats = TurnStats::default();
        let oldest = self.queue.first().map(|waiting| waiting.id);
        let wanted = started.takes(oldest);
        let mut queue = self.queue.iter();
        let place = queue.position(|waiting| Some(waiting.id) == wanted);
        let taken: Vec<_> = place
            .map(|place| self.queue.remove(place))
            .into_iter()
            .collect();
        for message in &taken {
            if let Some(facts) = self.messages.get_mut(&message.id) {
                facts.turn = Some(turn);
            }
        }
        self.phase = Phase::Running(RunningTurn {
            turn,
            origin: started.origin,
            started_at: ts,
            messages: taken,
            delivered: Vec::new(),
            carried: Spent::default(),
            fell_back: false,
            continuation: None,
        });
    }
}

impl RunningTurn {
    /// The turn goes on in another process: with the message itself if the
    /// agent does not have it, else with a word to go on.
    fn go_on(&mut self, continued_by: Option<MessageId>) {
        self.fell_back = true;
        match continued_by {
            Some(id) => {
                self.continuation = Some(PendingMessage {
                    id,
                    text: CONTINUE.to_owned(),
                    attachments: Vec::new(),
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
