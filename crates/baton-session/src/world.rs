//! Where time and fresh ids come from: the one door through which chance enters,
//! and a crash where a test wants one.

use std::{sync::OnceLock, time::Duration};

use baton_protocol::Timestamp;
use tokio::time::Instant;
use uuid::Uuid;

/// The clock and the source of ids, given to a session by whoever runs it.
pub trait World: Send + Sync + std::fmt::Debug {
    fn now(&self) -> Timestamp;

    /// How long the computer has been awake since some moment: a clock that
    /// nobody sets and that stands still in its sleep. In a world whose wall
    /// clock is never set that clock will do.
    fn uptime(&self) -> Duration {
        self.now().since(Timestamp::from_millis(0))
    }

    /// A fresh id that sorts by time.
    fn id(&self) -> Uuid;

    /// A fresh random id, as agents want them.
    fn random_id(&self) -> Uuid;

    /// A session's task is about to do something that lasts, or has just done
    /// it. A test may end the task here, as a crash would.
    fn reaches(&self, _step: Step) {}
}

/// Something that outlasts the task that does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A commit to the log.
    Record,
    /// What follows a commit.
    Effect,
    /// The start of a process.
    Start,
    /// The first word with a process that was started.
    Attach,
    /// A line to the agent.
    Say,
    /// The removal of what a process left on disk.
    Remove,
}

/// The machine's own clock and random numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealWorld;

/// When this process first asked for the time.
static BEGAN: OnceLock<Instant> = OnceLock::new();

#[expect(
    clippy::disallowed_methods,
    reason = "this is the site that the bans on clocks and ids point to"
)]
impl World for RealWorld {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
    }

    /// The monotonic clock does not count the computer's sleep, on Linux and
    /// macOS alike.
    fn uptime(&self) -> Duration {
        BEGAN.get_or_init(Instant::now).elapsed()
    }

    fn id(&self) -> Uuid {
        Uuid::now_v7()
    }

    fn random_id(&self) -> Uuid {
        Uuid::new_v4()
    }
}
