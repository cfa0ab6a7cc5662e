//! One task per session: it owns the state and is the only one to change it.
//!
//! Inputs come from people (the inbox), from the agent (its holder) and from
//! the clock. Each goes through the machine; the records it asks for are
//! committed together with the journal position they came from, and only then
//! is anything shown or said. Live text takes the short way past machine and
//! log, unless an event before it still waits for its commit.

mod alarm;
mod attached;
mod batch;
mod begin;
mod commit;
mod distrust;
mod elsewhere;
mod forked;
mod ground;
mod host;
mod lost;
mod memory;
mod output;
mod permission;
mod process;
mod progress;
mod spending;
mod steps;
mod story;
mod takeover;
mod warmed;
mod whereabouts;
mod whole;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use baton_process::holder::{HolderEvent, ReadError, Tie};
use baton_project::secrets::SecretPlaces;
use baton_protocol::{
    HolderId, Seq, SessionId, Timestamp, Turn,
    words::{Json, Remedy},
};
use baton_store::{Day, NewBlob, NewSession, Store, StoreError};
use tokio::{
    sync::{
        mpsc::{self, WeakSender},
        oneshot, watch,
    },
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

pub use self::progress::{Failed, FailedBy, Progress};
pub(crate) use self::warmed::{HolderLink, Rehearsed, Waiting};
use self::{alarm::Alarm, attached::Attached, batch::Batch, whereabouts::Whereabouts};
use crate::{
    agents::{AgentHome, AgentKind},
    choices::LastChoices,
    folder::FolderRules,
    handle::Remember,
    host::Host,
    live::LiveBuffer,
    machine::{Input, Machine, Moment, Rejected, Reply},
    pace::Pace,
    pool::{NoPlace, Pool},
    purse::Purse,
    rulebook::RuleBook,
    settings::Defaults,
    supervisor::GivenUp,
    vault::Vault,
    world::World,
};

/// How long the task of an ended session waits to be spoken to.
const LINGER: Duration = Duration::from_secs(30);
/// No sleep is longer than this.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

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
    #[error("{what} of a message may be at most {limit} MB")]
    TooLarge { what: &'static str, limit: usize },
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
    pub(crate) addressed: Addressed,
    pub(crate) reply: oneshot::Sender<Result<Outcome, CommandError>>,
}

/// A command with what belongs to it.
#[derive(Debug)]
pub(crate) struct Addressed {
    pub(crate) input: Input,
    /// Bytes that the input's attachments refer to.
    pub(crate) blobs: Vec<NewBlob>,
    pub(crate) create: Option<NewSession>,
    /// With an answer: how it is to be remembered.
    pub(crate) remember: Option<Remember>,
    /// Why a message may not begin anything, unless it was sent before.
    pub(crate) refused: Option<Rejected>,
    /// With a message: what is done should the agent lack a part of the past.
    pub(crate) memory: Option<Remedy>,
}

impl Addressed {
    pub(crate) const fn of(input: Input) -> Self {
        Self {
            input,
            blobs: Vec::new(),
            create: None,
            remember: None,
            refused: None,
            memory: None,
        }
    }
}

impl Message {
    /// A message whose answer nobody waits for.
    pub(crate) fn unasked(input: Input) -> Self {
        let (reply, _) = oneshot::channel();
        Self {
            addressed: Addressed::of(input),
            reply,
        }
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
    pub(crate) secrets: Arc<SecretPlaces>,
    pub(crate) vault: Vault,
    pub(crate) machine: Machine,
    pub(crate) head: Seq,
    pub(crate) live: Arc<LiveBuffer>,
    pub(crate) rules: Arc<RuleBook>,
    pub(crate) defaults: Arc<Defaults>,
    pub(crate) pool: Arc<Pool>,
    /// What turns under way have cost, over all sessions.
    pub(crate) purse: Arc<Purse>,
    /// The way to this session's own task.
    pub(crate) inbox: WeakSender<Message>,
    pub(crate) progress: watch::Sender<Progress>,
    pub(crate) host: Option<Arc<dyn Host>>,
    /// Whether its agent ends with its owner.
    pub(crate) tie: Tie,
    /// Where a task that gives up says so.
    pub(crate) given_up: Arc<GivenUp>,
    /// What the last process told of itself; kept only where one program is
    /// about one conversation.
    pub(crate) greeting: watch::Sender<Option<Json>>,
    /// What the last process of each agent told that can be chosen.
    pub(crate) choices: Arc<LastChoices>,
    /// How far its reader has come, if there is one that must not be overtaken.
    pub(crate) pace: Pace,
    /// A process that waits for its first message.
    pub(crate) warmed: Option<Waiting>,
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
    /// The folder added nothing to what the process brings by itself.
    bare: bool,
    whereabouts: Whereabouts,
    planned: permission::Planned,
    watch: distrust::Watch,
    /// What the pool knows: whether there is a process, and whether it could go.
    told_pool: Option<(bool, bool)>,
    /// Set while something waits for a place: changes when one may be had.
    room: Option<watch::Receiver<u64>>,
    /// When the session was opened, by the wall clock and by the steady one.
    opened: (Timestamp, Duration),
    /// Somebody has been told what the folder would add if it were trusted.
    told_of_trust: bool,
    /// Somebody has been told that the user's hooks are off.
    told_of_hooks: bool,
    /// The folder's file would leave more tools than the session keeps.
    withheld: bool,
    told_of_tools: bool,
    /// Folders beside the session's own that its agent does not get.
    left_out: Vec<PathBuf>,
    told_of_beside: BTreeSet<PathBuf>,
    /// Somebody has been told that a server gave way to the host's.
    told_of_clash: bool,
    /// Nothing of an earlier owner is left unread. Before that no time runs
    /// out: the answer may be in the journal.
    caught_up: bool,
    /// What the host works on: which process asked, the request, its answer.
    calls: JoinSet<(HolderId, String, Json)>,
    /// The requests among them.
    called: BTreeMap<String, bool>,
    alarm: Alarm,
    /// How far the agent's own notes were looked at.
    compared: Option<memory::Compared>,
    /// The process at hand does not know what was said elsewhere.
    outdated: bool,
    /// The day whose budget the process at hand was given.
    launched_on: Option<Day>,
    /// Whose process somebody has been told of that keeps what waits from going on.
    told_of_owner: Option<i32>,
    /// The turn that runs, as the daemon's log names it.
    turn_span: Option<(Turn, tracing::Span)>,
    /// Nothing is recorded: there is no session yet.
    rehearses: bool,
}

/// Something to react to.
enum Wake {
    Cancelled,
    Message(Option<Box<Message>>),
    Agent(Result<HolderEvent, ReadError>),
    /// The host has answered a message of the agent.
    Host(HolderId, String, Json),
    Due,
    /// A place may be had.
    Room,
    /// Its reader has come further.
    Told,
}

impl Actor {
    pub(crate) fn new(mut parts: Parts) -> Self {
        parts.machine.watch_gate();
        let now = parts.world.now();
        // No time that the log knows lies ahead, even if the clock was set back.
        let last = parts.machine.facts().times.last();
        let opened = (last.map_or(now, |last| last.max(now)), parts.world.uptime());
        Self {
            opened,
            parts,
            process: None,
            pending: VecDeque::new(),
            waiting: BTreeMap::new(),
            folder: FolderRules::default(),
            whereabouts: Whereabouts::default(),
            planned: permission::Planned::default(),
            launched: None,
            bare: false,
            watch: distrust::Watch::default(),
            told_pool: None,
            room: None,
            told_of_trust: false,
            told_of_hooks: false,
            withheld: false,
            told_of_tools: false,
            left_out: Vec::new(),
            told_of_beside: BTreeSet::new(),
            told_of_clash: false,
            caught_up: false,
            calls: JoinSet::new(),
            called: BTreeMap::new(),
            alarm: Alarm::default(),
            compared: None,
            outdated: false,
            launched_on: None,
            told_of_owner: None,
            turn_span: None,
            rehearses: false,
        }
    }

    /// Runs until it is cancelled, nobody can reach it any more and its agent
    /// has ended, or the log fails.
    pub(crate) async fn run(mut self, mut inbox: mpsc::Receiver<Message>) {
        let result = self.serve(&mut inbox).await;
        if let Some(process) = self.process.take() {
            process.detach().await;
        }
        self.parts.purse.set(self.parts.id, None);
        if result.is_err() {
            self.parts.given_up.add(self.parts.id);
        }
        let failed = result.err().map(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "session stopped");
            Failed::from(error)
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
            if message.addressed.input != Input::Resume {
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
            if self.begin().await? {
                continue;
            }
            self.tell_progress();
            let span = self.turn_span();
            match self.wake(inbox).await {
                Wake::Cancelled | Wake::Message(None) => return Ok(()),
                Wake::Due if self.is_over() => return self.retire(inbox).await,
                wake @ (Wake::Message(_)
                | Wake::Agent(_)
                | Wake::Host(..)
                | Wake::Due
                | Wake::Room
                | Wake::Told) => self.woken(wake).instrument(span).await?,
            }
        }
    }

    async fn woken(&mut self, wake: Wake) -> Result<(), Broken> {
        match wake {
            Wake::Message(Some(message)) => self.message(*message).await,
            Wake::Agent(event) => self.agent_event(event).await,
            Wake::Host(holder, request, answer) => {
                self.host_answered(holder, request, answer).await
            }
            Wake::Due if self.look_at_process().await? => Ok(()),
            Wake::Due if self.watch_waiting().await? => Ok(()),
            Wake::Due => {
                if self.parts.pace.is_too_far() {
                    // An agent that nobody listens to is not silent.
                    self.parts.machine.hear(self.at());
                }
                self.step_alone(Input::Tick).await
            }
            // It is tried at the top of the loop.
            Wake::Room | Wake::Told | Wake::Cancelled | Wake::Message(None) => Ok(()),
        }
    }

    async fn wake(&mut self, inbox: &mut mpsc::Receiver<Message>) -> Wake {
        let deadline = self.parts.machine.deadline().filter(|_| self.caught_up);
        let due = deadline.map(|deadline| {
            let left = deadline.since(self.at());
            tokio::time::Instant::now() + left.min(A_DAY)
        });
        let over = self.is_over();
        let due = due.or_else(|| over.then(|| tokio::time::Instant::now() + LINGER));
        let cancel = self.parts.cancel.clone();
        let too_far = self.parts.pace.is_too_far();
        // One that nobody listens to is not silent.
        let look = self.look_at_process_by().filter(|_| !too_far);
        let due = due
            .into_iter()
            .chain(look)
            .chain(self.watch_waiting_by())
            .min();
        let process = self.process.as_mut();
        let room = self.room.as_mut();
        tokio::select! {
            biased;
            () = cancel.cancelled() => Wake::Cancelled,
            () = self.alarm.at(due) => Wake::Due,
            () = has_room(room) => Wake::Room,
            message = inbox.recv() => Wake::Message(message.map(Box::new)),
            Some(Ok((holder, request, answer))) = self.calls.join_next() => {
                Wake::Host(holder, request, answer)
            }
            () = self.parts.pace.changed(), if too_far => Wake::Told,
            event = next_event(process), if !too_far => Wake::Agent(event),
        }
    }

    async fn message(&mut self, message: Message) -> Result<(), Broken> {
        let Message { addressed, reply } = message;
        let Addressed {
            input,
            blobs,
            create,
            remember,
            refused,
            memory,
        } = addressed;
        // What was sent before has its answer, however things stand now.
        if self.parts.machine.may_begin(&input)
            && let Some(rejected) = refused.or_else(|| self.owned_elsewhere())
        {
            reply.send(Err(rejected.into())).ok();
            return Ok(());
        }
        if let Err(full) = self.take_place(&input).await? {
            reply.send(Err(full.into())).ok();
            return Ok(());
        }
        if let Some(rejected) = self.may_start(&input, memory).await? {
            reply.send(Err(rejected.into())).ok();
            return Ok(());
        }
        let vetted = self.vetted(input, remember).await;
        let moment = self.moment();
        let stepped = vetted.and_then(|input| self.parts.machine.step(moment, input));
        match stepped {
            Err(rejected) => {
                let rejected = self.who_answered(rejected).await?;
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
            at: self.at(),
            fresh: self.parts.world.id(),
        }
    }

    /// The time that deadlines are counted by.
    fn at(&self) -> Timestamp {
        let (wall, steady) = self.opened;
        wall.plus(self.parts.world.uptime().saturating_sub(steady))
    }

    fn agent(&self) -> Option<AgentKind> {
        let created = self.parts.machine.facts().created.as_ref();
        AgentKind::from_name(&created?.agent)
    }

    fn cwd(&self) -> PathBuf {
        let created = self.parts.machine.facts().created.as_ref();
        created
            .map(|created| PathBuf::from(&created.cwd))
            .unwrap_or_default()
    }

    fn project_folder(&self) -> PathBuf {
        let created = self.parts.machine.facts().created.as_ref();
        created
            .map(|created| PathBuf::from(created.project_folder()))
            .unwrap_or_default()
    }

    fn is_caught_up(&mut self) {
        self.caught_up = true;
        if self.parts.machine.is_unsettled() {
            self.pending.push_back(Input::Tick);
        }
        self.parts
            .progress
            .send_modify(|progress| progress.caught_up = true);
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

async fn has_room(room: Option<&mut watch::Receiver<u64>>) {
    match room {
        // The pool outlives its sessions.
        Some(room) => room.changed().await.unwrap_or_default(),
        None => std::future::pending().await,
    }
}

async fn next_event(process: Option<&mut Attached>) -> Result<HolderEvent, ReadError> {
    match process {
        Some(process) => process.next().await,
        None => std::future::pending().await,
    }
}
