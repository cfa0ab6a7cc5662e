//! From a session's events to what the parent is told. Pure: no clock, no IO.
//!
//! The order of the output follows from the order of the log. What the log does
//! not bracket is bracketed here: a process that is replaced ends before the
//! next one starts, and thought that is cut short gets its end.

mod asks;
mod thinking;
mod told;
mod tools;

use baton_protocol::{
    Envelope, Event, Live, LiveFrame, MessageId, Timestamp, Turn,
    event::{
        AssistantBlock, AssistantMessage, AssistantThinking, ErrorRaised, SessionEnded,
        SessionStarted, TurnCompleted,
    },
    words::{ErrorCode, Origin, StopReason},
};
use baton_session::views::Paragraphs;

pub(crate) use self::tools::cut_short;
use self::{asks::Asks, thinking::Thinking, tools::Tools};
use crate::{
    context::Context,
    output::{
        AgentNotification, AgentStop, AssistantText, AuthError, CheckpointCreated, CompactBoundary,
        ContextUsage, ContextWindowSize, Error, FilesRewound, Init, Interrupted, ModelChanged,
        Output, PermissionModeChanged, Result as TurnResult, SessionEnded as EndedSession,
        SessionIdUpdate, SessionStarted as StartedSession, Source, SubagentStarted,
        SubagentStopped, TodoUpdate, TurnComplete, TurnStarted,
    },
    pending::Expected,
};

/// Messages that may wait for a turn; more are refused.
const MAX_WAITING: usize = 1000;
const MAX_WAITING_BYTES: u64 = 256 << 20;

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
    started_before: bool,
    model: Option<String>,
    /// The last message whose tokens were told.
    counted: Option<String>,
    /// Messages that wait for a turn, and how large they are.
    waiting: Vec<(MessageId, u64)>,
    ended: Option<SessionEnded>,
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
            started_before: false,
            model: None,
            counted: None,
            waiting: Vec::new(),
            ended: None,
        }
    }

    /// The first line.
    pub fn ready(&self) -> Output {
        self.context.ready().into()
    }

    pub const fn turn(&self) -> Option<Turn> {
        self.turn
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
        let bytes: u64 = self.waiting.iter().map(|(_, bytes)| bytes).sum();
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
                self.say_text(ready, frame.turn, out);
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
        self.say_text(text, envelope.turn, out);
        let agent_id = envelope.agent_id.clone();
        match &envelope.event {
            Event::SessionStarted(started) => self.started(started, out),
            Event::SessionUpdated(updated) => self.named(updated.agent_session_id.as_deref(), out),
            Event::SessionEnded(ended) => self.session_ended(ended, out),
            Event::TurnStarted(started) => {
                self.turn = Some(started.turn);
                self.turns += 1;
                if started.origin == Origin::User && !self.waiting.is_empty() {
                    self.waiting.remove(0);
                }
                out.push(
                    TurnStarted {
                        turn: started.turn,
                        origin: started.origin,
                    }
                    .into(),
                );
            }
            Event::TurnCompleted(completed) => self.turn_completed(completed, out),
            Event::AssistantMessage(AssistantMessage(block)) => self.count(block, out),
            Event::AssistantThinking(AssistantThinking(block)) => {
                self.thinking.whole(block, out);
                self.count(block, out);
            }
            Event::ToolRequested(call) => {
                self.tools.requested(envelope.ts, call, agent_id, out);
            }
            Event::ToolCompleted(done) => self.tools.completed(done, agent_id, out),
            Event::ApprovalRequested(asked) => self.asks.requested(asked),
            Event::ApprovalResolved(resolved) => self.asks.resolved(resolved, out),
            Event::UserMessage(message) => {
                let files = message.attachments.iter().map(|file| file.bytes);
                let bytes = message.text.len() as u64 + files.sum::<u64>();
                self.waiting.push((message.message_id, bytes));
            }
            Event::MessageRemoved(removed) => {
                self.waiting.retain(|(id, _)| *id != removed.message_id);
            }
            other => told::told(other, self, out),
        }
    }

    /// Whether something waits to be told until it is clear that nothing
    /// takes it back at once.
    pub fn holds_back(&self) -> bool {
        self.asks.holds_back()
    }

    /// Nothing took it back.
    pub fn release(&mut self, out: &mut Vec<Output>) {
        self.asks.release(out);
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

    /// Time has passed: long calls are told to be still running.
    pub fn tick(&mut self, now: Timestamp, out: &mut Vec<Output>) {
        self.tools.tick(now, out);
        self.expected.tick(out);
    }

    fn say_text(
        &self,
        paragraphs: Vec<baton_session::views::Paragraph>,
        turn: Turn,
        out: &mut Vec<Output>,
    ) {
        let _ = self;
        out.extend(paragraphs.into_iter().map(|paragraph| {
            AssistantText {
                text: paragraph.text,
                message_id: paragraph.message_id,
                block: paragraph.block,
                turn,
                again: paragraph.again.then_some(true),
            }
            .into()
        }));
    }

    /// Tells the tokens of a message of the model, once.
    fn count(&mut self, block: &AssistantBlock, out: &mut Vec<Output>) {
        let main = block.parent_tool_use_id.is_none();
        let new = self.counted.as_ref() != Some(&block.message_id);
        if let Some(usage) = block.usage.filter(|_| main && new) {
            self.counted = Some(block.message_id.clone());
            out.push(
                ContextUsage {
                    message_id: Some(block.message_id.clone()),
                    usage: Some(usage),
                    tokens: None,
                }
                .into(),
            );
        }
    }

    fn started(&mut self, started: &SessionStarted, out: &mut Vec<Output>) {
        if self.running {
            self.process_gone("replaced", out);
        }
        let source = if self.started_before {
            Source::Restart
        } else {
            self.context.source()
        };
        self.running = true;
        self.started_before = true;
        self.model.clone_from(&started.model);
        let id = started.agent_session_id.clone();
        self.named(id.as_deref(), out);
        out.push(
            StartedSession {
                session_id: id.clone(),
                source,
                model: started.model.clone(),
                pid: started.pid,
            }
            .into(),
        );
        let servers = started.mcp_servers.iter();
        let servers = servers.map(|server| (server.name.as_str(), server.status.as_str()));
        out.push(
            Init {
                session_id: id,
                model: started.model.clone(),
                tools: started.tools.clone(),
                mcp_servers: self.context.servers(servers),
                mcp_conflicts: self.context.conflicts(),
                slash_commands: started.slash_commands.clone(),
                permission_mode: started.permission_mode,
                agent_version: started.agent_version.clone(),
                cwd: self.context.cwd.clone(),
                trusted: self.context.trusted,
                checkpointing: self.context.checkpointing,
                budget: self.context.budget.clone(),
            }
            .into(),
        );
    }

    /// The agent's own id is told only when it changes.
    fn named(&mut self, id: Option<&str>, out: &mut Vec<Output>) {
        let Some(id) = id.filter(|id| self.agent_session.as_deref() != Some(*id)) else {
            return;
        };
        let previous = self.agent_session.replace(id.to_owned());
        out.push(
            SessionIdUpdate {
                session_id: id.to_owned(),
                previous_session_id: previous,
            }
            .into(),
        );
    }

    fn process_gone(&mut self, reason: &str, out: &mut Vec<Output>) {
        if std::mem::take(&mut self.running) {
            out.push(
                EndedSession {
                    session_id: self.agent_session.clone(),
                    reason: reason.to_owned(),
                    status: None,
                }
                .into(),
            );
        }
    }

    fn session_ended(&mut self, ended: &SessionEnded, out: &mut Vec<Output>) {
        self.thinking.close(out);
        self.tools.close(out);
        self.ended = Some(ended.clone());
        if !std::mem::take(&mut self.running) {
            return;
        }
        out.push(
            EndedSession {
                session_id: self.agent_session.clone(),
                reason: ended.reason.clone().unwrap_or_else(|| "ended".into()),
                status: Some(ended.status),
            }
            .into(),
        );
    }

    fn turn_completed(&mut self, done: &TurnCompleted, out: &mut Vec<Output>) {
        self.thinking.close(out);
        self.turn = None;
        self.total_cost_usd += done.cost_usd.unwrap_or_default();
        let interrupted = done.stop_reason == StopReason::Interrupted;
        let asked = self.expected.interrupts();
        if interrupted || !asked.is_empty() {
            // Each who asked hears of it; without anyone it is told once.
            let nobody = asked.is_empty().then_some(None);
            for request_id in asked.into_iter().chain(nobody) {
                out.push(
                    Interrupted {
                        turn: Some(done.turn),
                        was_running: interrupted,
                        request_id,
                    }
                    .into(),
                );
            }
        }
        if done.stop_reason == StopReason::End {
            out.push(AgentStop { turn: done.turn }.into());
        }
        out.push(
            TurnResult {
                turn: done.turn,
                message_ids: done.message_ids.clone(),
                success: done.stop_reason == StopReason::End && !done.is_error,
                is_error: done.is_error,
                stop_reason: done.stop_reason,
                result: done.result.clone(),
                structured_output: done.structured_output.clone(),
                cost_usd: done.cost_usd,
                total_cost_usd: self.total_cost_usd,
                usage: done.usage,
                duration_ms: done.duration_ms,
                exit_code: done.exit_code,
                stats: done.stats.clone(),
            }
            .into(),
        );
        out.push(
            TurnComplete {
                turn: done.turn,
                stop_reason: done.stop_reason,
            }
            .into(),
        );
    }
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
    Error {
        code: raised.code.to_string(),
        message: raised.message.clone(),
        hint: raised.hint.clone(),
        fatal,
        retryable: Some(raised.retryable),
        detail: raised.detail.clone(),
        request_id: None,
        message_id: None,
    }
    .into()
}

#[cfg(test)]
#[path = "translate_tests.rs"]
mod tests;
