//! What writer, readers and handles share: the heads that wake followers, and counters.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use baton_protocol::{Seq, SeqNo, SessionId};
use tokio::sync::watch;

use crate::{append::Committed, error::StoreError};

#[derive(Debug)]
pub(crate) struct Shared {
    /// `None` once the store is closed. Only followed sessions have an entry.
    heads: Mutex<Option<HashMap<SessionId, watch::Sender<Seq>>>>,
    all: watch::Sender<SeqNo>,
    commits: AtomicU64,
    appends: AtomicU64,
    events: AtomicU64,
    times: [AtomicU64; APPEND_BOUNDS.len() + 1],
    time_micros: AtomicU64,
    /// The first damage that a read came upon.
    damage: OnceLock<String>,
}

/// Upper bounds of the classes of how long appends take, in microseconds.
const APPEND_BOUNDS: [u64; 11] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 500_000, 2_500_000,
];

/// Counted since the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreStats {
    /// Transactions that carried appends.
    pub commits: u64,
    /// Appends committed in them.
    pub appends: u64,
    /// Events committed in them.
    pub events: u64,
}

/// How long appends took, from the call until they were on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppendTimes {
    /// How many took at most so long and longer than the bound before, the
    /// shortest first. Those that took longer than every bound are in `longer`.
    pub classes: Vec<(Duration, u64)>,
    pub longer: u64,
    /// Of all of them together.
    pub total: Duration,
}

/// What waits for the store's threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreQueues {
    pub writes: usize,
    pub reads: usize,
}

impl Shared {
    pub(crate) fn new() -> Self {
        Self {
            heads: Mutex::new(Some(HashMap::new())),
            all: watch::Sender::new(SeqNo(0)),
            commits: AtomicU64::new(0),
            appends: AtomicU64::new(0),
            events: AtomicU64::new(0),
            times: Default::default(),
            time_micros: AtomicU64::new(0),
            damage: OnceLock::new(),
        }
    }

    pub(crate) fn came_upon(&self, damage: impl FnOnce() -> String) {
        self.damage.get_or_init(damage);
    }

    pub(crate) fn damage(&self) -> Option<&str> {
        self.damage.get().map(String::as_str)
    }

    /// A receiver that changes with every later commit to `session`.
    pub(crate) fn subscribe(&self, session: SessionId) -> Result<watch::Receiver<Seq>, StoreError> {
        let mut heads = self.lock();
        let heads = heads.as_mut().ok_or(StoreError::Closed)?;
        let head = heads
            .entry(session)
            .or_insert_with(|| watch::Sender::new(Seq::START));
        Ok(head.subscribe())
    }

    pub(crate) fn subscribe_all(&self) -> watch::Receiver<SeqNo> {
        self.all.subscribe()
    }

    /// Forgets a session that nobody follows any more.
    pub(crate) fn unsubscribe(&self, session: SessionId) {
        if let Some(heads) = self.lock().as_mut()
            && heads
                .get(&session)
                .is_some_and(|head| head.receiver_count() == 0)
        {
            heads.remove(&session);
        }
    }

    /// Tells followers what is committed. Called after the commit, never before.
    pub(crate) fn publish(&self, committed: impl Iterator<Item = (SessionId, Seq)>, last: SeqNo) {
        if let Some(heads) = self.lock().as_ref() {
            for (session, head) in committed {
                if let Some(sender) = heads.get(&session) {
                    sender.send_replace(head);
                }
            }
        }
        self.publish_all(last);
    }

    pub(crate) fn publish_all(&self, last: SeqNo) {
        self.all.send_replace(last);
    }

    /// Makes followers of a removed session look again.
    pub(crate) fn wake(&self, session: SessionId) {
        if let Some(heads) = self.lock().as_ref()
            && let Some(sender) = heads.get(&session)
        {
            sender.send_modify(|_| ());
        }
    }

    /// Ends every follower that waits.
    pub(crate) fn close(&self) {
        *self.lock() = None;
    }

    pub(crate) fn count(&self, outcomes: &[Result<Committed, StoreError>]) {
        let done = outcomes.iter().flatten();
        let events = done.map(|done| done.last.next().0.saturating_sub(done.first.0));
        self.events.fetch_add(events.sum(), Ordering::Relaxed);
        let appends = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.appends
            .fetch_add(u64::try_from(appends).unwrap_or(0), Ordering::Relaxed);
    }

    pub(crate) fn stats(&self) -> StoreStats {
        StoreStats {
            commits: self.commits.load(Ordering::Relaxed),
            appends: self.appends.load(Ordering::Relaxed),
            events: self.events.load(Ordering::Relaxed),
        }
    }

    /// One append took so long.
    pub(crate) fn took(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let class = APPEND_BOUNDS.partition_point(|bound| *bound < micros);
        if let Some(count) = self.times.get(class) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.time_micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(crate) fn append_times(&self) -> AppendTimes {
        let mut counts = self.times.iter().map(|count| count.load(Ordering::Relaxed));
        let classes = APPEND_BOUNDS.iter().zip(&mut counts);
        AppendTimes {
            classes: classes
                .map(|(bound, count)| (Duration::from_micros(*bound), count))
                .collect(),
            longer: counts.next().unwrap_or(0),
            total: Duration::from_micros(self.time_micros.load(Ordering::Relaxed)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<HashMap<SessionId, watch::Sender<Seq>>>> {
        // A map of senders has no state a panic could leave half-made.
        self.heads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
