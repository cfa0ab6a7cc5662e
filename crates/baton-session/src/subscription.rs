//! What a screen sees: every event of a session in order, and live text between.

use std::{collections::VecDeque, pin::Pin, sync::Arc, task::Poll};

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
    /// The read under way. It is kept when live text comes first, so that a
    /// piece of text costs no read of the log.
    following: Following,
    /// What it gave while events before it were still being handed out.
    read: Option<(Follow, Batch)>,
    live: LiveReader,
    cursor: Seq,
    ready: VecDeque<Item>,
}

type Batch = Result<Vec<StoredEvent>, StoreError>;
type Following = Pin<Box<dyn Future<Output = (Follow, Batch)> + Send>>;

impl Subscription {
    pub(crate) fn new(follow: Follow, live: &Arc<LiveBuffer>, cursor: Seq) -> Self {
        Self {
            following: following(follow),
            read: None,
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
            if let Some(read) = self.read.take() {
                self.events(read)?;
                self.read_ahead().await;
                continue;
            }
            // A frame that is ahead of this reader waits in the buffer until
            // the events before it came.
            let frames = self.live.take_at(self.cursor);
            self.ready.extend(frames.into_iter().map(Item::Live));
            if !self.ready.is_empty() {
                continue;
            }
            tokio::select! {
                biased;
                read = &mut self.following => {
                    self.events(read)?;
                    self.read_ahead().await;
                }
                alive = self.live.changed() => if !alive {
                    let read = (&mut self.following).await;
                    self.events(read)?;
                },
            }
        }
    }

    /// The next thing to show if it is there already.
    pub fn ready(&mut self) -> Option<Item> {
        self.ready.pop_front()
    }

    /// Begins the next read of the log while what was read is handed out.
    async fn read_ahead(&mut self) {
        let begun = std::future::poll_fn(|cx| Poll::Ready(self.following.as_mut().poll(cx)));
        if let Poll::Ready(read) = begun.await {
            self.read = Some(read);
        }
    }

    fn events(&mut self, (follow, batch): (Follow, Batch)) -> Result<(), StoreError> {
        self.following = following(follow);
        let batch = batch?;
        if let Some(last) = batch.last() {
            self.cursor = last.seq;
        }
        self.ready.extend(batch.into_iter().map(Item::Event));
        Ok(())
    }
}

fn following(mut follow: Follow) -> Following {
    Box::pin(async move {
        let batch = follow.next().await;
        (follow, batch)
    })
}

#[cfg(test)]
#[path = "subscription_tests.rs"]
mod tests;
