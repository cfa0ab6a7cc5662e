//! Systems without `/proc` and a sub-reaper: nothing is seen beyond the group.

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Pid;

use super::Seen;

pub(crate) fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Nothing tells a child of its parent's end here; the agent finds its stdin
/// closed.
pub(crate) fn end_with_parent(_command: &mut Command) {}

/// Without a start one process cannot be told from a later one.
pub(crate) fn seen(_pid: Pid) -> Option<Seen> {
    None
}

/// Descriptors opened by Rust code are closed on exec anyway; what a foreign
/// starter leaked in stays open here.
pub(crate) fn close_inherited() {}

/// There is no way around the address limit, so a long path fails to bind.
pub(crate) fn unix_path(dir: &Path, _open: impl AsFd, name: &str) -> PathBuf {
    dir.join(name)
}

pub(crate) fn descendants(_root: Pid) -> Vec<Seen> {
    Vec::new()
}

pub(crate) fn group(_leader: Pid) -> Vec<Seen> {
    Vec::new()
}

pub(crate) fn marked(_marker: &[u8]) -> Vec<Seen> {
    Vec::new()
}

pub(crate) fn marked_with(_prefix: &[u8]) -> Vec<Vec<u8>> {
    Vec::new()
}

pub(crate) fn locking(_path: &Path) -> Vec<Seen> {
    Vec::new()
}

pub(crate) fn roots(_seen: &[Seen]) -> Vec<Seen> {
    Vec::new()
}

pub(crate) fn freeze(_seen: Seen) {}

pub(crate) fn holding_pipe(_end: impl AsFd) -> Vec<Seen> {
    Vec::new()
}

pub(crate) fn runs(_seen: Seen) -> bool {
    false
}

/// Starts cannot be compared here: whoever has the number counts.
pub(crate) fn lives(pid: Pid, _started: Option<u64>) -> bool {
    match rustix::process::test_kill_process(pid) {
        Ok(()) => true,
        // Somebody else's process is one all the same.
        Err(error) => error == rustix::io::Errno::PERM,
    }
}

pub(crate) fn still(_seen: &[Seen]) -> Vec<Seen> {
    Vec::new()
}

pub(crate) fn kill(_seen: Seen) {}

pub(crate) fn command(_pid: Pid) -> String {
    String::new()
}
