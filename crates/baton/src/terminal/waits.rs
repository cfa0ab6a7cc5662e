//! How long a turn waited for people, which is no time of the agent's.

use std::{collections::BTreeSet, time::Duration};

use baton_protocol::{ApprovalId, Event, Timestamp};

#[derive(Debug, Default)]
pub(super) struct Waits {
    open: BTreeSet<ApprovalId>,
    /// Since when something is open without a break.
    since: Option<Timestamp>,
    waited: Duration,
}

impl Waits {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "nothing else begins or ends a wait"
    )]
    pub(super) fn follow(&mut self, ts: Timestamp, event: &Event) {
        match event {
            Event::TurnStarted(_) => {
                self.waited = Duration::ZERO;
                self.since = (!self.open.is_empty()).then_some(ts);
            }
            Event::ApprovalRequested(request) => {
                self.open.insert(request.approval_id);
                self.since.get_or_insert(ts);
            }
            Event::ApprovalResolved(resolved) => {
                self.open.remove(&resolved.approval_id);
                if self.open.is_empty() {
                    self.stop(ts);
                }
            }
            Event::TurnCompleted(_) => self.stop(ts),
            _ => {}
        }
    }

    /// How long the turn waited, with the waits that overlap counted once.
    pub(super) const fn waited(&self) -> Duration {
        self.waited
    }

    fn stop(&mut self, ts: Timestamp) {
        if let Some(since) = self.since.take() {
            self.waited += ts.since(since);
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_protocol::event::{ApprovalRequested, ApprovalResolved, TurnStarted};
    use serde_json::json;

    use super::*;

    #[test]
    fn waits_that_overlap_count_once_and_none_is_of_the_next_turn() {
        let id = |last: u8| format!("apr_{last:032x}");
        let started = |turn: u32| -> TurnStarted {
            serde_json::from_value(json!({"turn": turn, "origin": "user"})).unwrap()
        };
        let asks = |last: u8| -> ApprovalRequested {
            let asked = json!({"approvalId": id(last), "kind": "tool", "toolName": "Bash",
                "input": {}, "risk": "low"});
            serde_json::from_str(&asked.to_string()).unwrap()
        };
        let settles = |last: u8| -> ApprovalResolved {
            let settled = json!({"approvalId": id(last), "decision": "allow", "by": "user"});
            serde_json::from_str(&settled.to_string()).unwrap()
        };
        let mut waits = Waits::default();
        let mut at = |second: i64, event: Event| {
            waits.follow(Timestamp::from_millis(second * 1000), &event);
            waits.waited().as_secs()
        };
        assert_eq!(at(0, started(1).into()), 0);
        assert_eq!(at(10, asks(1).into()), 0);
        assert_eq!(at(20, asks(2).into()), 0);
        assert_eq!(at(30, settles(1).into()), 0);
        assert_eq!(at(40, settles(2).into()), 30);
        assert_eq!(at(50, asks(3).into()), 30);
        assert_eq!(at(60, settles(3).into()), 40);
        assert_eq!(at(90, started(2).into()), 0);
    }
}
