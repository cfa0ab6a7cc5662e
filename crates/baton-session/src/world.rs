//! Where time and fresh ids come from: the one door through which chance enters.

use baton_protocol::Timestamp;
use uuid::Uuid;

/// The clock and the source of ids, given to a session by whoever runs it.
pub trait World: Send + Sync + std::fmt::Debug {
    fn now(&self) -> Timestamp;

    /// A fresh id that sorts by time.
    fn id(&self) -> Uuid;

    /// A fresh random id, as agents want them.
    fn random_id(&self) -> Uuid;
}

/// The machine's own clock and random numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealWorld;

#[expect(
    clippy::disallowed_methods,
    reason = "this is the site that the bans on clocks and ids point to"
)]
impl World for RealWorld {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
    }

    fn id(&self) -> Uuid {
        Uuid::now_v7()
    }

    fn random_id(&self) -> Uuid {
        Uuid::new_v4()
    }
}
