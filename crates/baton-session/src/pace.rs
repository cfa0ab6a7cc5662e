//! How far a session may run ahead of a reader that it must not overtake.
//!
//! A log in memory that is read by one parent would grow without end while that
//! parent does not read. The reader says how far it has come, and a session
//! that is too far ahead stops reading its agent, which then waits too.
//! (With a data folder the holder's journal takes what the agent says first.)

use std::collections::VecDeque;

use baton_protocol::Seq;
use tokio::sync::watch;

/// So far the reader has come; none means that nobody has to be waited for.
pub(crate) type Told = watch::Sender<Option<Seq>>;

/// A session that is this far ahead of its reader waits for it.
const MAX_EVENTS: u64 = 512;
const MAX_BYTES: usize = 8 << 20;

/// What was committed and not yet told.
#[derive(Debug)]
pub(crate) struct Pace {
    told: watch::Receiver<Option<Seq>>,
    /// The last event of each commit, and what it has added.
    ahead: VecDeque<(Seq, usize)>,
    bytes: usize,
}

impl Pace {
    pub(crate) const fn new(told: watch::Receiver<Option<Seq>>) -> Self {
        Self {
            told,
            ahead: VecDeque::new(),
            bytes: 0,
        }
    }

    pub(crate) fn committed(&mut self, last: Seq, bytes: usize) {
        if self.is_kept() {
            self.ahead.push_back((last, bytes));
            self.bytes += bytes;
        }
    }

    /// Whether there is a reader that must not be overtaken.
    pub(crate) fn is_kept(&self) -> bool {
        self.told.borrow().is_some()
    }

    /// Whether the agent has to wait for the reader.
    pub(crate) fn is_too_far(&mut self) -> bool {
        let Some(told) = *self.told.borrow_and_update() else {
            self.ahead.clear();
            self.bytes = 0;
            return false;
        };
        while let Some((last, bytes)) = self.ahead.front().copied()
            && last <= told
        {
            self.ahead.pop_front();
            self.bytes -= bytes;
        }
        let last = self.ahead.back().map_or(told, |(last, _)| *last);
        last.0.saturating_sub(told.0) > MAX_EVENTS || self.bytes > MAX_BYTES
    }

    /// Waits until the reader has come further.
    pub(crate) async fn changed(&mut self) {
        if self.told.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paced() -> (Told, Pace) {
        let (told, seen) = watch::channel(Some(Seq(0)));
        (told, Pace::new(seen))
    }

    #[test]
    fn a_session_waits_when_its_reader_has_many_events_before_it() {
        let (told, mut pace) = paced();
        for seq in 1..=MAX_EVENTS {
            pace.committed(Seq(seq), 10);
        }
        assert!(!pace.is_too_far());
        pace.committed(Seq(MAX_EVENTS + 1), 10);
        assert!(pace.is_too_far());
        told.send_replace(Some(Seq(1)));
        assert!(!pace.is_too_far());
    }

    #[test]
    fn few_large_events_are_too_many_as_well() {
        let (told, mut pace) = paced();
        pace.committed(Seq(3), MAX_BYTES + 1);
        assert!(pace.is_too_far());
        told.send_replace(Some(Seq(2)));
        assert!(pace.is_too_far(), "the commit is told with its last event");
        told.send_replace(Some(Seq(3)));
        assert!(!pace.is_too_far());
    }

    #[test]
    fn without_a_reader_to_wait_for_nothing_is_counted() {
        let (told, mut pace) = paced();
        pace.committed(Seq(3), MAX_BYTES + 1);
        told.send_replace(None);
        assert!(!pace.is_too_far());
        pace.committed(Seq(4), MAX_BYTES + 1);
        told.send_replace(Some(Seq(3)));
        assert!(!pace.is_too_far());
    }
}
