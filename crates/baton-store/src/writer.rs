//! The writer thread: the only code that changes the log.
//!
//! It takes a unit, drains what else has queued up meanwhile, commits all of it
//! in one transaction and answers each unit after the commit. There is no
//! timer: while the disk works, the next group forms by itself.

mod remove;
mod side;
mod unit;

use std::{collections::HashMap, sync::Arc};

use baton_protocol::{RunnerId, SeqNo, SessionId};
use rusqlite::{Connection, OptionalExtension};
use tokio::sync::{
    mpsc::{self, error::TryRecvError},
    oneshot,
};

pub(crate) use self::remove::Conditions;
pub use self::remove::RemovedSession;
use self::unit::{Context, Known, Staged};
use crate::{
    append::{Committed, Unit},
    checkpoint::WalKeeper,
    error::StoreError,
    reader::Job,
    rules::{self, RuleChange, RuleOutcome},
    shared::Shared,
    trust::{self, TrustRecord},
};

/// At most this many units share a transaction.
const GROUP_UNITS: usize = 512;

/// A group takes no further unit beyond this, so that a commit stays short and
/// the WAL overshoots its limit by little.
const GROUP_BYTES: usize = 4 << 20;

/// Sessions remembered between commits; forgetting one costs a read.
const KNOWN_SESSIONS: usize = 1024;

/// About fifty microseconds on an idle core.
const LOOKS: usize = 100;

/// The unit goes back with it, to be freed by the thread that made it.
type Answer = oneshot::Sender<(Result<Committed, StoreError>, Box<Unit>)>;

/// A change: short, and it carries its own way back to who asked.
pub(crate) type ChangeJob = Box<dyn FnOnce(&mut Writer) + Send>;

/// What the writer thread is asked to do.
pub(crate) enum Work {
    Append(Box<Unit>, Answer),
    Remove(
        SessionId,
        Conditions,
        oneshot::Sender<Result<Option<RemovedSession>, StoreError>>,
    ),
    /// Changes of rules outside a session: all of them or none.
    Rules(
        Vec<RuleChange>,
        oneshot::Sender<Result<Vec<RuleOutcome>, StoreError>>,
    ),
    Trust(Box<TrustRecord>, oneshot::Sender<Result<(), StoreError>>),
    /// Any other change beside the events, in a transaction of its own.
    Change(ChangeJob),
    /// Reads of a log in memory, which has this one connection.
    Read(Job),
    /// Take no more, finish what is queued.
    Close,
}

/// How a unit that fails is undone.
#[derive(Debug, Clone, Copy)]
enum Guard {
    /// With the whole transaction.
    None,
    /// By itself.
    Savepoint,
}

pub(crate) struct Writer {
    conn: Connection,
    shared: Arc<Shared>,
    wal: Option<WalKeeper>,
    runner_id: RunnerId,
    known: HashMap<SessionId, Known>,
    last_seq_no: SeqNo,
    text: String,
}

impl Writer {
    /// Takes the connection over; stores `runner_id` unless the log has one.
    pub(crate) fn new(
        conn: Connection,
        shared: Arc<Shared>,
        wal: Option<WalKeeper>,
        runner_id: RunnerId,
    ) -> Result<Self, rusqlite::Error> {
        conn.execute(
            "INSERT INTO meta (name, value) VALUES ('runner_id', ?1) ON CONFLICT DO NOTHING",
            [runner_id.to_string()],
        )?;
        let runner_id = crate::read::runner_id(&conn)?.unwrap_or(runner_id);
        let last_seq_no = last_seq_no(&conn)?;
        shared.publish_all(last_seq_no);
        Ok(Self {
            conn,
            shared,
            wal,
            runner_id,
            known: HashMap::new(),
            last_seq_no,
            text: String::new(),
        })
    }

    pub(crate) const fn runner_id(&self) -> RunnerId {
        self.runner_id
    }

    /// Runs until every handle is gone or one asked to close.
    pub(crate) fn run(mut self, mut inbox: mpsc::Receiver<Work>) {
        let mut next = inbox.blocking_recv();
        while let Some(command) = next.take() {
            match command {
                Work::Append(unit, answer) => {
                    next = self.commit_group(&mut inbox, unit, answer);
                }
                Work::Remove(session, conditions, answer) => {
                    let removed = self.remove(session, &conditions);
                    // Nobody may be waiting any more; the removal stands.
                    drop(answer.send(removed));
                }
                Work::Rules(changes, answer) => {
                    let outcomes = self.change(|conn| {
                        changes
                            .iter()
                            .map(|change| rules::change(conn, change))
                            .collect()
                    });
                    drop(answer.send(outcomes));
                }
                Work::Trust(record, answer) => {
                    let set = self.change(|conn| trust::set(conn, &record));
                    drop(answer.send(set));
                }
                Work::Change(job) => job(&mut self),
                Work::Read(job) => job(&self.conn),
                Work::Close => inbox.close(),
            }
            if next.is_none() {
                next = receive(&mut inbox);
            }
        }
    }

    /// Commits `first` and what else waits; returns a command that is no unit.
    fn commit_group(
        &mut self,
        inbox: &mut mpsc::Receiver<Work>,
        first: Box<Unit>,
        answer: Answer,
    ) -> Option<Work> {
        let mut bytes = first.bytes;
        let mut group = vec![(first, answer)];
        let mut left = None;
        while group.len() < GROUP_UNITS && bytes < GROUP_BYTES {
            match inbox.try_recv() {
                Ok(Work::Append(unit, answer)) => {
                    bytes += unit.bytes;
                    group.push((unit, answer));
                }
                Ok(other) => {
                    left = Some(other);
                    break;
                }
                Err(_) => break,
            }
        }
        let mut units: Vec<&mut Unit> = group.iter_mut().map(|(unit, _)| &mut **unit).collect();
        let outcomes = self.transact(&mut units);
        for ((unit, answer), outcome) in group.into_iter().zip(outcomes) {
            // A caller that went away does not undo its commit.
            drop(answer.send((outcome, unit)));
        }
        left
    }

    /// One outcome per unit. Units are expected to be fine: they are tried
    /// together and unguarded, because savepoints copy every page they touch.
    /// Only when that fails are they done again, each behind a savepoint, or
    /// each alone on a full disk: a large one must not take small ones with it.
    fn transact(&mut self, units: &mut [&mut Unit]) -> Vec<Result<Committed, StoreError>> {
        let first = self.try_transact(units, Guard::None);
        let again = match first {
            Err(StoreError::NoSpace { .. }) if units.len() > 1 => {
                return units
                    .iter_mut()
                    .map(|unit| {
                        self.try_transact(&mut [&mut **unit], Guard::None).and_then(
                            |mut outcomes| outcomes.pop().unwrap_or(Err(StoreError::Closed)),
                        )
                    })
                    .collect();
            }
            Err(_) if units.len() > 1 => self.try_transact(units, Guard::Savepoint),
            Ok(_) | Err(_) => first,
        };
        again.unwrap_or_else(|error| units.iter().map(|_| Err(error.clone())).collect())
    }

    /// `Err` when the transaction as a whole failed and nothing was committed.
    fn try_transact(
        &mut self,
        units: &mut [&mut Unit],
        guard: Guard,
    ) -> Result<Vec<Result<Committed, StoreError>>, StoreError> {
        self.conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut staged = Staged {
            sessions: HashMap::new(),
            last_seq_no: self.last_seq_no,
        };
        let outcomes = self
            .apply_units(units, guard, &mut staged)
            .and_then(|outcomes| {
                self.conn.prepare_cached("COMMIT")?.execute([])?;
                Ok(outcomes)
            })
            .inspect_err(|_| roll_back(&self.conn))?;
        self.committed(staged, &outcomes);
        Ok(outcomes)
    }

    fn apply_units(
        &mut self,
        units: &mut [&mut Unit],
        guard: Guard,
        staged: &mut Staged,
    ) -> Result<Vec<Result<Committed, StoreError>>, StoreError> {
        let mut context = Context {
            conn: &self.conn,
            known: &mut self.known,
        };
        let mut outcomes = Vec::with_capacity(units.len());
        for unit in units {
            let outcome = match guard {
                Guard::None => Ok(unit::apply(&mut context, staged, unit, &mut self.text)?),
                Guard::Savepoint => {
                    self.conn.prepare_cached("SAVEPOINT unit")?.execute([])?;
                    let changed_before = staged.sessions.contains_key(&unit.session);
                    let outcome = unit::apply(&mut context, staged, unit, &mut self.text);
                    if let Err(error) = &outcome {
                        // SQLite itself undoes all of it when the disk is full or fails.
                        if self.conn.is_autocommit() {
                            return Err(error.clone());
                        }
                        self.conn.prepare_cached("ROLLBACK TO unit")?.execute([])?;
                        if changed_before {
                            // What an earlier unit did to the session stands.
                            unit::stage(&mut context, staged, unit.session)?;
                        }
                    }
                    self.conn.prepare_cached("RELEASE unit")?.execute([])?;
                    outcome
                }
            };
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// A change beside the events, in a transaction of its own.
    pub(crate) fn change<T>(
        &mut self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let changed = change(&self.conn)
            .and_then(|changed| {
                self.conn.prepare_cached("COMMIT")?.execute([])?;
                Ok(changed)
            })
            .inspect_err(|_| roll_back(&self.conn))?;
        if let Some(wal) = &mut self.wal {
            wal.after_commit(&self.conn);
        }
        Ok(changed)
    }

    /// The commit is on disk: remember it and wake who waits for it.
    fn committed(&mut self, staged: Staged, outcomes: &[Result<Committed, StoreError>]) {
        if self.known.len() + staged.sessions.len() > KNOWN_SESSIONS {
            self.known.clear();
        }
        let advanced = staged.last_seq_no > self.last_seq_no;
        self.last_seq_no = staged.last_seq_no;
        if advanced {
            let heads = staged
                .sessions
                .iter()
                .map(|(session, known)| (*session, baton_protocol::Seq(known.row.event_count)));
            self.shared.publish(heads, self.last_seq_no);
        }
        self.known.extend(staged.sessions);
        self.shared.count(outcomes);
        if let Some(wal) = &mut self.wal {
            wal.after_commit(&self.conn);
        }
    }
}

/// Waits for a command. Looks for a moment before it sleeps: a session that was
/// just answered often has its next unit ready sooner than a thread wakes up.
fn receive(inbox: &mut mpsc::Receiver<Work>) -> Option<Work> {
    for _ in 0..LOOKS {
        match inbox.try_recv() {
            Ok(command) => return Some(command),
            // Who has something to do goes first.
            Err(TryRecvError::Empty) => std::thread::yield_now(),
            Err(TryRecvError::Disconnected) => return None,
        }
    }
    inbox.blocking_recv()
}

fn roll_back(conn: &Connection) {
    if conn.is_autocommit() {
        return;
    }
    if let Err(error) = conn.execute_batch("ROLLBACK") {
        tracing::warn!(%error, "cannot roll back");
    }
}

/// The highest number ever given: retention may have removed its event.
fn last_seq_no(conn: &Connection) -> Result<SeqNo, rusqlite::Error> {
    let stored: Option<u64> =
        conn.query_row("SELECT max(seq_no) FROM events", [], |row| row.get(0))?;
    let removed: Option<u64> = conn
        .query_row(
            "SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'last_seq_no'",
            [],
            |row| row.get(0),
        )
        .optional()?;
    Ok(SeqNo(stored.unwrap_or(0).max(removed.unwrap_or(0))))
}
