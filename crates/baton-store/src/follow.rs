//! Catch-up, following and falling behind as one path.
//!
//! The log is the only source. The live channel says "look again" and carries
//! no event, so a slow reader costs a second read, never a gap.

use baton_protocol::{Seq, SessionId};
use tokio::sync::watch;

use crate::{error::StoreError, read::StoredEvent, store::Store};

/// A reader of one session: everything after its cursor, then what comes.
#[derive(Debug)]
pub struct Follow {
    store: Store,
    session: SessionId,
    cursor: Seq,
    /// `None` when the store was closed before.
    head: Option<watch::Receiver<Seq>>,
    /// The last read found nothing, so only a change of `head` makes another
    /// worth it. Whoever cancels often (live text does) then costs no reads.
    drained: bool,
}

impl Follow {
    /// Rows per read; a batch is bounded in bytes too.
    const BATCH: usize = 512;

    pub(crate) fn new(store: Store, session: SessionId, after: Seq) -> Self {
        // Subscribed before the first read, so no commit falls between the two.
        let head = store.shared().subscribe(session).ok();
        Self {
            store,
            session,
            cursor: after,
            head,
            drained: false,
        }
    }

    /// The number of the last event that was handed out.
    pub const fn cursor(&self) -> Seq {
        self.cursor
    }

    /// The next events, at least one; waits until there is one.
    ///
    /// Cancel-safe: the cursor moves only with the events that are returned.
    pub async fn next(&mut self) -> Result<Vec<StoredEvent>, StoreError> {
        let head = self.head.as_mut().ok_or(StoreError::Closed)?;
        loop {
            if self.drained {
                head.changed().await.map_err(|_| StoreError::Closed)?;
                self.drained = false;
            }
            // Seen before the read: a commit after this line wakes `changed`.
            head.mark_unchanged();
            let batch = self
                .store
                .read_after(self.session, self.cursor, Self::BATCH)
                .await?;
            if let Some(last) = batch.last() {
                self.cursor = last.seq;
                return Ok(batch);
            }
            self.drained = true;
        }
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        self.head = None;
        self.store.shared().unsubscribe(self.session);
    }
}
