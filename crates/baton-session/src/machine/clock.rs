//! Time as a session counts it: it stands still while a person is asked.

use std::time::Duration;

use baton_protocol::Timestamp;

/// How much time was spent waiting for people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    stopped_at: Option<Timestamp>,
    stopped: Duration,
}

/// A moment on that clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    at: Timestamp,
    stopped: Duration,
}

impl Clock {
    pub(super) fn stop(&mut self, now: Timestamp) {
        self.stopped_at.get_or_insert(now);
    }

    pub(super) fn go_on(&mut self, now: Timestamp) {
        if let Some(stopped_at) = self.stopped_at.take() {
            self.stopped += now.since(stopped_at);
        }
    }

    pub(super) fn mark(&self, now: Timestamp) -> Mark {
        let under_way = self.stopped_at.map(|at| now.since(at)).unwrap_or_default();
        Mark {
            at: now,
            stopped: self.stopped + under_way,
        }
    }

    /// When `limit` has passed since `mark`; never, while the clock stands still.
    pub(super) fn due(&self, mark: Mark, limit: Option<Duration>) -> Option<Timestamp> {
        let limit = limit?;
        if self.stopped_at.is_some() {
            return None;
        }
        Some(
            mark.at
                .plus(limit + self.stopped.saturating_sub(mark.stopped)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    #[test]
    fn time_spent_waiting_does_not_count() {
        let limit = Some(Duration::from_secs(10));
        let mut clock = Clock::default();
        let mark = clock.mark(at(100));
        assert_eq!(clock.due(mark, limit), Some(at(110)));
        clock.stop(at(105));
        assert_eq!(clock.due(mark, limit), None);
        let inside = clock.mark(at(110));
        clock.go_on(at(125));
        assert_eq!(clock.due(mark, limit), Some(at(130)));
        assert_eq!(clock.due(inside, limit), Some(at(135)));
        assert_eq!(clock.due(mark, None), None);
    }
}
