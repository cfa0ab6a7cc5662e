//! What is known about folders, looked up in the background.
//!
//! A folder may be on a disk that does not answer, and git may take minutes:
//! nobody who asks for a list waits for either. A look is shared by all who
//! want it, a few folders are looked at at once, and what takes too long is
//! told as not known. Git is asked only about folders in which nothing runs
//! that nobody has accepted.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, UNIX_EPOCH},
};

use baton_project::{
    git::{self, Git, Untracked, WorkTree},
    trust::{Answer, Decision},
};
use baton_protocol::{ProjectId, Timestamp};
use baton_session::agents::AgentHome;
use baton_store::{ProjectEntry, Store, TrustRecord};
use tokio::{
    sync::{Semaphore, watch},
    time::{Instant, timeout, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Folders that are looked at at once. Others wait for their turn.
const AT_ONCE: usize = 4;
/// What is known is looked at again after this time.
const FRESH: Duration = Duration::from_secs(3);
/// What is older than this is not told any more.
const STALE: Duration = Duration::from_secs(60);
/// How long somebody waits for what is not known yet.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long somebody waits for what is known already, to get it anew.
const RENEWAL: Duration = Duration::from_millis(100);
/// A look at files that takes longer has found nothing.
const LOOK: Duration = Duration::from_secs(3);
/// Facts of folders that nobody asked for lately are forgotten beyond this many.
const REMEMBERED: usize = 2_000;

/// What a folder is at the moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(super) exists: bool,
    /// It lies in a git repository, whose head may be on no branch.
    pub(super) repository: bool,
    pub(super) remote: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) is_dirty: Option<bool>,
    pub(super) ahead_behind: Option<(u64, u64)>,
    pub(super) has_claude_config: bool,
    pub(super) last_modified: Option<Timestamp>,
    /// Somebody accepted what it would run.
    pub(super) trusted: bool,
}

/// Which folder.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(super) id: ProjectId,
    pub(super) path: PathBuf,
}

impl Folder {
    pub(crate) fn of(entry: &ProjectEntry) -> Self {
        Self {
            id: entry.id,
            path: PathBuf::from(&entry.path),
        }
    }
}

#[derive(Debug, Default)]
struct Known {
    facts: Option<Facts>,
    at: Option<Instant>,
    /// Somebody is looking.
    busy: bool,
}

#[derive(Debug)]
struct Shared {
    store: Store,
    home: AgentHome,
    git: Git,
    known: Mutex<BTreeMap<PathBuf, Known>>,
    places: Semaphore,
    /// Changes with every look that ends.
    looked: watch::Sender<u64>,
}

/// Facts of folders, shared by all clients.
#[derive(Debug)]
pub(crate) struct ProjectFacts {
    shared: Arc<Shared>,
    tasks: TaskTracker,
    cancel: CancellationToken,
}

impl ProjectFacts {
    pub(crate) fn new(store: Store, home: &AgentHome) -> Self {
        Self {
            shared: Arc::new(Shared {
                store,
                home: home.clone(),
                git: Git::new(&home.env),
                known: Mutex::default(),
                places: Semaphore::new(AT_ONCE),
                looked: watch::Sender::new(0),
            }),
            tasks: TaskTracker::new(),
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) fn git(&self) -> &Git {
        &self.shared.git
    }

    /// What is known about each folder; none where that is nothing.
    pub(crate) async fn get(&self, folders: &[Folder]) -> Vec<Option<Facts>> {
        let mut looked = self.shared.looked.subscribe();
        for folder in folders {
            self.look_again(folder);
        }
        let all_known = {
            let known = self.shared.known();
            let mut told = folders.iter().map(|folder| known.get(&folder.path));
            told.all(|known| known.is_some_and(|known| known.facts.is_some()))
        };
        let patience = if all_known { RENEWAL } else { PATIENCE };
        let until = Instant::now() + patience;
        loop {
            looked.mark_unchanged();
            let done = {
                let known = self.shared.known();
                folders
                    .iter()
                    .all(|folder| known.get(&folder.path).is_none_or(|known| !known.busy))
            };
            if done || timeout_at(until, looked.changed()).await.is_err() {
                break;
            }
        }
        let known = self.shared.known();
        let told = folders.iter().map(|folder| {
            let known = known.get(&folder.path)?;
            let young = known.at.is_some_and(|at| at.elapsed() < STALE);
            known.facts.clone().filter(|_| young)
        });
        told.collect()
    }

    /// What is there now is asked for the next time.
    pub(crate) fn forget(&self, folder: &Path) {
        if let Some(known) = self.shared.known().get_mut(folder) {
            known.at = None;
        }
    }

    /// Ends looks that go on and waits for them.
    pub(crate) async fn close(&self) {
        self.cancel.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn look_again(&self, folder: &Folder) {
        {
            let mut all = self.shared.known();
            if all.len() > REMEMBERED {
                all.retain(|_, known| known.busy);
            }
            let known = all.entry(folder.path.clone()).or_default();
            let fresh = known.at.is_some_and(|at| at.elapsed() < FRESH);
            if known.busy || fresh {
                return;
            }
            known.busy = true;
        }
        let shared = Arc::clone(&self.shared);
        let folder = folder.clone();
        let cancel = self.cancel.clone();
        self.tasks.spawn(async move {
            let path = folder.path.clone();
            cancel.run_until_cancelled(shared.look(folder)).await;
            shared.change(&path, |known| known.busy = false);
        });
    }
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, path: &Path, change: impl FnOnce(&mut Known)) {
        change(self.known().entry(path.to_owned()).or_default());
        self.looked.send_modify(|count| *count += 1);
    }

    fn publish(&self, path: &Path, facts: Option<Facts>) {
        self.change(path, |known| {
            known.facts = facts;
            known.at = Some(Instant::now());
        });
    }

    /// Looks at files, then asks git: by itself only where nothing would run, or
    /// what would was accepted.
    async fn look(self: &Arc<Self>, folder: Folder) {
        let Ok(place) = self.places.acquire().await else {
            return;
        };
        let answer = self.store.trust(folder.id).await.ok().flatten();
        let shared = Arc::clone(self);
        let path = folder.path.clone();
        let files = move || shared.look_at_files(&path, answer.as_ref());
        let mut looking = tokio::task::spawn_blocking(files);
        let Ok(looked) = timeout(LOOK, &mut looking).await else {
            // It may never end. Others have its place meanwhile, and nobody
            // looks at this folder again before it does.
            drop(place);
            self.publish(&folder.path, None);
            drop(looking.await);
            return;
        };
        let Ok((facts, decision)) = looked else {
            return self.publish(&folder.path, None);
        };
        if !decision.is_trusted() || !facts.repository {
            return self.publish(&folder.path, Some(facts));
        }
        let tree = self.ask_git(&folder.path).await;
        let facts = Facts {
            is_dirty: tree.as_ref().map(WorkTree::is_dirty),
            ahead_behind: tree.and_then(|tree| tree.ahead_behind),
            ..facts
        };
        self.publish(&folder.path, Some(facts));
    }

    async fn ask_git(&self, folder: &Path) -> Option<WorkTree> {
        let tree = match self.git.at(folder).await {
            Ok(git) => git.status(Untracked::Folders, Path::new("")).await,
            Err(error) => Err(error),
        };
        if let Err(error) = &tree {
            let error = error as &dyn std::error::Error;
            tracing::debug!(folder = %folder.display(), error, "git does not tell");
        }
        tree.ok()
    }

    fn look_at_files(&self, folder: &Path, answer: Option<&TrustRecord>) -> (Facts, Decision) {
        let meta = folder.metadata().ok().filter(std::fs::Metadata::is_dir);
        let Some(meta) = meta else {
            return (Facts::default(), Decision::Untrusted { changed: false });
        };
        let decision = self.decide(folder, answer);
        let repository = git::facts(folder);
        let modified = meta.modified().ok();
        let modified = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified = modified.and_then(|since| i64::try_from(since.as_millis()).ok());
        let facts = Facts {
            exists: true,
            repository: repository.is_some(),
            branch: repository
                .as_ref()
                .and_then(|facts| facts.branch().map(str::to_owned)),
            remote: repository.and_then(|facts| facts.remote_url),
            is_dirty: None,
            ahead_behind: None,
            has_claude_config: AgentHome::has_settings(folder),
            last_modified: modified.map(Timestamp::from_millis),
            trusted: decision == Decision::Trusted,
        };
        (facts, decision)
    }

    fn decide(&self, folder: &Path, answer: Option<&TrustRecord>) -> Decision {
        let seen = self.home.survey(folder);
        let answer = answer.map(|record| Answer {
            digest: &record.digest,
            accepted: record.accepted,
        });
        Decision::of(answer, &seen)
    }
}
