//! What a screen sees: every event of a session in order, and live text between.

use std::{collections::VecDeque, sync::Arc};

use baton_protocol::{LiveFrame, Seq};
use baton_store::{Follow, StoreError, StoredEvent};

use crate::live::{LiveBuffer, LiveReader};

/// One thing to show.
#[derive(Debug)]
pub enum Item {
    Event(StoredEvent),
    Live(LiveFrame),
}

/// A reader of one session: the log from a cursor on, then live.
///
/// The log is the only source of events; live frames come only once the
/// reader has every event they follow.
pub struct Subscription {
    follow: Follow,
    live: LiveReader,
    cursor: Seq,
    ready: VecDeque<Item>,
}

impl Subscription {
    pub(crate) fn new(follow: Follow, live: &Arc<LiveBuffer>, cursor: Seq) -> Self {
        Self {
            follow,
            live: live.reader(),
            cursor,
            ready: VecDeque::new(),
        }
    }

    /// The next thing to show. Cancel-safe.
    ///
    /// # Errors
    /// When the log is closed or cannot be read.
    pub async fn next(&mut self) -> Result<Item, StoreError> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(item);
            }
            let after = self.live.after();
            if after == self.cursor {
                self.ready
                    .extend(self.live.take().into_iter().map(Item::Live));
                if !self.ready.is_empty() {
                    continue;
                }
            }
            // Behind, or nothing live: events first. A frame that is ahead of
            // this reader waits in the buffer until the events before it came.
            tokio::select! {
                biased;
                batch = self.follow.next() => self.events(batch?),
                alive = self.live.changed() => if !alive {
                    let batch = self.follow.next().await?;
                    self.events(batch);
                },
            }
        }
    }

    fn events(&mut self, batch: Vec<StoredEvent>) {
        if let Some(last) = batch.last() {
            self.cursor = last.seq;
        }
        self.ready.extend(batch.into_iter().map(Item::Event));
    }
}
