//! All sessions of one data folder: made, opened, taken over, let go.

mod create;
mod elsewhere;
mod folders;
mod forks;
mod leftovers;
mod mend;
mod moves;
mod offered;
mod rules;
mod take_up;
mod trust;
mod variables;
mod warming;

pub(crate) use mend::GivenUp;
pub use rules::Tried;
pub use take_up::TakeUp;
pub use trust::Trust;
pub use warming::Warmed;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use baton_process::holder::Tie;
use baton_project::secrets::SecretPlaces;
use baton_protocol::{
    MessageId, Seq, SessionId, Turn,
    event::SessionOptions,
    words::{Runtime, SessionState},
};
use baton_store::{SessionFilter, Store, StoreError};
use tokio::sync::{OnceCell, mpsc, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument as _;
use uuid::Uuid;

use self::warming::{Kit, Warming};
pub use forks::ForkAt;

use crate::{
    actor::{Actor, CommandError, Parts, Progress, Waiting},
    agents::{AgentHome, AgentKind},
    choices::{Choices, LastChoices},
    handle::SessionHandle,
    host::Host,
    live::LiveBuffer,
    machine::{Facts, Limits, Machine},
    pace::Pace,
    pool::Pool,
    purse::Purse,
    rulebook::RuleBook,
    settings::{Defaults, Settings},
    vault::Vault,
    world::World,
};

/// Commands that may wait for one session. Full means the sender waits.
const INBOX: usize = 64;
/// Events folded at once when a session is opened.
const PAGE: usize = 1000;

/// Why a session could not be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    #[error("there is no session {0}")]
    UnknownSession(SessionId),
    #[error("the folder {} is not there", .0.display())]
    NoFolder(PathBuf),
    #[error("{} is where secrets are kept, so no agent works there", .0.display())]
    SecretFolder(PathBuf),
    #[error("the agent {0} cannot fork a session")]
    CannotFork(&'static str),
    #[error("session {0} has no conversation to fork yet")]
    NothingToFork(SessionId),
    #[error("claude has no session {id} for {}", .cwd.display())]
    NoTranscript { id: Uuid, cwd: PathBuf },
    #[error("claude's session {0} was begun by Baton")]
    BegunHere(Uuid),
    #[error("the sessions of {} cannot be listed", .cwd.display())]
    Unlisted {
        cwd: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{0}")]
    BadOption(String),
    #[error("{0} cannot be looked at")]
    Unreadable(String),
    #[error("what {0} would run has changed since it was shown")]
    TrustChanged(String),
    #[error("{0} holds more than can be looked at, so it cannot be trusted")]
    TrustTooMuch(String),
    #[error("there is no message {0} in this session")]
    UnknownMessage(MessageId),
    #[error("the agent of this session has said nothing named {0}")]
    UnknownRow(String),
    #[error("the secrets of the session cannot be kept")]
    Vault(#[source] std::io::Error),
    #[error("the event log cannot be read or written")]
    Store(#[from] StoreError),
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// A session to be made.
#[derive(Debug, Clone)]
pub struct NewSessionSpec {
    pub agent: AgentKind,
    pub cwd: PathBuf,
    /// The folder of its project, which is around `cwd`; none if it is that.
    pub project: Option<PathBuf>,
    pub title: Option<String>,
    /// None: as the settings say.
    pub runtime: Option<Runtime>,
    pub options: SessionOptions,
}

/// Whether a process was there when a session got other options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StillRuns {
    Not,
    /// It goes on with the old ones until its turn is over.
    WithTheOld,
}

/// At most one task per session, however many ask for it at once.
type Slot = Arc<OnceCell<SessionHandle>>;

/// Owns the sessions' tasks.
#[derive(Debug)]
pub struct Supervisor {
    store: Store,
    world: Arc<dyn World>,
    home: Arc<AgentHome>,
    holders: PathBuf,
    secrets: Arc<SecretPlaces>,
    vault: Vault,
    limits: Limits,
    defaults: Arc<Defaults>,
    tasks: TaskTracker,
    cancel: CancellationToken,
    open: Mutex<BTreeMap<SessionId, Slot>>,
    /// Imports, by the agent's own ids: the same twice is one session.
    imports: Mutex<BTreeMap<Uuid, Slot>>,
    rules: Arc<RuleBook>,
    pool: Arc<Pool>,
    purse: Arc<Purse>,
    host: Option<Arc<dyn Host>>,
    tie: Tie,
    given_up: Arc<GivenUp>,
    choices: Arc<LastChoices>,
    warming: Arc<Warming>,
    /// What is live of each session that somebody reads, so that a reader
    /// outlasts the session's task.
    live: Mutex<BTreeMap<SessionId, Weak<LiveBuffer>>>,
}

impl Supervisor {
    /// `holders` is the folder in which holders keep their journals. The one
    /// that it is in is the data folder.
    pub async fn new(
        store: Store,
        world: Arc<dyn World>,
        home: AgentHome,
        holders: PathBuf,
        settings: Settings,
    ) -> Result<Self, SupervisorError> {
        let rules = Arc::new(RuleBook::new(&store.rules().await?));
        let data = holders.parent().unwrap_or(&holders);
        let home = Arc::new(home);
        let secrets = Arc::new(home.secrets(data));
        let vault = Vault::of(data);
        let choices = Arc::new(LastChoices::of(data));
        let defaults = Arc::new(settings.defaults);
        let pool = Arc::new(Pool::new(settings.pool));
        let purse = Arc::<Purse>::default();
        let given_up = Arc::<GivenUp>::default();
        let (tasks, cancel) = (TaskTracker::new(), CancellationToken::new());
        let warming = Warming::new(Kit {
            store: store.clone(),
            world: Arc::clone(&world),
            home: Arc::clone(&home),
            holders: holders.clone(),
            secrets: Arc::clone(&secrets),
            vault: vault.clone(),
            limits: settings.limits.clone(),
            rules: Arc::clone(&rules),
            defaults: Arc::clone(&defaults),
            pool: Arc::clone(&pool),
            purse: Arc::clone(&purse),
            given_up: Arc::clone(&given_up),
            choices: Arc::clone(&choices),
            host: settings.host.clone(),
            tasks: tasks.clone(),
            cancel: cancel.clone(),
        });
        Ok(Self {
            store,
            world,
            home,
            holders,
            secrets,
            vault,
            choices,
            warming: Arc::new(warming),
            limits: settings.limits,
            defaults,
            tasks,
            cancel,
            open: Mutex::new(BTreeMap::new()),
            imports: Mutex::new(BTreeMap::new()),
            rules,
            pool,
            purse,
            host: settings.host,
            tie: settings.tie,
            given_up,
            live: Mutex::default(),
        })
    }

    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// What nobody is shown, whichever project it is in.
    pub const fn secrets(&self) -> &Arc<SecretPlaces> {
        &self.secrets
    }

    /// Takes up every process an earlier owner left, and waits until the log
    /// has all that they wrote so far. Returns their sessions.
    pub async fn take_over(&self) -> Result<Vec<SessionHandle>, SupervisorError> {
        let holders = self.store.holders().await?;
        leftovers::remove(&self.holders, &holders).await;
        self.sweep_vault().await?;
        let running: BTreeSet<SessionId> = holders.iter().map(|one| one.session).collect();
        // Those that run have their places before anything that waits begins.
        let mut taken = self.open_all(&running).await;
        let mut left: BTreeSet<SessionId> = BTreeSet::new();
        // Turns that were committed and then never given to a process, and
        // sessions whose time may be up.
        for state in [
            SessionState::Idle,
            SessionState::Starting,
            SessionState::Processing,
            SessionState::Waiting,
        ] {
            let mut cursor = None;
            loop {
                let filter = SessionFilter {
                    state: Some(state),
                    ..SessionFilter::default()
                };
                let page = self.store.sessions(filter, cursor, PAGE).await?;
                left.extend(page.items.iter().map(|row| row.id));
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
        }
        match self.run_elsewhere().await {
            Ok(elsewhere) => left.extend(elsewhere),
            // What can be read of a damaged log stays within reach.
            Err(SupervisorError::Store(error)) if error.is_damage() => {
                tracing::error!(%error, "sessions that run elsewhere cannot be looked up");
            }
            Err(error) => return Err(error),
        }
        taken.extend(self.open_all(&(&left - &running)).await);
        Ok(taken)
    }

    /// Removes what is kept of sessions that are not in the log: they were
    /// removed, or never got there.
    async fn sweep_vault(&self) -> Result<(), SupervisorError> {
        for id in self.vault.sessions() {
            if self.store.session_row(id).await?.is_none() {
                self.vault.remove(id);
            }
        }
        Ok(())
    }

    /// Opens sessions, and waits until the log has all that their processes
    /// wrote so far.
    async fn open_all(&self, sessions: &BTreeSet<SessionId>) -> Vec<SessionHandle> {
        let mut taken = Vec::new();
        for session in sessions {
            match self.open(*session).await {
                Ok(handle) => taken.push(handle),
                // One that cannot be read keeps none of the others from going on.
                Err(error) => {
                    tracing::error!(%session, error = &error as &dyn std::error::Error, "a session cannot be taken over");
                }
            }
        }
        for session in &taken {
            session.wait_for(|progress| progress.caught_up).await;
        }
        taken
    }

    /// A session's handle; its task is started if it does not run.
    pub async fn open(&self, id: SessionId) -> Result<SessionHandle, SupervisorError> {
        let slot = loop {
            let slot = self.slot(id);
            match slot.get() {
                // Its last words must be in the log before it is read again.
                Some(ended) if !ended.is_alive() => {
                    ended.finished().await;
                    self.clear(id, &slot);
                }
                _ => break slot,
            }
        };
        let opened = slot.get_or_try_init(|| async {
            let (facts, head) = self.facts(id).await?;
            let elsewhere = facts.elsewhere.and_then(|_| facts.conversation());
            let cwd = facts.created.as_ref().map(|created| created.cwd.clone());
            let handle = self.spawn(id, facts, head, None);
            Ok::<_, SupervisorError>(match elsewhere {
                Some(conversation) => {
                    let cwd = cwd.unwrap_or_default();
                    self.watch(handle, conversation, Path::new(&cwd))
                }
                None => handle,
            })
        });
        opened.await.cloned()
    }

    /// Takes an ended session up again.
    pub async fn resume(&self, id: SessionId) -> Result<SessionHandle, SupervisorError> {
        loop {
            let session = self.open(id).await?;
            match session.resume().await {
                // Its task was about to go.
                Err(CommandError::Gone)
                    if !session.progress().has_failed() && !self.cancel.is_cancelled() =>
                {
                    session.finished().await;
                }
                Err(error) => return Err(error.into()),
                Ok(()) => return Ok(session),
            }
        }
    }

    /// Takes a session up again with other options, which count from its next
    /// process on. Says whether it has a process that runs with the old ones.
    pub async fn resume_with(
        &self,
        id: SessionId,
        agent: AgentKind,
        options: SessionOptions,
    ) -> Result<(SessionHandle, StillRuns), SupervisorError> {
        let options = self.with_defaults(agent, options)?;
        let session = self.resume(id).await?;
        let still = if session.progress().has_process {
            StillRuns::WithTheOld
        } else {
            StillRuns::Not
        };
        let options = self.vault.part(id, &options);
        let options = options.map_err(SupervisorError::Vault)?;
        session.set_options(options).await?;
        Ok((session, still))
    }

    /// The handle of a session whose task runs; nothing is started for it.
    pub fn opened(&self, id: SessionId) -> Option<SessionHandle> {
        let slot = lock(&self.open).get(&id).map(Arc::clone)?;
        slot.get().filter(|one| one.is_alive()).cloned()
    }

    /// The place for a session's handle.
    fn slot(&self, id: SessionId) -> Slot {
        let mut open = lock(&self.open);
        // Tasks that have ended leave nothing behind.
        open.retain(|_, slot| slot.get().is_none_or(|one| !one.is_finished()));
        Arc::clone(open.entry(id).or_default())
    }

    /// Empties the place of a session whose task has ended.
    fn clear(&self, id: SessionId, ended: &Slot) {
        let mut open = lock(&self.open);
        if open.get(&id).is_some_and(|slot| Arc::ptr_eq(slot, ended)) {
            open.remove(&id);
        }
    }

    /// Lets go of a session that is no longer in the log: whoever asks for it
    /// next is told so.
    pub fn forget(&self, id: SessionId) {
        self.vault.remove(id);
        lock(&self.open).remove(&id);
        let of_it = |slot: &Slot| slot.get().is_some_and(|session| session.id() == id);
        lock(&self.imports).retain(|_, slot| !of_it(slot));
    }

    /// What is live of a session, shared by its tasks and readers.
    fn live_of(&self, id: SessionId, head: Seq, turn: Turn) -> Arc<LiveBuffer> {
        let mut live = lock(&self.live);
        live.retain(|_, buffer| buffer.strong_count() > 0);
        if let Some(buffer) = live.get(&id).and_then(Weak::upgrade) {
            return buffer;
        }
        let buffer = Arc::new(LiveBuffer::new(id, head, turn, self.world.now()));
        live.insert(id, Arc::downgrade(&buffer));
        buffer
    }

    /// Where everything of Baton's own is.
    pub fn data_folder(&self) -> &Path {
        self.holders.parent().unwrap_or(&self.holders)
    }

    /// What an agent lets people choose, as the last process of this version
    /// told it.
    pub fn choices(&self, agent: AgentKind, version: Option<&str>) -> Choices {
        self.choices.get(agent, version)
    }

    /// Folds a session's log.
    pub async fn facts(&self, id: SessionId) -> Result<(Facts, Seq), SupervisorError> {
        if self.store.session_row(id).await?.is_none() {
            return Err(SupervisorError::UnknownSession(id));
        }
        let mut facts = Facts::default();
        let mut head = Seq::START;
        let mut page = self.store.read_after(id, head, PAGE).await?;
        while let Some(last) = page.last() {
            head = last.seq;
            let fold = async {
                for stored in &page {
                    let envelope = stored.envelope()?;
                    facts.apply(envelope.ts, &envelope.event);
                }
                Ok::<_, StoreError>(())
            };
            // The next page is read on a thread of the log's while this one is
            // folded, so it is asked for first.
            let (next, folded) = tokio::join!(self.store.read_after(id, head, PAGE), fold);
            folded?;
            page = next?;
        }
        Ok((facts, head))
    }

    /// The real path of a folder that agents may work in.
    fn folder(&self, named: &Path) -> Result<String, SupervisorError> {
        let real = canonical(named)?;
        if self.secrets.look().hide_path(Path::new(&real)) {
            return Err(SupervisorError::SecretFolder(named.to_owned()));
        }
        Ok(real)
    }

    fn spawn(
        &self,
        id: SessionId,
        facts: Facts,
        head: Seq,
        warmed: Option<Waiting>,
    ) -> SessionHandle {
        let (inbox, messages) = mpsc::channel(INBOX);
        let (progress, watched) = watch::channel(Progress::default());
        let (greeting, greeted) = watch::channel(None);
        let (told, pace) = watch::channel(None);
        let live = self.live_of(id, head, facts.open.turn);
        let parts = Parts {
            id,
            store: self.store.clone(),
            world: Arc::clone(&self.world),
            home: Arc::clone(&self.home),
            holders: self.holders.clone(),
            secrets: Arc::clone(&self.secrets),
            vault: self.vault.clone(),
            machine: Machine::new(facts, self.limits.clone()),
            head,
            live: Arc::clone(&live),
            rules: Arc::clone(&self.rules),
            defaults: Arc::clone(&self.defaults),
            pool: Arc::clone(&self.pool),
            purse: Arc::clone(&self.purse),
            inbox: inbox.downgrade(),
            progress,
            host: self.host.clone(),
            tie: self.tie,
            given_up: Arc::clone(&self.given_up),
            greeting,
            choices: Arc::clone(&self.choices),
            pace: Pace::new(pace),
            warmed,
            cancel: self.cancel.child_token(),
        };
        let span = tracing::info_span!(parent: None, "session", %id);
        self.tasks
            .spawn(Actor::new(parts).run(messages).instrument(span));
        SessionHandle::new(id, inbox, watched, greeted, told, live, self.store.clone())
    }

    /// Lets every agent go on under its holder and ends the tasks.
    pub async fn detach(&self) {
        self.cancel.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.store.close().await;
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn canonical(folder: &Path) -> Result<String, SupervisorError> {
    let missing = || SupervisorError::NoFolder(folder.to_owned());
    let whole = std::fs::canonicalize(folder).map_err(|_| missing())?;
    if !whole.is_dir() {
        return Err(missing());
    }
    // Paths travel as JSON text; one that is no text cannot be a project.
    whole.to_str().map(str::to_owned).ok_or_else(missing)
}
