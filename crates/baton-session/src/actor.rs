//! One task per session: it owns the state and is the only one to change it.
//!
//! Inputs come from people (the inbox), from the agent (its holder) and from
//! the clock. Each goes through the machine; the records it asks for are
//! committed together with the journal position they came from, and only then
//! is anything shown or said. Live text takes the short way past machine and
//! log, unless an event before it still waits for its commit.

mod attached;
mod batch;
mod elsewhere;
mod ground;
mod leave;
mod process;
mod steps;
mod takeover;

use std::{collections::BTreeMap, collections::VecDeque, path::PathBuf, sync::Arc};

use baton_protocol::{
    Event, Seq, SessionId,
    event::ErrorRaised,
    words::{ErrorCode, Json},
};
use baton_rules::Stage;
use baton_store::{Append, Day, NewBlob, NewSession, RuleOutcome, Store, StoreError};
use tokio::{
    sync::{
        mpsc::{self, WeakSender},
        oneshot, watch,
    },
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use self::{
    attached::{Attached, Source},
    batch::Batch,
};
use crate::{
    agents::{AgentCommand, AgentHome, AgentOutput},
    folder::FolderRules,
    handle::RememberAs,
    host::{Host, MAX_CALLS},
    live::LiveBuffer,
    machine::{Effect, Input, Machine, Moment, Rejected, Reply},
    pool::{IdleSince, NoPlace, Pool},
    rulebook::RuleBook,
    settings::Defaults,
    world::{Step, World},
};

/// How long the task of an ended session waits to be spoken to.
const LINGER: std::time::Duration = std::time::Duration::from_secs(30);

/// What a command comes back with.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Done(Reply),
    /// The agent's own answer to a request.
    Answered(Json),
}

/// Why a command did not happen.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Rejected(#[from] Rejected),
    #[error("the agent refused: {0}")]
    Agent(String),
    #[error("the event log did not take it")]
    Store(#[from] StoreError),
    #[error("the session's agent lives but cannot be reached: {0}")]
    Unreachable(String),
    #[error(transparent)]
    NoPlace(#[from] NoPlace),
    #[error("a message may be at most {limit} MB with its files")]
    TooLarge { limit: usize },
    #[error("the session's task has ended")]
    Gone,
}

/// Why a session's task cannot go on. Nothing is recorded of it: the agent, if
/// it lives, is as it was, and the next owner tries again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    #[error("the event log did not take it")]
    Store(#[from] StoreError),
    #[error("its agent lives but cannot be reached: {0}")]
    Unreachable(String),
}

impl From<Broken> for CommandError {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Store(error) => Self::Store(error),
            Broken::Unreachable(why) => Self::Unreachable(why),
        }
    }
}

/// One command on its way to the session's task.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) input: Input,
    /// Bytes that the input's attachments refer to.
    pub(crate) blobs: Vec<NewBlob>,
    pub(crate) create: Option<NewSession>,
    /// With an answer: how it is to be remembered.
    pub(crate) remember: Option<RememberAs>,
    pub(crate) reply: oneshot::Sender<Result<Outcome, CommandError>>,
}

/// How far a session's task has come; anyone may watch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Everything an earlier owner left in the journal is in the log.
    pub caught_up: bool,
    pub has_process: bool,
    /// The agent has yet to be told something: it is not up, or has not taken
    /// the turn's message.
    pub owes: bool,
    /// The process has been told to finish, and nothing is left for it to do.
    pub closing: bool,
    /// The session has ended; its task goes then.
    pub ended: bool,
    /// The task ended because of this.
    pub failed: Option<String>,
}

impl Progress {
    pub(crate) const fn has_failed(&self) -> bool {
        self.failed.is_some()
    }
}

/// What a session's task is made of.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) id: SessionId,
    pub(crate) store: Store,
    pub(crate) world: Arc<dyn World>,
    pub(crate) home: Arc<AgentHome>,
    pub(crate) holders: PathBuf,
    pub(crate) machine: Machine,
    pub(crate) head: Seq,
    pub(crate) live: Arc<LiveBuffer>,
    pub(crate) rules: Arc<RuleBook>,
    pub(crate) defaults: Arc<Defaults>,
    pub(crate) pool: Arc<Pool>,
    /// The way to this session's own task.
    pub(crate) inbox: WeakSender<Message>,
    pub(crate) progress: watch::Sender<Progress>,
    pub(crate) host: Option<Arc<dyn Host>>,
    /// What the last process told of itself; kept only for a host.
    pub(crate) greeting: watch::Sender<Option<Json>>,
    pub(crate) cancel: CancellationToken,
}

pub(crate) struct Actor {
    parts: Parts,
    process: Option<Attached>,
    pending: VecDeque<Input>,
    waiting: BTreeMap<String, oneshot::Sender<Result<Outcome, CommandError>>>,
    /// What the folder said when it was last looked at, and when the process
    /// was started.
    folder: FolderRules,
    launched: Option<String>,
    /// What the pool knows: whether there is a process, and whether it could go.
    told_pool: Option<(bool, bool)>,
    /// Somebody has been told what the folder would add if it were trusted.
    told_of_trust: bool,
    /// Nothing of an earlier owner is left unread. Before that no time runs
    /// out: the answer may be in the journal.
    caught_up: bool,
    /// What the host works on: the request, and its answer.
    calls: JoinSet<(String, Json)>,
}

/// Something to react to.
enum Wake {
    Cancelled,
    Message(Option<Box<Message>>),
    Agent(Result<baton_process::holder::HolderEvent, baton_process::holder::ReadError>),
    /// The host has answered a message of the agent.
    Host(String, Json),
    Due,
}

impl Actor {
    pub(crate) fn new(parts: Parts) -> Self {
        Self {
            parts,
            process: None,
            pending: VecDeque::new(),
            waiting: BTreeMap::new(),
            folder: FolderRules::default(),
            launched: None,
            told_pool: None,
            told_of_trust: false,
            caught_up: false,
            calls: JoinSet::new(),
        }
    }

    /// Runs until it is cancelled, nobody can reach it any more and its agent
    /// has ended, or the log fails.
    pub(crate) async fn run(mut self, mut inbox: mpsc::Receiver<Message>) {
        let result = self.serve(&mut inbox).await;
        if let Some(process) = self.process.take() {
            process.detach().await;
        }
        let failed = result.err().map(|error| {
            tracing::error!(session = %self.parts.id, error = &error as &dyn std::error::Error, "session stopped");
            match error {
                Broken::Store(error) => error.to_string(),
                Broken::Unreachable(_) => error.to_string(),
            }
        });
        self.parts.progress.send_modify(|progress| {
            progress.failed = failed;
            progress.caught_up = true;
            progress.has_process = false;
            progress.owes = false;
            progress.closing = false;
        });
    }

    /// Nothing is left to do, and nothing happens by itself any more.
    fn is_over(&self) -> bool {
        self.caught_up && self.parts.machine.has_ended() && self.process.is_none()
    }

    /// An ended session needs no task: what is still on its way is answered,
    /// and whoever wants it again opens it again.
    async fn retire(&mut self, inbox: &mut mpsc::Receiver<Message>) -> Result<(), Broken> {
        inbox.close();
        while let Some(message) = inbox.recv().await {
            // Who takes it up again needs a task that stays: it is told that
            // this one is gone, and opens another.
            if message.input != Input::Resume {
                self.message(message).await?;
            }
        }
        Ok(())
    }

    async fn serve(&mut self, inbox: &mut mpsc::Receiver<Message>) -> Result<(), Broken> {
        self.look_at_spending().await?;
        if let Some(adopted) = self.left_behind().await? {
            // Its calls are judged from its first word on.
            self.look_at_folder().await?;
            self.process = Some(adopted);
        } else {
            self.is_caught_up();
        }
        loop {
            while let Some(input) = self.pending.pop_front() {
                self.step_alone(input).await?;
            }
            self.tell_progress();
            match self.wake(inbox).await {
                Wake::Cancelled | Wake::Message(None) => return Ok(()),
                Wake::Message(Some(message)) => self.message(*message).await?,
                Wake::Agent(event) => self.agent_event(event).await?,
                Wake::Host(request, answer) => {
                    self.tell_now(&AgentCommand::HostAnswer { request, answer });
                }
                Wake::Due if self.is_over() => return self.retire(inbox).await,
                Wake::Due => self.step_alone(Input::Tick).await?,
            }
        }
    }

    async fn wake(&mut self, inbox: &mut mpsc::Receiver<Message>) -> Wake {
        let deadline = self.parts.machine.deadline().filter(|_| self.caught_up);
        let due = deadline.map(|deadline| {
            let left = deadline.since(self.parts.world.now());
            // Looked at again now and then, because the wall clock may be set.
            tokio::time::Instant::now() + left.min(std::time::Duration::from_secs(30))
        });
        let over = self.is_over();
        let due = due.or_else(|| over.then(|| tokio::time::Instant::now() + LINGER));
        let cancel = self.parts.cancel.clone();
        let process = self.process.as_mut();
        tokio::select! {
            biased;
            () = cancel.cancelled() => Wake::Cancelled,
            () = wait_until(due) => Wake::Due,
            message = inbox.recv() => Wake::Message(message.map(Box::new)),
            Some(Ok((request, answer))) = self.calls.join_next() => Wake::Host(request, answer),
            event = next_event(process) => Wake::Agent(event),
        }
    }

    async fn message(&mut self, message: Message) -> Result<(), Broken> {
        let Message {
            input,
            blobs,
            create,
            remember,
            reply,
        } = message;
        if let Some(rejected) = self.owned_elsewhere(&input) {
            reply.send(Err(rejected.into())).ok();
            return Ok(());
        }
        if let Err(full) = self.take_place(&input).await? {
            return self.no_place(full, reply).await;
        }
        if self.parts.machine.may_begin(&input) {
            self.heed_folder().await?;
        }
        let moment = self.moment();
        let stepped = self
            .vetted(input, remember)
            .and_then(|input| self.parts.machine.step(moment, input));
        match stepped {
            Err(rejected) => {
                // A limit that was reached is told to everyone who reads along.
                let told =
                    matches!(rejected, Rejected::BudgetSpent { .. }).then(|| rejected.told());
                reply.send(Err(rejected.into())).ok();
                match told {
                    Some(told) => self.step_alone(Input::Tell(told)).await,
                    None => Ok(()),
                }
            }
            Ok((outcome, effects)) => {
                let mut batch = Batch {
                    blobs,
                    create,
                    ..Batch::default()
                };
                batch.add_all(effects, moment.now, None);
                if let Reply::Later { request } = outcome {
                    self.waiting.insert(request, reply);
                    return self.commit(batch, false).await;
                }
                // The asker hears of it only once it is in the log.
                match self.commit(batch, false).await {
                    Ok(()) => {
                        reply.send(Ok(Outcome::Done(outcome))).ok();
                        Ok(())
                    }
                    Err(broken) => {
                        let told = match &broken {
                            Broken::Store(error) => Broken::Store(error.clone()),
                            Broken::Unreachable(why) => Broken::Unreachable(why.clone()),
                        };
                        reply.send(Err(told.into())).ok();
                        Err(broken)
                    }
                }
            }
        }
    }

    async fn look_at_spending(&mut self) -> Result<(), Broken> {
        if self.parts.machine.limits().day_budget_usd.is_some() {
            let today = Day::of(self.parts.world.now());
            let spent = self.parts.store.spent_on(today).await?;
            self.parts.machine.set_spent_today(spent);
        }
        Ok(())
    }

    /// A place for the process that an input would start. The day's costs are
    /// looked up on the same occasion.
    async fn take_place(&mut self, input: &Input) -> Result<Result<(), NoPlace>, Broken> {
        let sends = self.parts.machine.may_begin(input);
        if sends {
            self.look_at_spending().await?;
        }
        let starts = sends
            || matches!(
                input,
                Input::Rewind { .. } | Input::ContextUsage | Input::McpStatus
            );
        let over = self.parts.machine.has_ended() && *input != Input::Resume;
        if !starts || self.parts.machine.has_process() || over {
            return Ok(Ok(()));
        }
        let (session, project) = (self.parts.id, self.project());
        self.told_pool = None;
        Ok(self.parts.pool.take(session, project, &self.parts.inbox))
    }

    async fn no_place(
        &mut self,
        full: NoPlace,
        reply: oneshot::Sender<Result<Outcome, CommandError>>,
    ) -> Result<(), Broken> {
        let told = ErrorRaised {
            code: ErrorCode::SessionLimit,
            message: full.to_string(),
            hint: Some(
                "Wait for one to finish, end one, or raise agent.maxSessions and agent.maxSessionsPerProject."
                    .into(),
            ),
            retryable: true,
            retry_at: None,
            detail: None,
        };
        reply.send(Err(full.into())).ok();
        self.step_alone(Input::Tell(told)).await
    }

    /// A step that nobody waits for.
    async fn step_alone(&mut self, input: Input) -> Result<(), Broken> {
        let moment = self.moment();
        let mut batch = Batch::default();
        if let Ok((_, effects)) = self.parts.machine.step(moment, input) {
            batch.add_all(effects, moment.now, None);
        }
        self.commit(batch, false).await
    }

    fn moment(&self) -> Moment {
        Moment {
            now: self.parts.world.now(),
            fresh: self.parts.world.id(),
        }
    }

    /// One translated output, on its way into `batch` or straight to the screen.
    fn agent_output(&mut self, output: AgentOutput, batch: &mut Batch, from: Source) {
        if let AgentOutput::Live(live) = &output
            && batch.is_empty()
        {
            let now = self.parts.world.now();
            self.parts.machine.hear(now);
            self.parts.live.push(now, live);
            return;
        }
        let Some(mut output) = self.for_the_host(output) else {
            return;
        };
        if let AgentOutput::Started(started) = &mut output {
            started.pid = started.pid.or(from.pid);
        }
        if let AgentOutput::Ask { ask, .. } = &mut output {
            self.weigh(Stage::Asked, ask);
        } else if let AgentOutput::Gate { ask, .. } = &mut output {
            self.weigh(Stage::BeforeUse, ask);
        }
        let moment = self.moment();
        if let Ok((_, effects)) = self.parts.machine.step(moment, Input::Agent(output)) {
            batch.add_all(effects, moment.now, Some(from.holder));
        }
    }

    /// Takes out what is the host's business.
    fn for_the_host(&mut self, output: AgentOutput) -> Option<AgentOutput> {
        if let AgentOutput::Greeting(told) = output {
            if self.parts.host.is_some() {
                self.parts.greeting.send_replace(Some(told));
            }
            return None;
        }
        let Some(host) = &self.parts.host else {
            return Some(output);
        };
        if let AgentOutput::HostMessage {
            request,
            server,
            message,
        } = &output
            && server == host.server()
            && self.calls.len() < MAX_CALLS
        {
            let (request, answer) = (request.clone(), host.answer(message.clone()));
            self.calls.spawn(async move { (request, answer.await) });
            return None;
        }
        Some(output)
    }

    /// Commits what `batch` records, then does the rest of it, in order.
    /// `mark` says that the batch was made from the agent's journal.
    async fn commit(&mut self, batch: Batch, mark: bool) -> Result<(), Broken> {
        self.tell_pool();
        if batch.has_records() {
            let mut append = Append::to(self.parts.id);
            append.create = batch.create;
            append.events = batch.events;
            append.requests = batch.requests;
            append.blobs = batch.blobs;
            append.holder = batch.holder;
            let rules = batch.rules.into_iter();
            append.rules = rules.filter_map(|rule| self.rule(rule)).collect();
            let rules = append.rules.clone();
            if mark && let Some(process) = &self.process {
                append.journal = Some(process.mark());
            }
            let turn_over = append
                .events
                .iter()
                .any(|draft| matches!(draft.event, Event::TurnCompleted(_)));
            let committed = self.parts.append(append).await?;
            self.parts.head = committed.last;
            let added = rules.into_iter().zip(&committed.rules);
            let added = added.filter(|(_, outcome)| matches!(outcome, RuleOutcome::Added(_)));
            let added: Vec<_> = added.map(|(rule, _)| rule).collect();
            self.parts.rules.changed(&added);
            let turn = self.parts.machine.facts().turn;
            self.parts
                .live
                .committed(committed.last, turn, &batch.done, turn_over);
            if mark && let Some(process) = &mut self.process {
                process.committed(turn_over);
            }
        }
        for effect in batch.after {
            self.perform(effect).await?;
        }
        Ok(())
    }

    async fn perform(&mut self, effect: Effect) -> Result<(), Broken> {
        if let Effect::Live(live) = effect {
            self.parts.live.push(self.parts.world.now(), &live);
            return Ok(());
        }
        self.parts.reaches(Step::Effect);
        match effect {
            Effect::Start => self.start().await?,
            Effect::Tell(command) => self.tell(command).await?,
            Effect::RememberEnd { status, reason } => self.remember_end(status, reason).await?,
            Effect::CloseStdin => self.close_stdin().await?,
            Effect::Kill { has_work } => {
                if let Some(process) = &self.process {
                    process.kill_with(has_work);
                }
            }
            Effect::Settled { request, outcome } => {
                if let Some(reply) = self.waiting.remove(&request) {
                    let outcome = outcome.map(Outcome::Answered).map_err(CommandError::Agent);
                    reply.send(outcome).ok();
                }
            }
            // These were shown above, or committed with the events.
            Effect::Live(_)
            | Effect::Record { .. }
            | Effect::At(_)
            | Effect::AddRule { .. }
            | Effect::Blob { .. }
            | Effect::OpenRequest { .. }
            | Effect::CloseRequest { .. } => {}
        }
        self.parts.reaches(Step::Effect);
        Ok(())
    }

    fn cwd(&self) -> PathBuf {
        let created = self.parts.machine.facts().created.as_ref();
        created
            .map(|created| PathBuf::from(&created.cwd))
            .unwrap_or_default()
    }

    fn is_caught_up(&mut self) {
        self.caught_up = true;
        self.parts
            .progress
            .send_modify(|progress| progress.caught_up = true);
    }

    /// Before anyone can see that a session is at rest, its place is known to
    /// be one that can be had.
    fn tell_pool(&mut self) {
        let idle = self.parts.machine.is_evictable();
        // One on its way out leaves its place to the next.
        let machine = &self.parts.machine;
        let has_process = machine.has_process() && !machine.is_closing();
        // Every token comes by here.
        if self.told_pool.replace((has_process, idle)) == Some((has_process, idle)) {
            return;
        }
        let idle = IdleSince(idle.then(|| self.parts.world.now()));
        let (session, project) = (self.parts.id, self.project());
        let process = has_process.then_some(idle);
        self.parts
            .pool
            .update(session, project, &self.parts.inbox, process);
    }

    fn tell_progress(&mut self) {
        self.tell_pool();
        let has_process = self.parts.machine.has_process();
        let owes = self.parts.machine.owes();
        let closing = self.parts.machine.is_closing();
        let ended = self.parts.machine.has_ended();
        self.parts.progress.send_if_modified(|progress| {
            let before = (
                progress.has_process,
                progress.owes,
                progress.closing,
                progress.ended,
            );
            progress.ended = ended;
            progress.has_process = has_process;
            progress.owes = owes;
            progress.closing = closing;
            before != (has_process, owes, closing, ended)
        });
    }
}

async fn wait_until(due: Option<tokio::time::Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

async fn next_event(
    process: Option<&mut Attached>,
) -> Result<baton_process::holder::HolderEvent, baton_process::holder::ReadError> {
    match process {
        Some(process) => process.reader.next().await,
        None => std::future::pending().await,
    }
}
