//! What writer, readers and handles share: the heads that wake followers, and counters.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
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
}

/// Counted since the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreStats {
    /// Transactions that carried appends.
    pub commits: u64,
    /// Appends committed in them.
    pub appends: u64,
}

impl Shared {
    pub(crate) fn new() -> Self {
        Self {
            heads: Mutex::new(Some(HashMap::new())),
            all: watch::Sender::new(SeqNo(0)),
            commits: AtomicU64::new(0),
            appends: AtomicU64::new(0),
        }
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
        let appends = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.appends
            .fetch_add(u64::try_from(appends).unwrap_or(0), Ordering::Relaxed);
    }

    pub(crate) fn stats(&self) -> StoreStats {
        StoreStats {
            commits: self.commits.load(Ordering::Relaxed),
            appends: self.appends.load(Ordering::Relaxed),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<HashMap<SessionId, watch::Sender<Seq>>>> {
        // A map of senders has no state a panic could leave half-made.
        self.heads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
