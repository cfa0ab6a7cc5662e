//! A folder that was trusted when its process was started, and is no longer.
//!
//! An agent that is asked to end runs the hooks of its end, and those may be
//! just what nobody accepted. So such a process is not asked: it is killed with
//! all that it started, whoever wants it to end.

use std::time::Duration;

use tokio::time::Instant;

use super::{Actor, Broken};
use crate::machine::Input;

/// In a turn the folder is looked at no more often, and not for more than a
/// small part of the time.
const AT_MOST_EVERY: Duration = Duration::from_secs(1);
const SHARE: u32 = 20;
/// While a request waits for a person nothing else would make anybody look, and
/// it may wait for a night.
const WAITING_EVERY: Duration = Duration::from_secs(2);
const WAITING_SHARE: u32 = 100;

/// When the folder of a running process is looked at.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The process was started in a folder that was trusted.
    pub(super) trusted: bool,
    /// The folder is not trusted any more.
    pub(super) lost: bool,
    /// By the steady clock.
    next: Duration,
    /// The same, while a request waits.
    next_waiting: Duration,
}

impl Watch {
    /// Of a process that starts now.
    pub(super) fn begin(trusted: bool) -> Self {
        Self {
            trusted,
            ..Self::default()
        }
    }
}

impl Actor {
    /// Whether the process must go at once. Looks at the folder as it is now.
    pub(super) async fn has_lost_trust(&mut self) -> Result<bool, Broken> {
        if self.process.is_some() && self.watch.trusted && !self.watch.lost {
            self.look_at_folder().await?;
            self.heed_loss();
        }
        Ok(self.watch.lost)
    }

    /// Remembers what a look at the folder has shown.
    pub(super) fn heed_loss(&mut self) {
        self.watch.lost |= self.process.is_some() && self.watch.trusted && !self.folder.trusted;
    }

    /// In a turn, now and then.
    pub(super) async fn watch_folder(&mut self) -> Result<(), Broken> {
        let now = self.parts.world.uptime();
        if !self.watch.trusted || self.watch.lost || now < self.watch.next {
            return Ok(());
        }
        let lost = self.has_lost_trust().await?;
        let took = self.parts.world.uptime().saturating_sub(now);
        self.watch.next = now + AT_MOST_EVERY.max(took * SHARE);
        self.watch.next_waiting = now + WAITING_EVERY.max(took * WAITING_SHARE);
        if lost {
            self.step_alone(Input::Distrust).await?;
        }
        Ok(())
    }

    /// When the folder is looked at though the agent says nothing: what a person
    /// is asked about could not run any more.
    pub(super) fn watch_waiting_by(&self) -> Option<Instant> {
        let asks = self.parts.machine.facts().open.asked().next().is_some();
        let watches = self.process.is_some() && self.watch.trusted && !self.watch.lost;
        let left = || {
            let next = self.watch.next_waiting.max(self.watch.next);
            next.saturating_sub(self.parts.world.uptime())
        };
        (self.caught_up && asks && watches).then(|| Instant::now() + left())
    }

    /// Looks at it if it is time. Says whether it was.
    pub(super) async fn watch_waiting(&mut self) -> Result<bool, Broken> {
        let is_due = |due: Instant| due <= Instant::now();
        if !self.watch_waiting_by().is_some_and(is_due) {
            return Ok(false);
        }
        self.watch_folder().await?;
        Ok(true)
    }
}
