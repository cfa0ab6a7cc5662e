//! Ends a holder from outside, with its agent and all that they started.
//!
//! Nothing in the folder is needed for it: whoever belongs to the folder has
//! its path in the environment. The `lock` and the `agent` file find what
//! carries no marker, where they are still there.

use std::path::{Path, PathBuf};

use tokio::task::spawn_blocking;

use super::start::{HolderError, is_alive};
use super::{MARKER, agent_file, lock_path};
use crate::exit::LeakedProcess;
use crate::tree::{self, Seen};

/// Sweeps after the first one for an agent that does not die.
const PATIENCE: usize = 5;

/// Ends the holder of `dir` if it lives, its agent, and everything below them,
/// whatever is left of the folder. Says what that was.
///
/// When it fails, something of it still runs and nobody else may be started in
/// its place.
pub async fn end(dir: &Path) -> Result<Vec<LeakedProcess>, HolderError> {
    let dir = dir.to_owned();
    let swept = spawn_blocking({
        let dir = dir.clone();
        move || sweep(&dir)
    });
    // It has no way to fail but a panic.
    let Ok(Swept { ended, left }) = swept.await else {
        return Err(HolderError::StillRunning { dir });
    };
    match left.first() {
        Some(left) => Err(HolderError::Undying {
            dir,
            pid: left.pid,
            command: left.command.clone(),
        }),
        None if is_alive(&dir) => Err(HolderError::StillRunning { dir }),
        None => Ok(ended),
    }
}

/// The folders whose marker a running process carries, below `parent`.
pub async fn marked_below(parent: &Path) -> Vec<PathBuf> {
    let mut prefix = marker(&true_path(parent));
    prefix.push(b'/');
    let parent = parent.to_owned();
    let found = spawn_blocking(move || tree::marked_with(&prefix)).await;
    let names = found.unwrap_or_default();
    let names = names
        .iter()
        .filter_map(|rest| std::str::from_utf8(rest).ok());
    let names = names.filter(|name| !name.is_empty() && !name.contains('/'));
    names.map(|name| parent.join(name)).collect()
}

/// What a sweep came to.
#[derive(Debug, Default)]
pub(super) struct Swept {
    pub(super) ended: Vec<LeakedProcess>,
    /// The agent, or what carries the marker, and still runs.
    pub(super) left: Vec<LeakedProcess>,
}

/// Ends what belongs to `dir`; see [`end`]. Blocks, for seconds at worst.
pub(super) fn sweep(dir: &Path) -> Swept {
    let dir = true_path(dir);
    let marker = marker(&dir);
    let agent = agent_file::read(&dir);
    let own = || {
        let mut found = tree::marked(&marker);
        found.extend(tree::locking(&lock_path(&dir)));
        found.extend(tree::still(agent.as_slice()));
        found
    };
    let first = own();
    if first.is_empty() {
        return Swept::default();
    }
    // A holder adopts what its descendants leave behind, as long as it is
    // there and even while it stands still. So it is stopped and goes last:
    // what has neither marker nor parent any more does not slip away.
    let roots = tree::roots(&first);
    for root in &roots {
        tree::freeze(*root);
    }
    let below = || -> Vec<Seen> {
        let found = tree::still(&roots).into_iter();
        found.filter(|seen| !roots.contains(seen)).collect()
    };
    let mut ended = tree::sweep(below, || ());
    ended.extend(tree::sweep(own, || ()));
    // The session goes on after this, so the agent must be gone: a large
    // process takes its time to die on a busy machine.
    for _ in 0..PATIENCE {
        if tree::still(agent.as_slice()).is_empty() {
            break;
        }
        ended.extend(tree::sweep(own, || ()));
    }
    let left = own().into_iter().map(tree::describe).collect();
    Swept { ended, left }
}

fn marker(dir: &Path) -> Vec<u8> {
    let mut marker = Vec::from(MARKER);
    marker.push(b'=');
    marker.extend_from_slice(dir.as_os_str().as_encoded_bytes());
    marker
}

/// The one path that a marker has, of a folder that may be gone.
fn true_path(dir: &Path) -> PathBuf {
    let of_parent = || {
        let parent = dir.parent()?.canonicalize().ok()?;
        Some(parent.join(dir.file_name()?))
    };
    let found = dir.canonicalize().ok().or_else(of_parent);
    found.unwrap_or_else(|| dir.to_owned())
}
