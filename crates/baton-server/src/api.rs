//! What can be asked of the daemon, whoever asks and however.

mod approvals;
mod choices;
mod clones;
mod commands;
mod comments;
mod content;
mod copies;
mod create;
mod elsewhere;
mod facts;
mod files;
mod finds;
mod folders;
mod host;
mod lists;
mod messages;
mod moves;
mod offered;
mod part;
mod places;
mod projects;
mod queues;
mod ready;
mod records;
mod removal;
mod rights;
mod rules;
mod uploads;
mod warm;

pub(crate) use self::part::part_of;
pub(crate) use self::places::ConnectionSlot;
pub(crate) use self::rights::{Limit, Rights, not_shared};
pub(crate) use self::uploads::MAX_UPLOAD;
pub use self::uploads::Uploads;
pub(crate) use self::warm::Lease;

pub use self::host::{Errand, ErrandAnswer};
pub use projects::ProjectSearch;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use baton_protocol::{
    ProjectId, Timestamp,
    api::{AgentFound, AgentMissing, Problem, ProblemCode, Shutdown, Status, StatusCounts},
};
use baton_session::{Supervisor, World, agents::AgentKind};
use baton_store::{RetentionPolicy, SessionFilter, SessionStatus, Store, StoreError};
use tokio::sync::{Semaphore, watch};

use self::projects::facts::ProjectFacts;
use crate::{
    auth::Auth,
    problem::Told as _,
    remote::Remote,
    spare::{Room, Spare},
};

/// How long who asks for the status waits for the agents' versions.
const VERSION_WAIT: Duration = Duration::from_secs(2);

/// Sessions read at once when they are counted.
const PAGE: usize = 1000;

/// What the daemon says of itself.
#[derive(Debug, Clone)]
pub struct DaemonFacts {
    pub version: String,
    pub pid: u32,
    pub started_at: Timestamp,
    /// The agents that can be used, the default one first.
    pub agents: Vec<AgentKind>,
}

/// Sessions and log behind the commands of the contract.
#[derive(Debug)]
pub struct Api {
    pub(crate) supervisor: Arc<Supervisor>,
    pub(crate) world: Arc<dyn World>,
    pub(crate) auth: Arc<Auth>,
    pub(crate) facts: DaemonFacts,
    host: host::HostLink,
    clients: Clients,
    serving: Serving,
    projects: Projects,
    files: Files,
    pub(crate) sessions: Sessions,
}

/// Who is connected.
#[derive(Debug)]
struct Clients {
    connections: AtomicUsize,
    limited: places::Limited,
    connected: watch::Sender<usize>,
    /// Set before connections are closed: whether agents go on.
    goodbye: OnceLock<bool>,
}

/// How the daemon serves, and whether it goes on to.
#[derive(Debug)]
struct Serving {
    draining: AtomicBool,
    /// How the daemon was asked to end; whoever runs it watches.
    shutdown: watch::Sender<Option<Shutdown>>,
    /// Where HTTP is served, once it is.
    url: OnceLock<String>,
    probe: ready::Probe,
    /// What is kept for a full disk, where something is.
    spare: OnceLock<Spare>,
    /// What agents say of themselves; none while they are being asked.
    versions: watch::Sender<Option<BTreeMap<AgentKind, String>>>,
}

#[derive(Debug)]
struct Projects {
    search: ProjectSearch,
    project_facts: ProjectFacts,
    /// Repositories on their way.
    clones: Arc<clones::Clones>,
    /// One project is moved at a time.
    moving: Semaphore,
    /// Where review comments are kept, where they are.
    comments: OnceLock<PathBuf>,
}

#[derive(Debug)]
struct Files {
    /// Those that wait to go with a message, where there are any.
    uploads: OnceLock<Uploads>,
    remote: Remote,
    reads: Arc<Semaphore>,
    catalogues: finds::Catalogues,
}

#[derive(Debug, Default)]
pub(crate) struct Sessions {
    pub(crate) overviews: facts::Overviews,
    /// Those that are being made.
    making: create::Making,
    queues: queues::Queues,
    retention: RetentionPolicy,
}

impl Api {
    pub fn new(
        supervisor: Arc<Supervisor>,
        world: Arc<dyn World>,
        auth: Arc<Auth>,
        facts: DaemonFacts,
    ) -> Self {
        let store = supervisor.store().clone();
        let project_facts = ProjectFacts::new(store, supervisor.agent_home());
        Self {
            supervisor,
            world,
            auth,
            facts,
            host: host::HostLink::default(),
            clients: Clients {
                connections: AtomicUsize::new(0),
                limited: places::Limited::default(),
                connected: watch::Sender::new(0),
                goodbye: OnceLock::new(),
            },
            serving: Serving {
                draining: AtomicBool::new(false),
                shutdown: watch::Sender::new(None),
                url: OnceLock::new(),
                probe: ready::Probe::default(),
                spare: OnceLock::new(),
                versions: watch::Sender::new(Some(BTreeMap::new())),
            },
            projects: Projects {
                search: ProjectSearch::default(),
                project_facts,
                clones: Arc::default(),
                moving: Semaphore::new(1),
                comments: OnceLock::new(),
            },
            files: Files {
                uploads: OnceLock::new(),
                remote: Remote::default(),
                reads: Arc::new(Semaphore::new(files::READS)),
                catalogues: finds::Catalogues::default(),
            },
            sessions: Sessions::default(),
        }
    }

    /// Looks for projects there.
    #[must_use]
    pub fn with_search(mut self, search: ProjectSearch) -> Self {
        self.projects.search = search;
        self
    }

    /// Lets go of that when it is asked to.
    #[must_use]
    pub fn with_retention(mut self, retention: RetentionPolicy) -> Self {
        self.sessions.retention = retention;
        self
    }

    /// Fetches images that messages name by address from these hosts, instead
    /// of Discord's.
    #[must_use]
    pub fn with_image_hosts(mut self, hosts: impl IntoIterator<Item = String>) -> Self {
        self.files.remote = Remote::from_hosts(hosts);
        self
    }

    /// Ends what goes on in the background and waits for it.
    pub async fn close(&self) {
        self.end_clones().await;
        self.projects.project_facts.close().await;
    }

    pub const fn facts(&self) -> &DaemonFacts {
        &self.facts
    }

    /// Who may come in by any way but the control socket.
    pub const fn auth(&self) -> &Arc<Auth> {
        &self.auth
    }

    pub(crate) fn store(&self) -> &Store {
        self.supervisor.store()
    }

    /// Changes when a client asks the daemon to end, and again when it asks
    /// more urgently.
    pub fn shutdown_requests(&self) -> watch::Receiver<Option<Shutdown>> {
        self.serving.shutdown.subscribe()
    }

    pub fn request_shutdown(&self, how: Shutdown) {
        self.serving.shutdown.send_replace(Some(how));
    }

    /// How many clients are connected.
    pub fn connected(&self) -> watch::Receiver<usize> {
        self.clients.connected.subscribe()
    }

    /// Tells clients where HTTP is served.
    pub fn serves_at(&self, url: String) {
        self.serving.url.set(url).ok();
    }

    pub fn url(&self) -> Option<&str> {
        self.serving.url.get().map(String::as_str)
    }

    /// Takes files in advance of the messages they go with.
    pub fn take_uploads(&self, uploads: Uploads) {
        self.files.uploads.set(uploads).ok();
    }

    pub(crate) fn uploads(&self) -> Option<&Uploads> {
        self.files.uploads.get()
    }

    /// What clients are told when their connections close.
    pub fn say_goodbye(&self, agents_kept: bool) {
        self.clients.goodbye.set(agents_kept).ok();
    }

    pub(crate) fn goodbye(&self) -> Option<bool> {
        self.clients.goodbye.get().copied()
    }

    /// From here on no turn begins by command; reads go on.
    pub(crate) fn refuse_turns(&self) {
        self.serving.draining.store(true, Ordering::Relaxed);
    }

    pub(crate) fn takes_turns(&self) -> Result<(), Problem> {
        if self.serving.draining.load(Ordering::Relaxed) {
            return Err(Problem::new(
                ProblemCode::ShuttingDown,
                "the daemon is stopping and takes no new turns",
            ));
        }
        self.has_room()
    }

    /// Keeps this much room for a full disk.
    pub fn keep_spare(&self, spare: Spare) {
        spare.keep();
        self.serving.spare.set(spare).ok();
    }

    /// What is left on a full disk is for those who stop or remove something.
    fn has_room(&self) -> Result<(), Problem> {
        match self.serving.spare.get().map(Spare::keep) {
            None | Some(Room::Kept) => Ok(()),
            Some(Room::Spent) => Err(Problem::new(
                ProblemCode::StorageFull,
                "no space left on the disk of the event log; sessions can be read, stopped and removed",
            )),
        }
    }

    /// Makes room on a full disk. Says whether there was any left.
    pub(crate) fn use_spare(&self) -> bool {
        self.serving.spare.get().is_some_and(Spare::give_up)
    }

    pub async fn counts(&self) -> Result<StatusCounts, StoreError> {
        self.counts_in(None).await
    }

    /// Of one project, or of all.
    async fn counts_in(&self, project: Option<ProjectId>) -> Result<StatusCounts, StoreError> {
        let mut counts = StatusCounts::default();
        let mut cursor = None;
        loop {
            let filter = SessionFilter {
                project,
                ..SessionFilter::default()
            };
            let page = self.store().sessions(filter, cursor, PAGE).await?;
            for row in &page.items {
                counts.add(row.state, row.status == SessionStatus::Asleep);
            }
            cursor = page.next;
            if cursor.is_none() {
                return Ok(counts);
            }
        }
    }

    /// Agents are being asked for their versions; [`tell_versions`] follows.
    ///
    /// [`tell_versions`]: Self::tell_versions
    pub fn asks_versions(&self) {
        self.serving.versions.send_replace(None);
    }

    /// Tells clients the versions of agents.
    pub fn tell_versions(&self, versions: BTreeMap<AgentKind, String>) {
        self.serving.versions.send_replace(Some(versions));
    }

    /// How the daemon stands. Agents that are being asked for their versions
    /// are waited for a little.
    pub async fn status(&self) -> Result<Status, Problem> {
        let mut versions = self.serving.versions.subscribe();
        let told = versions.wait_for(Option::is_some);
        drop(tokio::time::timeout(VERSION_WAIT, told).await);
        self.status_now().await
    }

    pub(crate) async fn status_now(&self) -> Result<Status, Problem> {
        let pending = self.store().open_approvals(None).await.told()?;
        let projects = self.listed().await?;
        Ok(Status {
            ok: true,
            pid: self.facts.pid,
            version: self.facts.version.clone(),
            started_at: self.facts.started_at,
            uptime_s: self.world.now().since(self.facts.started_at).as_secs(),
            url: self.serving.url.get().cloned(),
            sessions: self.counts().await.told()?,
            pending_approvals: pending.len() as u64,
            projects: projects.len() as u64,
            clients: self.clients.connections.load(Ordering::Relaxed) as u64,
            agents: self.agents(),
            missing_agents: self.missing_agents(),
            stopping: self.serving.draining.load(Ordering::Relaxed),
            keep_awake: self.host.keeps_awake(),
        })
    }

    /// The same below a project, where nothing is counted but what it has.
    pub(crate) async fn status_in(&self, limit: Option<&Limit>) -> Result<Status, Problem> {
        let status = self.status().await?;
        let Some(limit) = limit else {
            return Ok(status);
        };
        let sessions = self.counts_in(Some(limit.id)).await;
        Ok(Status {
            sessions: sessions.told()?,
            pending_approvals: self.open_approvals_in(limit.id).await?.len() as u64,
            projects: 1,
            clients: self.clients.limited.to(limit.id),
            ..status
        })
    }

    fn missing_agents(&self) -> Vec<AgentMissing> {
        let known = AgentKind::ALL.iter();
        let missing = known.filter(|kind| !self.facts.agents.contains(kind));
        let missing = missing.map(|kind| AgentMissing {
            name: kind.name().to_owned(),
            remedy: kind.install().to_owned(),
        });
        missing.collect()
    }

    /// What the agent's program last said that it is.
    fn version_of(&self, kind: AgentKind) -> Option<String> {
        let versions = self.serving.versions.borrow();
        versions.as_ref().and_then(|all| all.get(&kind).cloned())
    }

    fn agents(&self) -> Vec<AgentFound> {
        let versions = self.serving.versions.borrow();
        let found = self.facts.agents.iter().map(|kind| AgentFound {
            name: kind.name().to_owned(),
            about: kind.about().to_owned(),
            capabilities: kind.capabilities(),
            version: versions.as_ref().and_then(|all| all.get(kind).cloned()),
        });
        found.collect()
    }
}
