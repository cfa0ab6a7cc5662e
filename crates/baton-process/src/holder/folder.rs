//! The holder's hold on its folder: the lock, and whether it is still there.
//!
//! A folder that was removed can be found by no owner any more, so an agent
//! below it would run for nobody. The lock's own link count tells: it costs one
//! call without a path, and neither a folder that was moved nor a new one of
//! the same name deceives it.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use super::poll::{Moment, after};
use super::socket_path;

/// However much there is to do, it looks no more often.
const MOST_OFTEN: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Folder {
    dir: PathBuf,
    /// Locked while the holder lives.
    lock: Option<File>,
    /// It looks this often while there is nothing else to do.
    every: Duration,
    looked_at: Moment,
    removed: bool,
}

impl Folder {
    pub(super) fn new(dir: PathBuf, lock: File, every: Duration, now: Moment) -> Self {
        Self {
            dir,
            lock: Some(lock),
            every,
            looked_at: now,
            removed: false,
        }
    }

    /// When to look again, unless that has become pointless.
    pub(super) fn look_by(&self) -> Option<Moment> {
        let looks = self.lock.is_some() && !self.removed;
        looks.then(|| after(self.looked_at, self.every))
    }

    /// Looks if it is time. True once, when the folder is found removed.
    pub(super) fn is_newly_removed(&mut self, now: Moment) -> bool {
        let Some(lock) = self.lock.as_ref().filter(|_| !self.removed) else {
            return false;
        };
        if now < after(self.looked_at, self.every.min(MOST_OFTEN)) {
            return false;
        }
        self.looked_at = now;
        self.removed = lock.metadata().is_ok_and(|lock| lock.nlink() == 0);
        self.removed
    }

    pub(super) fn is_removed(&self) -> bool {
        self.removed
    }

    /// Lets go of the folder, so that it can be read and removed without this
    /// process.
    pub(super) fn leave(&mut self) {
        // After a removal the name may be another holder's.
        if !self.removed {
            fs::remove_file(socket_path(&self.dir)).ok();
        }
        self.lock = None;
    }
}
