//! A bug in Baton, for tests: only in builds with debug assertions, and only
//! where a variable asks for it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use baton_protocol::Timestamp;
use baton_session::{RealWorld, Step, World};
use uuid::Uuid;

/// `conversation`: the loop that speaks with the parent panics when it next
/// looks at the clock. `session:N`: the session's task panics at its N-th word
/// to the agent.
pub(super) const VARIABLE: &str = "BATON_TEST_PANIC";

pub(super) fn world(part: &str, wanted: &str) -> Arc<dyn World> {
    let (name, at) = wanted.split_once(':').unwrap_or((wanted, ""));
    if name != part {
        return Arc::new(RealWorld);
    }
    Arc::new(Troubled {
        says: at.parse().ok(),
        said: AtomicUsize::new(0),
    })
}

#[derive(Debug)]
struct Troubled {
    /// Panics at this word; without one, at the first look at the clock.
    says: Option<usize>,
    said: AtomicUsize,
}

impl World for Troubled {
    fn now(&self) -> Timestamp {
        assert!(self.says.is_some(), "a panic that a test asked for");
        RealWorld.now()
    }

    fn uptime(&self) -> std::time::Duration {
        RealWorld.uptime()
    }

    fn id(&self) -> Uuid {
        RealWorld.id()
    }

    fn random_id(&self) -> Uuid {
        RealWorld.random_id()
    }

    fn reaches(&self, step: Step) {
        if step == Step::Say {
            let said = self.said.fetch_add(1, Ordering::Relaxed) + 1;
            assert!(self.says != Some(said), "a panic that a test asked for");
        }
    }
}
