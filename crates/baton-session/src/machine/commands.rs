//! What people ask of a session.

use baton_protocol::{
    MessageId,
    event::{
        Moved, Notification, SessionOptions, SessionStateChanged, SessionUpdated, TurnStarted,
        UserMessage,
    },
    words::{ClientRef, EndStatus, Origin, SessionState},
};

use super::{
    Asked, Awaiting, Effect, Input, Phase, Process, Queue, Rejected, Reply, Spent, Step, WhenBusy,
    Why, approvals::How, endings, facts,
};
use crate::agents::{AgentCommand, AgentKind};

/// An agent that answers in plain text can be asked nothing else.
const ONLY_TEXT: Rejected = Rejected::Unsupported {
    what: "do anything but answer in plain text",
};

impl Step<'_> {
    #[expect(
        clippy::too_many_lines,
        reason = "the list of all commands, most of them one line"
    )]
    pub(super) fn command(&mut self, command: Input) -> Result<Reply, Rejected> {
        if let Input::Create {
            created,
            agent_session_id,
        } = command
        {
            self.created(created, agent_session_id);
            return Ok(Reply::Done);
        }
        if matches!(command, Input::Resume) {
            return self.resume();
        }
        // What a session is called and may cost can be changed at any time.
        if let Input::Rename { title } = command {
            return Ok(self.rename(title));
        }
        if let Input::SetBudget { usd } = command {
            return Ok(self.set_budget(usd));
        }
        if let Input::Follow(moved) = command {
            return self.follow_folder(moved);
        }
        // What waits is held where the session has ended, and begins nothing.
        if let Input::TakeBack { message, client } = command {
            return self.take_back(message, client);
        }
        if let Input::Edit {
            message,
            text,
            client,
        } = command
        {
            return self.edit(message, text, client);
        }
        if let Input::Move {
            message,
            before,
            client,
        } = command
        {
            return self.move_waiting(message, before, client);
        }
        // Whatever has happened since: the same message has the same answer.
        if let Input::Send { message, .. } = &command
            && let Some(answer) = self.repeated(message)
        {
            return answer;
        }
        if matches!(self.machine.facts.phase, Phase::Ended { .. }) {
            return Err(Rejected::Ended);
        }
        // What is accepted now could no longer happen.
        if self.machine.ending.is_some() {
            if matches!(command, Input::End { .. }) {
                return Ok(Reply::Done);
            }
            return Err(Rejected::Ended);
        }
        match command {
            Input::Send { message, when_busy } => self.send(message, when_busy),
            Input::SendNow { message, client } => self.send_now(message, client),
            Input::HoldQueue { client } => Ok(self.hold_queue(client, None)),
            Input::ReleaseQueue { client } => Ok(self.let_go_on(client)),
            Input::Answer {
                approval,
                decision,
                by,
                client,
                remember,
            } => self.answer(approval, decision, How::said(by, client), remember),
            Input::Interrupt { by } => self.interrupt(by),
            Input::Kill => {
                self.kill();
                Ok(Reply::Done)
            }
            Input::Distrust => Ok(self.distrust()),
            Input::Close => {
                self.close();
                Ok(Reply::Done)
            }
            Input::Evict => {
                self.evict();
                Ok(Reply::Done)
            }
            Input::Hold => Ok(self.drain()),
            Input::End { status, reason } => {
                self.end(status, reason);
                Ok(Reply::Done)
            }
            Input::Tell(error) => {
                self.record(error);
                Ok(Reply::Done)
            }
            Input::SetOptions(options) => Ok(self.set_options(options)),
            Input::ChooseMemory => Ok(self.release_queue()),
            Input::OverBudget { spent, budget } => Ok(self.over_budget(spent, budget)),
            Input::SetModel { model } => self.set_model(model),
            Input::SetPermissionMode { mode } => self.set_mode(mode),
            Input::Rewind {
                checkpoint,
                dry_run,
            } => self.rewind(checkpoint, dry_run),
            Input::ContextUsage | Input::McpStatus if self.machine.facts.text_output => {
                Err(ONLY_TEXT)
            }
            Input::ContextUsage => self.ask_for_context(),
            Input::McpStatus => self.ask_for_servers(),
            Input::StopTask { task_id } => self.stop_task(task_id),
            Input::Create { .. }
            | Input::Rename { .. }
            | Input::Follow(_)
            | Input::SetBudget { .. }
            | Input::TakeBack { .. }
            | Input::Edit { .. }
            | Input::Move { .. }
            | Input::Resume
            | Input::Agent(_)
            | Input::Observed(_)
            | Input::Recalled(_)
            | Input::Outdated
            | Input::Wait(_)
            | Input::StartFailed(_)
            | Input::NotAttached(_)
            | Input::Exited(_)
            | Input::Begin
            | Input::Tick => Ok(Reply::Done),
        }
    }

    pub(super) fn set_options(&mut self, options: Box<SessionOptions>) -> Reply {
        self.change_options(options, false);
        Reply::Done
    }

    /// A process that is there goes on with what it was started with; the
    /// next message gets one of its own.
    pub(super) fn change_options(&mut self, options: Box<SessionOptions>, budget_only: bool) {
        if self.machine.has_process() {
            self.machine.renew();
        }
        let created = self.machine.facts.created.as_ref();
        if created.is_none_or(|created| created.options != *options) {
            self.record(SessionUpdated {
                options: Some(options),
                budget_only,
                ..SessionUpdated::default()
            });
        }
    }

    fn rename(&mut self, title: String) -> Reply {
        self.record(SessionUpdated {
            title: Some(title),
            ..SessionUpdated::default()
        });
        Reply::Done
    }

    /// Its next process begins in the new place. One that is at work still
    /// believes to be in the old one.
    fn follow_folder(&mut self, moved: Box<Moved>) -> Result<Reply, Rejected> {
        let running = matches!(self.machine.facts.phase, Phase::Running(_));
        if running || self.machine.is_busy_beside() {
            return Err(Rejected::Busy {
                turn: self.machine.facts.open.turn,
            });
        }
        self.record(SessionUpdated {
            moved: Some(moved),
            ..SessionUpdated::default()
        });
        if self.machine.has_process() {
            self.machine.renew();
        }
        self.close();
        Ok(Reply::Done)
    }

    fn send(&mut self, message: UserMessage, when_busy: WhenBusy) -> Result<Reply, Rejected> {
        if message.text.trim().is_empty() && message.attachments.is_empty() {
            return Err(Rejected::Empty);
        }
        let busy = match &self.machine.facts.phase {
            Phase::Running(running) => Some(running.turn),
            Phase::Idle | Phase::Ended { .. } => None,
        };
        let id = message.message_id;
        let stored = UserMessage {
            queued: self.machine.must_wait(),
            ..message
        };
        if let Some((command, why)) = self.refused_command(&stored.text) {
            return Err(Rejected::CommandRefused { command, why });
        }
        self.within_budget()?;
        match (busy, when_busy) {
            (Some(turn), WhenBusy::Refuse) => return Err(Rejected::Busy { turn }),
            // Whatever is said there next would take its place in the queue.
            (Some(turn), WhenBusy::Queue) if self.machine.runs_elsewhere() => {
                return Err(Rejected::Busy { turn });
            }
            (Some(_), WhenBusy::Queue) => self.record(stored),
            (None, WhenBusy::Refuse | WhenBusy::Queue) => {
                self.record(stored);
                self.next_turn();
            }
        }
        Ok(self.receipt(id))
    }

    /// The answer to a message that was sent before.
    fn repeated(&self, message: &UserMessage) -> Option<Result<Reply, Rejected>> {
        let id = message.message_id;
        let known = self.machine.facts.messages.get(&id)?;
        if known.digest != facts::digest(&message.text, &message.attachments) {
            return Some(Err(Rejected::MessageConflict { id }));
        }
        Some(Ok(self.receipt(id)))
    }

    fn receipt(&self, message_id: MessageId) -> Reply {
        let facts = &self.machine.facts;
        Reply::Message {
            message_id,
            turn: facts
                .messages
                .get(&message_id)
                .and_then(|message| message.turn),
            state: self.machine.state(),
        }
    }

    /// Begins what waits, or starts the process that a running turn lacks.
    pub(super) fn begin(&mut self) {
        if !self.machine.wants_to_begin() {
            return;
        }
        if matches!(self.machine.facts.phase, Phase::Running(_)) {
            self.start();
        } else {
            self.next_turn();
        }
    }

    /// Begins a turn with the first message that waits and is not held, if there is one and
    /// nothing stands in its way. A process on its way out does: its own last
    /// turn must not be taken for the answer.
    pub(super) fn next_turn(&mut self) {
        let machine = &self.machine;
        let stands_in_the_way = machine.facts.phase != Phase::Idle
            || machine.takes_no_more()
            || machine.ending.is_some()
            || machine.queue == Queue::Draining;
        let Some(next) = machine.facts.open.next().filter(|_| !stands_in_the_way) else {
            return;
        };
        if let Err(spent) = self.within_budget() {
            // Said once: what waits goes on when a person has raised it.
            if self.machine.queue.hold() {
                self.record(spent.told());
            }
            return;
        }
        self.machine.queue.release();
        self.machine.life.hush = false;
        self.machine.life.spent = Spent::default();
        self.record(TurnStarted {
            turn: self.machine.facts.open.turn.next(),
            origin: Origin::User,
            // Those before it are held.
            message_id: Some(next).filter(|_| self.machine.facts.open.first() != Some(next)),
            because: Vec::new(),
        });
        match self.machine.process {
            Process::None => self.start(),
            Process::Ready => self.prompt(),
            // It is sent when the process is up.
            Process::Starting { .. } | Process::Closing { .. } => {}
        }
    }

    /// Gives the agent the message that the running turn waits to deliver.
    pub(super) fn prompt(&mut self) {
        if let Some(message) = self.machine.facts.undelivered() {
            let command = AgentCommand::Prompt {
                message_id: message.message_id,
                text: message.text.clone(),
                files: Vec::new(),
            };
            self.machine.life.heard = self.moment.at;
            self.effect(Effect::Tell(command));
        }
    }

    /// An agent's command that would reach beyond its session.
    pub(super) fn refused_command(&self, text: &str) -> Option<(String, &'static str)> {
        let created = self.machine.facts.created.as_ref()?;
        AgentKind::from_name(&created.agent)?.refused_command(text)
    }

    fn interrupt(&mut self, by: Option<ClientRef>) -> Result<Reply, Rejected> {
        let Phase::Running(running) = &self.machine.facts.phase else {
            // What waits for money or a choice begins nothing by itself anyway.
            if self.machine.queue != Queue::Held {
                self.stop_holds(by);
            }
            self.stop_beside();
            return Ok(Reply::Done);
        };
        if self.machine.runs_elsewhere() {
            return Err(Rejected::RunsElsewhere { turn: running.turn });
        }
        self.stop_holds(by);
        self.stop_turn();
        Ok(Reply::Done)
    }

    /// A person wants the running turn to end.
    pub(super) fn stop_turn(&mut self) {
        match &mut self.machine.life.stopping {
            // A person who stops it does not want it to go on elsewhere.
            Some(stopping) if stopping.why == Why::Hung => stopping.why = Why::Asked,
            Some(_) => {}
            None => self.ask_to_stop(Why::Asked),
        }
    }

    fn kill(&mut self) {
        if self.machine.process == Process::None {
            if !self.machine.runs_elsewhere() {
                self.give_up_turn(Why::Asked);
            }
            return;
        }
        if matches!(self.machine.facts.phase, Phase::Running(_)) {
            self.kill_because(Why::Asked);
        } else {
            self.kill_process();
        }
    }

    /// Whatever the process is at: it may run what nobody accepted.
    fn distrust(&mut self) -> Reply {
        let being_killed = matches!(self.machine.process, Process::Closing { until: None, .. });
        if self.machine.process == Process::None || being_killed {
            return Reply::Done;
        }
        self.cancel_where(
            "the folder is no longer trusted, so the agent was ended",
            |_, _| true,
        );
        if matches!(self.machine.facts.phase, Phase::Running(_)) {
            self.record(endings::distrusted());
            self.kill_because(Why::Distrusted);
        } else {
            self.record(Notification {
                title: Some("Folder no longer trusted".into()),
                message: endings::distrusted().message,
                kind: "trust".into(),
            });
            self.kill_process();
        }
        Reply::Done
    }

    /// An agent that still waits for an answer is not closed: it could not
    /// hear it.
    fn close(&mut self) {
        if self.machine.has_no_work() {
            self.close_process();
        }
    }

    pub(super) fn evict(&mut self) {
        if self.machine.is_evictable() {
            self.close_process();
        }
    }

    /// Ends the session with its process: interrupt, wait for the result,
    /// then what [`Effect::Kill`] does. Remembered first, so that a later owner
    /// goes on with it.
    pub(super) fn end(&mut self, status: EndStatus, reason: String) {
        self.machine.ending = Some((status, reason.clone()));
        if self.machine.process == Process::None {
            self.wind_down(None);
            return;
        }
        self.effect(Effect::RememberEnd { status, reason });
        let running = matches!(self.machine.facts.phase, Phase::Running(_));
        let asked = self.machine.life.stopping.is_some();
        match self.machine.process {
            Process::Ready if running && asked => {}
            Process::Ready if running => self.ask_to_stop(Why::Asked),
            Process::None | Process::Starting { .. } | Process::Ready | Process::Closing { .. } => {
                self.kill_process();
            }
        }
    }

    /// Takes an ended session up again: nothing else leads out of an end. What
    /// still waits there is held, and not begun.
    fn resume(&mut self) -> Result<Reply, Rejected> {
        if self.machine.ending.is_some() {
            return Err(Rejected::Ended);
        }
        if matches!(self.machine.facts.phase, Phase::Ended { .. }) {
            self.hold_queue(None, Some("the session had ended"));
            self.record(SessionStateChanged {
                state: SessionState::Idle,
                reason: Some("resumed".into()),
            });
        }
        Ok(Reply::Done)
    }

    fn rewind(&mut self, checkpoint: MessageId, dry_run: bool) -> Result<Reply, Rejected> {
        if self.machine.facts.text_output {
            return Err(ONLY_TEXT);
        }
        if !self.capabilities().rewind {
            return Err(Rejected::Unsupported {
                what: "rewind files",
            });
        }
        if let Phase::Running(running) = &self.machine.facts.phase {
            return Err(Rejected::Busy { turn: running.turn });
        }
        let asked = if dry_run {
            Asked::RewindPreview
        } else {
            Asked::RewindFiles { checkpoint }
        };
        Ok(self.ask_agent(asked, |id| AgentCommand::RewindFiles {
            id,
            checkpoint,
            dry_run: true,
        }))
    }

    fn ask_for_context(&mut self) -> Result<Reply, Rejected> {
        if !self.capabilities().context_usage {
            return Err(Rejected::Unsupported {
                what: "tell how full its context is",
            });
        }
        Ok(self.question(|id| AgentCommand::ContextUsage { id }))
    }

    fn ask_for_servers(&mut self) -> Result<Reply, Rejected> {
        if !self.capabilities().mcp_status {
            return Err(Rejected::Unsupported {
                what: "tell of itself",
            });
        }
        Ok(self.question(|id| AgentCommand::McpStatus { id }))
    }

    pub(super) fn question(&mut self, command: impl FnOnce(String) -> AgentCommand) -> Reply {
        self.ask_agent(Asked::Question, command)
    }

    pub(super) fn ask_agent(
        &mut self,
        what: Asked,
        command: impl FnOnce(String) -> AgentCommand,
    ) -> Reply {
        let request = self.moment.fresh.to_string();
        let deadline = self.moment.at.plus(self.machine.limits.reply_timeout);
        // The process that this may start is the one that is waited for.
        self.tell(command(request.clone()));
        let life = &mut self.machine.life;
        life.heard = self.moment.at;
        life.awaiting
            .insert(request.clone(), Awaiting { what, deadline });
        Reply::Later { request }
    }
}
