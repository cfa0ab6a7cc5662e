//! Which process the agent is, for those who come after its holder.
//!
//! The marker in its environment finds every orphan that lives. One that is
//! dying has no environment any more and can take its time, and until it is
//! gone its session must not go on: so its number and its start are written
//! down too.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use crate::tree::{self, Seen};

#[derive(Serialize, Deserialize)]
struct Written {
    pid: i32,
    started: u64,
}

/// Writes it down. Where starts cannot be read there is nothing to write: a
/// number alone may be anybody's.
pub(super) fn write(dir: &Path, agent: Pid) -> io::Result<()> {
    let Some(Seen { pid, started }) = tree::seen(agent) else {
        return Ok(());
    };
    let pid = pid.as_raw_nonzero().get();
    let text = serde_json::to_vec(&Written { pid, started })?;
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path(dir))?;
    file.write_all(&text)
}

pub(super) fn read(dir: &Path) -> Option<Seen> {
    let text = fs::read(path(dir)).ok()?;
    let Written { pid, started } = serde_json::from_slice(&text).ok()?;
    // Numbers below one name groups, never a process.
    let pid = Some(pid).filter(|pid| *pid > 0).and_then(Pid::from_raw)?;
    Some(Seen { pid, started })
}

fn path(dir: &Path) -> PathBuf {
    dir.join("agent")
}
