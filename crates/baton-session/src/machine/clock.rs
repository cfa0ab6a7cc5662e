//! Time as a session counts it: it stands still while a person is asked.
//!
//! Events carry the wall clock, which people set and which leaps after a
//! suspend. No deadline and no duration may follow it there, or a night with
//! the lid closed would end every session at dawn. So a machine counts on a
//! clock of its own, [`super::Moment::at`]: it begins with the wall clock when
//! the session is opened, or with the log's last event if that is later, and
//! goes on from there by a clock that nobody sets and that stands still while
//! the computer sleeps. What the log says of earlier times is taken over as it
//! is; from then on every mark is kept twice, in [`super::Facts`] by the wall
//! clock for whoever opens the session next, and in [`OwnTime`] for the
//! deadlines of this one.

use std::{collections::BTreeMap, time::Duration};

use baton_protocol::{
    ApprovalId, Event, Timestamp,
    words::{SessionState, TaskStatus},
};

use super::{Facts, Phase};

/// How much time was spent waiting for people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Clock {
    stopped_at: Option<Timestamp>,
    stopped: Duration,
}

/// A moment on that clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    at: Timestamp,
    stopped: Duration,
}

impl Clock {
    fn stop(&mut self, now: Timestamp) {
        self.stopped_at.get_or_insert(now);
    }

    fn go_on(&mut self, now: Timestamp) {
        if let Some(stopped_at) = self.stopped_at.take() {
            self.stopped += now.since(stopped_at);
        }
    }

    fn mark(&self, now: Timestamp) -> Mark {
        let under_way = self.stopped_at.map(|at| now.since(at)).unwrap_or_default();
        Mark {
            at: now,
            stopped: self.stopped + under_way,
        }
    }

    /// When `limit` has passed since `mark`; never, while the clock stands still.
    fn due(&self, mark: Mark, limit: Option<Duration>) -> Option<Timestamp> {
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

/// What a session's deadlines are counted from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    clock: Clock,
    /// When it was created or last taken up again.
    alive: Option<Mark>,
    /// When it last had something to do.
    idle: Option<Mark>,
    /// When the last turn began.
    turn: Option<Mark>,
    /// When anything last happened.
    last: Option<Timestamp>,
}

/// What an event means for these times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Milestone {
    Nothing,
    TakenUp,
    TurnBegan,
    /// A turn is over, or work that went on beside it.
    WorkOver,
    Asked,
    /// The last open question has its answer.
    Answered,
}

impl Times {
    pub(super) fn pass(&mut self, at: Timestamp, milestone: Milestone) {
        self.last = self.last.max(Some(at));
        match milestone {
            Milestone::Nothing => {}
            Milestone::TakenUp => {
                self.alive = Some(self.clock.mark(at));
                self.idle = self.alive;
            }
            Milestone::TurnBegan => self.turn = Some(self.clock.mark(at)),
            Milestone::WorkOver => self.idle = Some(self.clock.mark(at)),
            Milestone::Asked => self.clock.stop(at),
            Milestone::Answered => self.clock.go_on(at),
        }
    }

    pub(super) fn turn_due(&self, limit: Option<Duration>) -> Option<Timestamp> {
        self.clock.due(self.turn?, limit)
    }

    pub(super) fn idle_due(&self, limit: Option<Duration>) -> Option<Timestamp> {
        self.clock.due(self.idle?, limit)
    }

    pub(super) fn life_due(&self, limit: Option<Duration>) -> Option<Timestamp> {
        self.clock.due(self.alive?, limit)
    }

    /// When anything last happened.
    pub const fn last(&self) -> Option<Timestamp> {
        self.last
    }
}

/// The same, and what else is measured, on the machine's own clock.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OwnTime {
    pub(super) times: Times,
    tools: BTreeMap<String, Timestamp>,
    expiries: BTreeMap<ApprovalId, Timestamp>,
}

impl OwnTime {
    pub(super) fn of(facts: &Facts) -> Self {
        let tools = facts.open.tools.iter();
        let open = facts.open.asked();
        Self {
            times: facts.times,
            tools: tools
                .map(|tool| (tool.tool_use_id.clone(), tool.started_at))
                .collect(),
            expiries: open
                .filter_map(|open| Some((open.approval_id, open.expires_at?)))
                .collect(),
        }
    }

    /// Takes an event in that was recorded at `now` by the wall clock.
    pub(super) fn pass(&mut self, now: Timestamp, at: Timestamp, facts: &Facts, event: &Event) {
        self.times.pass(at, facts.milestone(event));
        if let Event::ToolRequested(requested) = event {
            self.tools.insert(requested.tool_use_id.clone(), at);
        } else if let Event::ToolCompleted(completed) = event {
            self.tools.remove(&completed.tool_use_id);
        } else if let Event::ApprovalRequested(asked) = event {
            let expiry = asked.expires_at.map(|expiry| at.plus(expiry.since(now)));
            self.expiries
                .extend(expiry.map(|expiry| (asked.approval_id, expiry)));
        } else if let Event::ApprovalResolved(resolved) = event {
            self.expiries.remove(&resolved.approval_id);
        }
    }

    pub(super) fn expiry(&self, approval: ApprovalId) -> Option<Timestamp> {
        self.expiries.get(&approval).copied()
    }

    /// How long the last turn has taken by now, waiting included.
    pub(super) fn turn_took(&self, at: Timestamp) -> Duration {
        let began = self.times.turn.map(|began| at.since(began.at));
        began.unwrap_or_default()
    }

    pub(super) fn tool_took(&self, id: &str, at: Timestamp) -> Duration {
        let began = self.tools.get(id).map(|began| at.since(*began));
        began.unwrap_or_default()
    }
}

impl Facts {
    /// What an event means for the times of a session that stands as it does
    /// before it.
    pub(super) fn milestone(&self, event: &Event) -> Milestone {
        if matches!(event, Event::SessionCreated(_)) {
            return Milestone::TakenUp;
        }
        let comes_here = matches!(event, Event::SessionStarted(_)) && self.elsewhere.is_some();
        let resumed = matches!(event, Event::SessionState(state) if state.state != SessionState::Ended)
            && matches!(self.phase, Phase::Ended { .. });
        if comes_here || resumed {
            return Milestone::TakenUp;
        }
        if let Event::ApprovalResolved(resolved) = event {
            let mut open = self.open.asked();
            return if open.any(|open| open.approval_id != resolved.approval_id) {
                Milestone::Nothing
            } else {
                Milestone::Answered
            };
        }
        if matches!(event, Event::TurnStarted(_)) {
            Milestone::TurnBegan
        } else if matches!(event, Event::TurnCompleted(_) | Event::SubagentStopped(_))
            || matches!(event, Event::TaskUpdated(task) if task.status != TaskStatus::Running)
        {
            Milestone::WorkOver
        } else if matches!(event, Event::ApprovalRequested(_)) {
            Milestone::Asked
        } else {
            Milestone::Nothing
        }
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
