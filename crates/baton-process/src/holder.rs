//! The holder: a tiny process that owns one agent's pipes and outlives its owner.
//!
//! The owner starts it with [`start()`] (the same binary, a hidden subcommand that calls
//! [`holder_main`]) and attaches with [`attach()`] over a socket. The holder journals what the
//! agent writes before anybody sees it, so an owner that dies comes back with a
//! [`Position`] and misses nothing; when the holder itself is gone, `attach`
//! reads the journal from disk and gives the same events.
//!
//! Its folder holds `lock` (locked while the holder lives), `sock`, `agent`
//! (which process that is), `holder.log` (its standard error) and the journal's
//! segments. Nothing secret is written there by the holder itself: environment
//! and command line travel only through exec. A holder whose folder is removed
//! stops its agent, and an agent whose holder is killed is killed with it: it
//! would go on unasked and unheard.
//!
//! An agent that no second owner will ever take up needs no journal of what it
//! says: see [`Tie::OwnerAlone`].
//!
//! Inside, the order to read is `journal`, `wire`, `serve` and, for the owner's
//! side, `attach`.

mod agent;
mod agent_file;
mod attach;
mod dead;
mod end;
mod folder;
mod input;
mod journal;
mod lent;
mod life;
mod live;
mod main;
mod marks;
mod options;
mod owner;
mod poll;
mod read;
mod serve;
mod signals;
mod start;
mod wire;
mod writer;

use std::ops::Add;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use attach::{AttachError, HolderEvent, HolderReader, ReadError, answers, attach};
pub use end::{end, marked_below};
pub use journal::JournalError;
pub use lent::LentOutput;
pub use main::holder_main;
pub use options::{AgentFile, HolderLimits, HolderSpec, RequestMarks, Tie};
pub use start::{
    HolderError, Started, discard, files_path, is_alive, is_bare, remove, start, start_with,
};
pub use writer::{HolderWriter, LineError};

/// The environment variable by which a holder, its agent and what they started
/// are found. Its value is the holder's folder.
pub const MARKER: &str = "BATON_HOLDER";

/// A byte position in a holder's journal, 0 at its beginning.
///
/// Positions count the records' headers too, so they only grow by more than
/// the output does. The position right after byte `n` of an
/// [`HolderEvent::Output`] is `start + n`.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Position(pub u64);

impl Add<usize> for Position {
    type Output = Self;

    fn add(self, bytes: usize) -> Self {
        Self(self.0 + bytes as u64)
    }
}

fn lock_path(dir: &Path) -> PathBuf {
    dir.join("lock")
}

fn socket_path(dir: &Path) -> PathBuf {
    dir.join(SOCKET)
}

const SOCKET: &str = "sock";

/// The longest path that surely fits a socket address on every system.
const MAX_SOCKET_PATH: usize = 100;
