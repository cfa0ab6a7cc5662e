//! The processes below or around another, and how to be rid of them.
//!
//! A group kill is not enough: agents start their shells in sessions of their
//! own. On Linux this module adopts orphans and walks `/proc`. Elsewhere it
//! sees nothing: groups are still killed, but a descendant that left its group
//! is neither reported nor ended.

use rustix::event::{Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::exit::LeakedProcess;

#[cfg(target_os = "linux")]
#[path = "tree/linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "tree/portable.rs"]
mod system;

pub(crate) use system::{
    adopt_orphans, close_inherited, descendants, end_with_parent, freeze, group, holding_pipe,
    locking, marked, marked_with, roots, runs, seen, still, unix_path,
};

/// More leaked processes than this are killed but not listed, so that a report
/// always fits a record.
const MAX_LISTED: usize = 32;

/// How much of a command line is kept.
const MAX_COMMAND: usize = 200;

/// Rounds of ten milliseconds; only a process stuck in the kernel outlives
/// them.
const ROUNDS: usize = 500;

/// One process, told apart from a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) pid: Pid,
    pub(crate) started: u64,
}

/// Whether somebody's process with this number runs. `started` is when it
/// started, in the system's own count (the clock ticks of Linux's
/// `/proc/PID/stat`): a later process with the same number is another one.
/// Where starts cannot be read, the number alone decides.
pub fn is_running(pid: i32, started: Option<u64>) -> bool {
    // Numbers below one name groups, never a process.
    let pid = Some(pid).filter(|pid| *pid > 0).and_then(Pid::from_raw);
    pid.is_some_and(|pid| system::lives(pid, started))
}

/// Kills what `list` finds until it finds nothing, and says what that was.
/// `between` runs after each round: a parent reaps there.
pub(crate) fn sweep(
    mut list: impl FnMut() -> Vec<Seen>,
    mut between: impl FnMut(),
) -> Vec<LeakedProcess> {
    let mut leaked = Vec::new();
    let mut known = Vec::new();
    for _ in 0..ROUNDS {
        let found = list();
        // One that is dying may have lost already what it was found by.
        if found.is_empty() && !known.iter().any(|&seen| system::runs(seen)) {
            break;
        }
        for seen in found {
            if !known.contains(&seen) {
                known.push(seen);
                if leaked.len() < MAX_LISTED {
                    leaked.push(describe(seen));
                }
            }
            system::kill(seen);
        }
        pause();
        between();
    }
    leaked
}

/// Waits ten milliseconds on a thread that has nothing else to do.
pub(crate) fn pause() {
    let time = Timespec {
        tv_sec: 0,
        tv_nsec: 10_000_000,
    };
    // An early return by a signal only makes the round shorter.
    poll(&mut [], Some(&time)).ok();
}

/// Signals the group that `leader` leads. A group that has gone is no error.
pub(crate) fn signal_group(leader: Pid, signal: Signal) {
    kill_process_group(leader, signal).ok();
}

/// A process as people are told of it.
pub(crate) fn describe(seen: Seen) -> LeakedProcess {
    let mut command = system::command(seen.pid);
    if command.len() > MAX_COMMAND {
        let end = command.floor_char_boundary(MAX_COMMAND);
        command.truncate(end);
    }
    LeakedProcess {
        pid: seen.pid.as_raw_nonzero().get(),
        command,
    }
}
