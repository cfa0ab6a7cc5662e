//! The handle: a cheap clone that reaches the writer and the reader threads.

mod forget;
mod maintenance;
mod reads;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use baton_protocol::{RunnerId, Seq, SeqNo, SessionId};
use rusqlite::Connection;
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::Instant,
};

pub use self::maintenance::{BackupReport, CheckReport, RetentionPolicy};
use crate::{
    append::{Append, Committed, Unit},
    checkpoint::{PAGE_BYTES, WalKeeper, WalLimits, wal_path},
    connection,
    error::{OpenError, StoreError},
    follow::Follow,
    found::Beginning,
    moves::{self, ProjectMove},
    projects::{self, ProjectChange, ProjectEntry},
    read,
    reader::{self, Job},
    rules::{RuleChange, RuleOutcome},
    shared::{AppendTimes, Shared, StoreQueues, StoreStats},
    trust::TrustRecord,
    writer::{Work, Writer},
};

/// Units that may wait for the writer. When full, who appends waits for a
/// place; a session that waits stops reading its agent.
const QUEUE: usize = 1024;

/// How a log is opened.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The runner's id if the log has none yet.
    pub runner_id: RunnerId,
    pub wal: WalLimits,
    /// How long to wait for another process's lock.
    pub busy: Duration,
    /// The most the database may grow to, in pages of 4 KiB; beyond it an
    /// append fails as on a full disk. `None` leaves it to the disk.
    pub max_pages: Option<u64>,
    /// Whether a log may begin here if there is none.
    pub beginning: Beginning,
}

impl StoreOptions {
    pub fn new(runner_id: RunnerId) -> Self {
        Self {
            runner_id,
            wal: WalLimits::default(),
            busy: Duration::from_secs(5),
            max_pages: None,
            beginning: Beginning::MayBeNew,
        }
    }
}

/// The event log. Clones share it.
///
/// When the last clone goes, its threads finish what is queued and are waited
/// for; call [`close`](Self::close) where blocking a task matters.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    runner_id: RunnerId,
    /// `None` in memory.
    path: Option<PathBuf>,
    /// `None` when open for reading only.
    writer: Option<mpsc::Sender<Work>>,
    /// `None` in memory: the writer's connection is the only one and reads too.
    readers: Mutex<Option<mpsc::Sender<Job>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Whether this store, not another process, writes the file.
    writes: bool,
}

impl Store {
    /// Opens or creates the log. Blocks; call it before the runtime is busy.
    pub fn open(path: &Path, options: &StoreOptions) -> Result<Self, OpenError> {
        let limit = options.wal.restart_pages.saturating_mul(PAGE_BYTES);
        let mut conn = connection::open_writer(path, limit, options.busy, &options.beginning)?;
        let fail = |source| OpenError::from_sqlite(path.to_owned(), source);
        if let Some(pages) = options.max_pages {
            conn.pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, i64>(0))
                .map_err(fail)?;
        }
        let shared = Arc::new(Shared::new());
        let (wal, checkpointer) = WalKeeper::start(&mut conn, path, options.wal, options.busy)?;
        let writer =
            Writer::new(conn, Arc::clone(&shared), Some(wal), options.runner_id).map_err(fail)?;
        let (readers, mut threads) = reader::start(path)?;
        threads.push(checkpointer);
        Self::start(writer, shared, Some(path), Some(readers), threads)
    }

    /// Opens a log to look at while another process owns it. Appends answer
    /// [`StoreError::ReadOnly`], and following does not see the owner's commits.
    pub fn open_read_only(path: &Path) -> Result<Self, OpenError> {
        let conn = connection::open_reader(path)?;
        let fail = |source| OpenError::from_sqlite(path.to_owned(), source);
        let runner_id =
            read::runner_id(&conn)
                .map_err(fail)?
                .ok_or_else(|| OpenError::NotALog {
                    path: path.to_owned(),
                    source: None,
                })?;
        let (readers, threads) = reader::start(path)?;
        Ok(Self {
            inner: Arc::new(Inner {
                shared: Arc::new(Shared::new()),
                runner_id,
                path: Some(path.to_owned()),
                writer: None,
                readers: Mutex::new(Some(readers)),
                threads: Mutex::new(threads),
                writes: false,
            }),
        })
    }

    /// A log that ends with the process, for embedding and tests. The same
    /// code on one connection: reads wait for the commits before them.
    pub fn in_memory(options: &StoreOptions) -> Result<Self, OpenError> {
        let conn = connection::open_in_memory()?;
        let shared = Arc::new(Shared::new());
        let writer = Writer::new(conn, Arc::clone(&shared), None, options.runner_id)
            .map_err(|source| OpenError::from_sqlite(PathBuf::from(":memory:"), source))?;
        Self::start(writer, shared, None, None, Vec::new())
    }

    fn start(
        writer: Writer,
        shared: Arc<Shared>,
        path: Option<&Path>,
        readers: Option<mpsc::Sender<Job>>,
        mut threads: Vec<JoinHandle<()>>,
    ) -> Result<Self, OpenError> {
        let (commands, inbox) = mpsc::channel(QUEUE);
        let runner_id = writer.runner_id();
        let thread = std::thread::Builder::new()
            .name("baton-write".to_owned())
            .spawn(move || writer.run(inbox))
            .map_err(|source| {
                OpenError::from_io(path.map(Path::to_owned).unwrap_or_default(), source)
            })?;
        threads.push(thread);
        Ok(Self {
            inner: Arc::new(Inner {
                shared,
                runner_id,
                path: path.map(Path::to_owned),
                writer: Some(commands),
                readers: Mutex::new(readers),
                threads: Mutex::new(threads),
                writes: true,
            }),
        })
    }

    /// The id of this installation: made once, kept in the log.
    pub fn runner_id(&self) -> RunnerId {
        self.inner.runner_id
    }

    /// Commits one unit. When it returns, the unit is on disk, and followers
    /// are about to see its events.
    ///
    /// Dropping the future does not take the unit back: it may be committed.
    pub async fn append(&self, append: Append) -> Result<Committed, StoreError> {
        let unit = Box::new(Unit::prepare(append, self.inner.runner_id));
        let (answer, answered) = oneshot::channel();
        let begun = Instant::now();
        self.write(Work::Append(unit, answer)).await?;
        let (outcome, _unit) = answered.await.map_err(|_| StoreError::Closed)?;
        if outcome.is_ok() {
            self.inner.shared.took(begun.elapsed());
        }
        outcome
    }

    /// Changes rules outside a session: all of `changes`, or none of them.
    pub async fn change_rules(
        &self,
        changes: Vec<RuleChange>,
    ) -> Result<Vec<RuleOutcome>, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.write(Work::Rules(changes, answer)).await?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Replaces what was answered about this project before.
    pub async fn set_trust(&self, record: TrustRecord) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.write(Work::Trust(Box::new(record), answer)).await?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Changes the list of projects: all of `changes`, or none of them. Each
    /// gives its project as it is then, `None` for one that never was.
    pub async fn change_projects(
        &self,
        changes: Vec<ProjectChange>,
    ) -> Result<Vec<Option<ProjectEntry>>, StoreError> {
        self.change(move |conn| {
            let changes = changes.iter();
            changes
                .map(|change| projects::change(conn, change))
                .collect()
        })
        .await
    }

    /// Gives all that belongs to moved projects to their new names, but for the
    /// sessions: those follow one by one, with an event. Until
    /// [`finish_moves`](Self::finish_moves) the moves are kept.
    pub async fn begin_moves(&self, moves: Vec<ProjectMove>) -> Result<(), StoreError> {
        self.change(move |conn| moves::begin(conn, &moves)).await
    }

    /// Every session has followed what [`begin_moves`](Self::begin_moves) began.
    pub async fn finish_moves(&self) -> Result<(), StoreError> {
        self.change(moves::finish).await
    }

    /// Everything of `session` after a cursor, then what comes.
    pub fn follow(&self, session: SessionId, after: Seq) -> Follow {
        Follow::new(self.clone(), session, after)
    }

    /// Changes with every commit of any session. A wake-up, not a payload:
    /// read with [`read_all_after`](Self::read_all_after).
    pub fn watch_all(&self) -> watch::Receiver<SeqNo> {
        self.inner.shared.subscribe_all()
    }

    pub fn stats(&self) -> StoreStats {
        self.inner.shared.stats()
    }

    /// How long appends took since the store was opened.
    pub fn append_times(&self) -> AppendTimes {
        self.inner.shared.append_times()
    }

    /// What waits for the store's threads at the moment.
    pub fn queues(&self) -> StoreQueues {
        fn waiting<T>(queue: Option<&mpsc::Sender<T>>) -> usize {
            queue.map_or(0, |queue| queue.max_capacity() - queue.capacity())
        }
        StoreQueues {
            writes: waiting(self.inner.writer.as_ref()),
            reads: waiting(self.inner.lock_readers().as_ref()),
        }
    }

    /// The size of the write-ahead log's file.
    pub fn wal_bytes(&self) -> u64 {
        let Some(path) = &self.inner.path else {
            return 0;
        };
        std::fs::metadata(wal_path(path)).map_or(0, |file| file.len())
    }

    /// Takes no more, commits what is queued, ends followers and waits for the
    /// threads. Every clone answers [`StoreError::Closed`] from then on.
    pub async fn close(&self) {
        if let Some(writer) = &self.inner.writer {
            // An error means that it is closed already.
            drop(writer.send(Work::Close).await);
        }
        drop(self.inner.take_readers());
        self.inner.shared.close();
        let threads = self.inner.take_threads();
        let path = self.inner.own_file().map(Path::to_owned);
        let ended = tokio::task::spawn_blocking(move || end(threads, path.as_deref()));
        if let Err(error) = ended.await {
            tracing::warn!(%error, "cannot wait for the threads of the event log");
        }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.inner.shared
    }

    async fn write(&self, command: Work) -> Result<(), StoreError> {
        let writer = self.inner.writer.as_ref().ok_or(StoreError::ReadOnly)?;
        writer.send(command).await.map_err(|_| StoreError::Closed)
    }

    /// Runs a short change beside the events in a transaction of its own. When
    /// it returns, the change is on disk.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let job = Box::new(move |writer: &mut Writer| {
            // Nobody may be waiting any more; the change stands.
            drop(answer.send(writer.change(change)));
        });
        self.write(Work::Change(job)).await?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs a short read on a reader thread.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |conn| {
            // Who asked may be gone; a read changes nothing.
            drop(answer.send(read(conn)));
        });
        let readers = self.inner.lock_readers().clone();
        match readers {
            Some(readers) => readers.send(job).await.map_err(|_| StoreError::Closed)?,
            None if self.inner.path.is_none() => self.write(Work::Read(job)).await?,
            None => return Err(StoreError::Closed),
        }
        let found = answered.await.map_err(|_| StoreError::Closed)?;
        if let Err(error) = &found
            && error.is_damage()
        {
            self.inner.shared.came_upon(|| error.to_string());
        }
        found
    }

    /// The first damage that a read has come upon since the log was opened.
    pub fn damage(&self) -> Option<String> {
        self.inner.shared.damage().map(str::to_owned)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.inner.path)
            .finish_non_exhaustive()
    }
}

impl Inner {
    fn lock_readers(&self) -> std::sync::MutexGuard<'_, Option<mpsc::Sender<Job>>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_readers(&self) -> Option<mpsc::Sender<Job>> {
        self.lock_readers().take()
    }

    /// The file, if this store writes it.
    fn own_file(&self) -> Option<&Path> {
        self.path.as_deref().filter(|_| self.writes)
    }

    fn take_threads(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.writer = None;
        drop(self.take_readers());
        self.shared.close();
        end(self.take_threads(), self.own_file());
    }
}

/// Waits for the threads, then leaves one file behind. A second call finds no
/// threads and does nothing.
fn end(threads: Vec<JoinHandle<()>>, file: Option<&Path>) {
    let some = !threads.is_empty();
    join(threads);
    if let Some(path) = file.filter(|_| some)
        && let Err(error) = connection::tidy(path)
    {
        tracing::debug!(%error, "the event log keeps its journal beside it");
    }
}

/// A thread that panicked has nothing left to wait for; its callers got `Closed`.
fn join(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        if thread.join().is_err() {
            tracing::error!("a thread of the event log panicked");
        }
    }
}
