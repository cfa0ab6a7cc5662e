//! Keeps the WAL bounded without making commits wait.
//!
//! Three means, from mild to strong. A thread of its own moves committed pages
//! into the database while writing goes on (passive). At the limit the writer
//! starts the WAL over between two commits; little is left to move then, and
//! readers, whose reads are short, are waited for a moment. When nothing is
//! written for a while, the thread moves what is left, and truncates a file
//! that has grown past the limit. A smaller one is kept: writing over blocks
//! that a file has is much quicker to sync than giving it new ones.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use rusqlite::Connection;

use crate::{connection, error::OpenError};

/// SQLite's default, which every log of ours has.
pub(crate) const PAGE_BYTES: u64 = 4096;

/// When the WAL is moved into the database, in pages of 4 KiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalLimits {
    /// After every so many pages a checkpoint runs beside the writer.
    pub passive_pages: u64,
    /// From this size on the writer starts the WAL over.
    pub restart_pages: u64,
    /// Unused for this long, all of it is moved, and a file past the limit truncated.
    pub idle: Duration,
}

impl Default for WalLimits {
    fn default() -> Self {
        Self {
            passive_pages: 1_000,
            restart_pages: 2_000,
            idle: Duration::from_secs(2),
        }
    }
}

/// How long commits wait for readers when the WAL is started over.
const RESTART_WAIT: Duration = Duration::from_millis(200);

/// The writer's side.
pub(crate) struct WalKeeper {
    limits: WalLimits,
    /// How long a commit waits for another connection's lock.
    busy: Duration,
    /// Pages in the WAL, from SQLite's hook after each commit.
    pages: Arc<AtomicU64>,
    /// Held while a checkpoint runs: SQLite refuses a second one instead of waiting.
    running: Arc<Mutex<()>>,
    /// The thread has nothing to do until the next commit.
    asleep: Arc<AtomicBool>,
    nudge: SyncSender<()>,
    last: u64,
    next_passive: u64,
    next_restart: u64,
}

impl WalKeeper {
    /// Starts the thread and hooks `writer`.
    pub(crate) fn start(
        writer: &mut Connection,
        path: &Path,
        limits: WalLimits,
        busy: Duration,
    ) -> Result<(Self, JoinHandle<()>), OpenError> {
        let fail = |source| OpenError::from_sqlite(path.to_owned(), source);
        let pages = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&pages);
        writer
            .wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, count: i32| {
                seen.store(u64::try_from(count).unwrap_or(0), Ordering::Relaxed);
                Ok(())
            }))
            .map_err(fail)?;
        let running = Arc::new(Mutex::new(()));
        let asleep = Arc::new(AtomicBool::new(true));
        // One waiting nudge says as much as many: when full, the thread looks anyway.
        let (nudge, nudged) = sync_channel(1);
        let checkpointer = Checkpointer {
            conn: connection::open_checkpointer(path)?,
            pages: Arc::clone(&pages),
            running: Arc::clone(&running),
            asleep: Arc::clone(&asleep),
            limits,
            wal: wal_path(path),
        };
        let thread = std::thread::Builder::new()
            .name("baton-checkpoint".to_owned())
            .spawn(move || checkpointer.run(&nudged))
            .map_err(|source| OpenError::from_io(path.to_owned(), source))?;
        let keeper = Self {
            limits,
            busy,
            pages,
            running,
            asleep,
            nudge,
            last: 0,
            next_passive: limits.passive_pages,
            next_restart: limits.restart_pages,
        };
        Ok((keeper, thread))
    }

    pub(crate) fn after_commit(&mut self, conn: &Connection) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < std::mem::replace(&mut self.last, pages) {
            // Started over, by whomever.
            self.next_passive = self.limits.passive_pages;
            self.next_restart = self.limits.restart_pages;
        }
        let wake = self.asleep.swap(false, Ordering::AcqRel);
        if pages >= self.next_restart {
            self.restart(conn, pages);
        }
        if wake || pages >= self.next_passive {
            self.next_passive = pages + self.limits.passive_pages;
            // A full channel means that the thread is about to look.
            let _ = self.nudge.try_send(());
        }
    }

    /// Moves the rest and lets the next commit begin at the front of the file.
    fn restart(&mut self, conn: &Connection, pages: u64) {
        let guard = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = conn
            .busy_timeout(RESTART_WAIT)
            .and_then(|()| checkpoint(conn, "RESTART"));
        drop(guard);
        if let Err(error) = conn.busy_timeout(self.busy) {
            tracing::warn!(%error, "cannot set the time to wait for locks");
        }
        match outcome {
            Ok(Checkpointed::Whole) => {}
            Ok(Checkpointed::Part) => {
                // A reader outlasted the wait; try again when more has gathered.
                tracing::debug!(pages, "write-ahead log not started over: a reader holds it");
                self.next_restart = pages + (self.limits.restart_pages / 8).max(1);
            }
            Err(error) => {
                tracing::warn!(%error, "checkpoint failed");
                self.next_restart = pages + (self.limits.restart_pages / 8).max(1);
            }
        }
    }
}

struct Checkpointer {
    conn: Connection,
    pages: Arc<AtomicU64>,
    running: Arc<Mutex<()>>,
    asleep: Arc<AtomicBool>,
    limits: WalLimits,
    wal: PathBuf,
}

impl Checkpointer {
    /// Ends when the writer is gone.
    fn run(self, nudged: &Receiver<()>) {
        let mut seen = None;
        loop {
            let nudge = if self.asleep.load(Ordering::Acquire) {
                nudged.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                nudged.recv_timeout(self.limits.idle)
            };
            match nudge {
                Ok(()) => {
                    if self.pages.load(Ordering::Relaxed) >= self.limits.passive_pages {
                        self.checkpoint("PASSIVE");
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let pages = self.pages.load(Ordering::Relaxed);
                    if seen.replace(pages) == Some(pages) {
                        // Said before the attempt: a commit meanwhile clears it and nudges.
                        self.asleep.store(true, Ordering::Release);
                        let kind = if self.file_pages() > self.limits.restart_pages {
                            "TRUNCATE"
                        } else {
                            "PASSIVE"
                        };
                        if !self.checkpoint(kind) {
                            self.asleep.store(false, Ordering::Release);
                        }
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn file_pages(&self) -> u64 {
        std::fs::metadata(&self.wal).map_or(0, |file| file.len() / PAGE_BYTES)
    }

    /// Whether everything was moved.
    fn checkpoint(&self, kind: &str) -> bool {
        let guard = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = checkpoint(&self.conn, kind);
        drop(guard);
        match outcome {
            Ok(outcome) => outcome == Checkpointed::Whole,
            Err(error) => {
                tracing::warn!(%error, kind, "checkpoint failed");
                false
            }
        }
    }
}

/// Where SQLite keeps the WAL of a database.
pub(crate) fn wal_path(path: &Path) -> PathBuf {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    PathBuf::from(wal)
}

#[derive(Debug, PartialEq, Eq)]
enum Checkpointed {
    Whole,
    Part,
}

fn checkpoint(conn: &Connection, kind: &str) -> rusqlite::Result<Checkpointed> {
    let sql = format!("PRAGMA wal_checkpoint({kind})");
    let (busy, log, moved): (i64, i64, i64) =
        conn.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    if busy == 0 && log == moved {
        Ok(Checkpointed::Whole)
    } else {
        Ok(Checkpointed::Part)
    }
}
