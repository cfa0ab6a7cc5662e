//! From a session's events to what the parent is told. Pure: no clock, no IO.
//!
//! The order of the output follows from the order of the log. What the log does
//! not bracket is bracketed here: a process that is replaced ends before the
//! next one starts, and thought that is cut short gets its end.

mod asks;
mod process;
mod senders;
mod thinking;
mod told;
mod tools;
mod turns;
mod unknown;

use baton_protocol::{
    Envelope, Event, Live, LiveFrame, MessageId, Timestamp, Turn,
    event::{AssistantMessage, AssistantThinking, ErrorRaised, MessageRemoved, SessionEnded},
    words::{ErrorCode, SessionState},
};
use baton_session::{machine::DAY_IS_SPENT, views::Paragraphs};

pub(crate) use self::tools::cut_short;
use self::{asks::Asks, senders::Senders, thinking::Thinking, tools::Tools};
use crate::{
    context::Context,
    folder::Folder,
    output::{
        AgentNotification, AssistantText, AuthError, CheckpointCreated, CompactBoundary,
        ContextWindowSize, Error, FilesRewound, FolderTrust, ImageOutput, MessageAccepted,
        ModelChanged, Output, PermissionModeChanged, SubagentStarted, SubagentStopped, TaskUpdate,
        TodoUpdate, TurnStarted,
    },
    pending::Expected,
};

/// Messages that may wait for a turn; more are refused.
const MAX_WAITING: usize = 1000;
const MAX_WAITING_BYTES: u64 = 256 << 20;

/// A message that waits for a turn.
#[derive(Debug)]
struct Waiting {
    id: MessageId,
    bytes: u64,
    request_id: Option<String>,
}

/// Follows one conversation.
#[derive(Debug)]
pub struct Translator {
    context: Context,
    paragraphs: Paragraphs,
    thinking: Thinking,
    tools: Tools,
    asks: Asks,
    /// Changes that somebody asked for and waits to hear of.
    pub(crate) expected: Expected,
    turn: Option<Turn>,
    turns: u32,
    total_cost_usd: f64,
    /// The agent's own id of the conversation.
    agent_session: Option<String>,
    /// A process has taken the conversation up and is not known to be gone.
    running: bool,
    /// It has ended, and how. The session's own end says more of it, if that
    /// comes too.
    exited: Option<String>,
    /// It was lost in the turn that runs.
    lost: Option<String>,
    started_before: bool,
    model: Option<String>,
    /// The last message whose tokens were told.
    counted: Option<String>,
    /// Messages that wait for a turn.
    waiting: Vec<Waiting>,
    /// Those that are on their way to the log.
    senders: Senders,
    /// Refusals for want of a budget that were told to their senders, less
    /// those that the log told of.
    budget_refusals: i32,
    ended: Option<SessionEnded>,
    /// Something goes on, in a turn or beside it.
    busy: bool,
    /// It was told that something runs on, but not that it has ended.
    owes_end: bool,
}

impl Translator {
    pub fn new(context: Context) -> Self {
        Self {
            agent_session: context.resumes.clone().filter(|_| !context.forked),
            context,
            paragraphs: Paragraphs::default(),
            thinking: Thinking::default(),
            tools: Tools::default(),
            asks: Asks::default(),
            expected: Expected::default(),
            turn: None,
            turns: 0,
            total_cost_usd: 0.0,
            running: false,
            exited: None,
            lost: None,
            started_before: false,
            model: None,
            counted: None,
            waiting: Vec::new(),
            senders: Senders::default(),
            budget_refusals: 0,
            ended: None,
            busy: false,
            owes_end: false,
        }
    }

    /// The first line, and what is left out of the folder, if something is.
    pub fn ready(&self) -> Vec<Output> {
        let trust = &self.context.folder.trust;
        let trust = (!trust.left_out.is_empty()).then(|| trust.clone().into());
        let ready = Output::from(self.context.ready());
        std::iter::once(ready).chain(trust).collect()
    }

    /// How the folder stands now; what it brings and whether that counts, if
    /// it is otherwise than before.
    pub fn folder_stands(&mut self, folder: Folder) -> Option<FolderTrust> {
        let before = std::mem::replace(&mut self.context.folder, folder).trust;
        let now = &self.context.folder.trust;
        let same = (before.trusted, before.left_out) == (now.trusted, now.left_out.clone());
        (!same).then(|| now.clone())
    }

    /// The folder that is worked in.
    pub fn folder(&self) -> &str {
        &self.context.cwd
    }

    pub const fn turn(&self) -> Option<Turn> {
        self.turn
    }

    /// Whether something goes on: a turn, or work in the background.
    pub const fn is_busy(&self) -> bool {
        self.turn.is_some() || self.busy
    }

    /// How many turns there were, and what they cost.
    pub const fn totals(&self) -> (u32, f64) {
        (self.turns, self.total_cost_usd)
    }

    /// Whether a message waits for its turn.
    pub const fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Why no further message may wait, if that is so.
    pub fn too_much_waits(&self) -> Option<String> {
        let bytes: u64 = self.waiting.iter().map(|one| one.bytes).sum();
        if self.waiting.len() >= MAX_WAITING {
            return Some(format!("{MAX_WAITING} messages wait already"));
        }
        (bytes >= MAX_WAITING_BYTES).then(|| {
            let limit = MAX_WAITING_BYTES >> 20;
            format!("the messages that wait have {limit} MiB already")
        })
    }

    /// How the session ended, once it has.
    pub const fn ended(&self) -> Option<&SessionEnded> {
        self.ended.as_ref()
    }

    /// What a live frame adds.
    pub fn live(&mut self, frame: &LiveFrame, out: &mut Vec<Output>) {
        match &frame.live {
            Live::AssistantDelta(_) => {
                let ready = self.paragraphs.live(frame);
                say_text(ready, frame.turn, out);
            }
            Live::ThinkingDelta(delta) => self.thinking.live(frame.after, delta, out),
            // Baton counts by itself, for every tool alike.
            Live::ToolProgress(_) | Live::PtyData(_) => {}
        }
    }

    /// What an event means to the parent.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`told` lists the others one by one"
    )]
    pub fn event(&mut self, envelope: &Envelope, out: &mut Vec<Output>) {
        self.asks.next(&envelope.event, out);
        self.thinking.pass(envelope.seq);
        let text = self.paragraphs.event(envelope);
        say_text(text, envelope.turn, out);
        let agent_id = envelope.agent_id.clone();
        match &envelope.event {
            Event::SessionStarted(started) => self.started(started, out),
            Event::SessionUpdated(updated) => {
                self.named(updated.agent_session_id.as_deref(), out);
                if let Some(options) = &updated.options {
                    self.context.budget.max_budget_usd = options.max_budget_usd;
                }
            }
            Event::SessionEnded(ended) => {
                self.state(SessionState::Ended, envelope.turn, out);
                self.session_ended(ended, out);
            }
            Event::TurnStarted(started) => {
                self.tell_exit(out);
                self.turn = Some(started.turn);
                self.turns += 1;
                let oldest = self.waiting.first().map(|one| one.id);
                let begun = started.takes(oldest).and_then(|id| self.take(id));
                out.push(
                    TurnStarted {
                        turn: started.turn,
                        origin: started.origin,
                        because: started.because.clone(),
                        message_ids: begun.into_iter().map(|one| one.id).collect(),
                    }
                    .into(),
                );
            }
            Event::TurnCompleted(completed) => self.turn_completed(completed, out),
            Event::SessionState(changed) => self.state(changed.state, envelope.turn, out),
            Event::AssistantMessage(AssistantMessage(block)) => self.count(block, out),
            Event::AssistantThinking(AssistantThinking(block)) => {
                self.thinking.whole(block, out);
                self.count(block, out);
            }
            Event::ToolRequested(call) => {
                self.tools.requested(envelope.ts, call, agent_id, out);
            }
            Event::ToolCompleted(done) => self.tools.completed(done, agent_id, out),
            Event::ApprovalRequested(asked) => {
                let call = asked.tool_use_id.as_deref();
                if let Some(call) = call {
                    self.tools.asked(envelope.ts, asked.approval_id, call);
                }
                let call = call.and_then(|call| self.tools.input(call));
                self.asks.requested(asked, call);
            }
            Event::ApprovalResolved(resolved) => {
                self.tools.answered(envelope.ts, resolved.approval_id);
                self.asks.resolved(resolved, out);
            }
            Event::UserMessage(message) => {
                let files = message.attachments.iter().map(|file| file.bytes);
                let bytes = message.text.len() as u64 + files.sum::<u64>();
                let request_id = self.senders.arrived(message.message_id);
                self.waiting.push(Waiting {
                    id: message.message_id,
                    bytes,
                    request_id: request_id.clone(),
                });
                out.push(
                    MessageAccepted {
                        message_id: message.message_id,
                        again: None,
                        request_id,
                    }
                    .into(),
                );
            }
            // The running turn may take one that waits.
            Event::MessageDelivered(delivered) => drop(self.take(delivered.message_id)),
            Event::MessageRemoved(removed) => self.removed(removed, out),
            other => told::told(other, self, out),
        }
    }

    /// Whether something waits to be told until it is clear that nothing
    /// takes it back at once.
    pub fn holds_back(&self) -> bool {
        self.asks.holds_back() || self.exited.is_some()
    }

    /// Nothing took it back.
    pub fn release(&mut self, out: &mut Vec<Output>) {
        self.asks.release(out);
        self.tell_exit(out);
    }

    /// The requests that wait for an answer.
    pub fn open_requests(&self) -> impl Iterator<Item = baton_protocol::ApprovalId> {
        self.asks.open()
    }

    /// The request that an answer belongs to.
    pub(crate) fn asked(
        &self,
        id: baton_protocol::ApprovalId,
    ) -> Option<&baton_protocol::event::ApprovalRequested> {
        self.asks.get(id)
    }

    pub fn has_open_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Whether somebody waits to hear of a change that made no event.
    pub fn owes_answers(&self) -> bool {
        self.expected.owes(self.turn.is_some())
    }

    /// The log has nothing more: changes that made no event are told.
    pub fn answer(&mut self, out: &mut Vec<Output>) {
        self.expected.answer(self.turn.is_some(), out);
    }

    /// A message is on its way to the log.
    pub fn expect_message(&mut self, message: MessageId, request_id: Option<String>) {
        self.senders.sent(message, request_id);
    }

    /// It was refused, which its sender has been told.
    pub fn message_refused(&mut self, message: MessageId, error: &Error) {
        self.senders.refused(message, error.request_id.as_deref());
        if error.code == ErrorCode::Budget.as_str() {
            self.budget_refusals += 1;
        }
    }

    /// Whether the log's trouble is a refusal that its sender hears of by
    /// itself. The log may come first or second.
    fn expects_refusal(&mut self, raised: &ErrorRaised) -> bool {
        let is_refusal = raised.code == ErrorCode::Budget
            && self.turn.is_none()
            && (self.budget_refusals > 0 || !self.senders.is_empty());
        if is_refusal {
            self.budget_refusals -= 1;
        }
        is_refusal
    }

    pub fn expects_messages(&self) -> bool {
        !self.senders.is_empty()
    }

    /// None is: those that were taken and made no event were known already.
    pub fn expect_no_messages(&mut self, out: &mut Vec<Output>) {
        self.budget_refusals = 0;
        out.extend(self.senders.known_already());
    }

    /// Time has passed: long calls that run are told to be still running.
    pub fn tick(&mut self, now: Timestamp, out: &mut Vec<Output>) {
        self.tools.tick(now, out);
    }

    fn take(&mut self, id: MessageId) -> Option<Waiting> {
        let at = self.waiting.iter().position(|one| one.id == id)?;
        Some(self.waiting.remove(at))
    }

    /// A message that was taken will not run, which its sender must know.
    fn removed(&mut self, removed: &MessageRemoved, out: &mut Vec<Output>) {
        let Some(waiting) = self.take(removed.message_id) else {
            return;
        };
        let why = removed.reason.as_deref().unwrap_or("it was taken back");
        out.push(
            Error {
                code: "not_run".into(),
                message: format!("the message was not run: {why}"),
                hint: None,
                fatal: false,
                retryable: None,
                retry_at: None,
                detail: None,
                request_id: waiting.request_id,
                message_id: Some(waiting.id),
            }
            .into(),
        );
    }
}

fn say_text(paragraphs: Vec<baton_session::views::Paragraph>, turn: Turn, out: &mut Vec<Output>) {
    for paragraph in paragraphs {
        let mut again = paragraph.again.then_some(true);
        for text in pieces(&paragraph.text) {
            let said = AssistantText {
                text: text.to_owned(),
                message_id: paragraph.message_id.clone(),
                block: paragraph.block,
                turn,
                again: again.take(),
            };
            out.push(said.into());
        }
    }
}

/// A text in parts that each fit into a line, however they are escaped.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    /// Bytes, each of which is six at most in a line.
    const PIECE: usize = 64 << 10;
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, next) = rest.split_at(rest.floor_char_boundary(PIECE.min(rest.len())));
        rest = next;
        (!piece.is_empty()).then_some(piece)
    })
}

/// What a parent can do about a budget that is spent. The log's hint is for
/// people, but for the day's.
pub(crate) fn more_money(hint: Option<&str>) -> String {
    let day = hint.filter(|hint| *hint == DAY_IS_SPENT);
    day.unwrap_or("Raise it with `set_budget`, then send the message again.")
        .to_owned()
}

/// Trouble as the log tells it.
pub(crate) fn trouble(raised: &ErrorRaised, fatal: bool) -> Output {
    if raised.code == ErrorCode::Auth {
        return AuthError {
            message: raised.message.clone(),
            hint: raised.hint.clone(),
            detail: raised.detail.clone(),
            fatal,
        }
        .into();
    }
    let spent = raised.code == ErrorCode::Budget;
    Error {
        code: raised.code.to_string(),
        message: raised.message.clone(),
        hint: if spent {
            Some(more_money(raised.hint.as_deref()))
        } else {
            raised.hint.clone()
        },
        fatal,
        retryable: Some(raised.retryable && !spent),
        retry_at: raised.retry_at,
        detail: raised.detail.clone(),
        request_id: None,
        message_id: None,
    }
    .into()
}

#[cfg(test)]
#[path = "translate_tests.rs"]
mod tests;
