//! Room on the disk that is kept for the day it is full.
//!
//! To open the log, to record that a session was stopped or to remove one all
//! take a little room. It is kept in a file that is given up then, and made
//! anew as soon as there is room again; until then no turn begins, so that it
//! is there for those who free something.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// Enough to open a log and for some dozen commits.
const BYTES: usize = 512 * 1024;

#[derive(Debug, Clone)]
pub struct Spare(PathBuf);

/// Whether the room is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Kept,
    /// It was given up, and the disk is full still.
    Spent,
}

impl Spare {
    /// The one of a data folder.
    pub fn of(data: &Path) -> Self {
        Self(data.join("spare"))
    }

    /// Gives the room up. Says whether there was any.
    pub fn give_up(&self) -> bool {
        let given = fs::remove_file(&self.0).is_ok();
        if given {
            tracing::warn!("the disk is full; the room that was kept for that is used");
        }
        given
    }

    /// Makes it anew if it is gone.
    pub fn keep(&self) -> Room {
        if self.0.exists() {
            return Room::Kept;
        }
        match self.fill() {
            Ok(()) => Room::Kept,
            Err(error) => {
                fs::remove_file(&self.0).ok();
                // A folder that cannot be written has other ways to say so.
                if is_full(&error) {
                    Room::Spent
                } else {
                    Room::Kept
                }
            }
        }
    }

    fn fill(&self) -> io::Result<()> {
        let mut open = OpenOptions::new();
        open.write(true).create_new(true).mode(0o600);
        let mut file = open.open(&self.0)?;
        // Not zeros, which a file system may leave out.
        file.write_all(&vec![0xb5; BYTES])
    }
}

/// Whether there is no room left on the disk.
pub fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}
