//! Ends whole process trees, also the parts that left their group or their parent.
//!
//! Descendants that started a session of their own and were orphaned can be
//! found by nothing but what they inherited. Every sandbox has a home of its
//! own, so `HOME` in a process's environment says to which test it belongs.

use std::collections::HashSet;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// A process can fork between looking and killing; so many looks are enough in practice.
const ROUNDS: usize = 20;

/// Kills a process, its group and its descendants.
pub(crate) fn kill_tree(root: Pid) {
    for _ in 0..ROUNDS {
        let mut doomed = descendants(root);
        doomed.insert(root);
        // Errors mean that it is gone already.
        let _ = kill_process_group(root, Signal::KILL);
        for pid in &doomed {
            let _ = kill_process(*pid, Signal::KILL);
        }
        if doomed.len() == 1 {
            return;
        }
    }
}

/// Kills every process whose environment names this home.
pub(crate) fn kill_by_home(home: &Path) {
    let wanted = format!("HOME={}", home.display()).into_bytes();
    for _ in 0..ROUNDS {
        let found: Vec<Pid> = processes()
            .filter(|pid| has_variable(*pid, &wanted))
            .collect();
        if found.is_empty() {
            return;
        }
        for pid in found {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::yield_now();
    }
}

fn has_variable(pid: Pid, wanted: &[u8]) -> bool {
    let environ =
        std::fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    environ
        .split(|byte| *byte == 0)
        .any(|variable| variable == wanted)
}

fn descendants(root: Pid) -> HashSet<Pid> {
    let pairs: Vec<(Pid, Pid)> = processes()
        .filter_map(|pid| Some((pid, parent(pid)?)))
        .collect();
    let mut found = HashSet::new();
    loop {
        let before = found.len();
        for (pid, parent) in &pairs {
            if *parent == root || found.contains(parent) {
                found.insert(*pid);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Every process of the machine where `/proc` tells, else none.
fn processes() -> impl Iterator<Item = Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let raw = entry.file_name().to_str()?.parse().ok()?;
        Pid::from_raw(raw)
    })
}

fn parent(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name in parentheses may hold anything; state and parent follow the last one.
    let (_, rest) = stat.rsplit_once(')')?;
    Pid::from_raw(rest.split_whitespace().nth(1)?.parse().ok()?)
}
