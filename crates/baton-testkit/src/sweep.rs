//! Ends whole process trees, also the parts that left their group or their parent.
//!
//! Descendants that started a session of their own and were orphaned can be
//! found by nothing but what they inherited. Every sandbox has a folder of its
//! own, so its path says to which test a process belongs: in `HOME`, in the
//! mark that a holder gives its agent, or, where the environment was emptied,
//! in the command line.

use std::collections::HashSet;
use std::path::Path;

use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};

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

/// Environment variables whose path says where a process belongs.
const MARKS: [&[u8]; 2] = [b"HOME=", b"BATON_HOLDER="];

/// Kills every process that belongs to the sandbox with this root, by its
/// environment or its command line. The caller is spared whatever it names.
pub(crate) fn kill_by_root(root: &Path) {
    let root = root.as_os_str().as_encoded_bytes();
    let own = getpid();
    for _ in 0..ROUNDS {
        let found: Vec<Pid> = processes()
            .filter(|pid| *pid != own && belongs(*pid, root))
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

fn belongs(pid: Pid, root: &[u8]) -> bool {
    let words = |file: &str| {
        let path = format!("/proc/{}/{file}", pid.as_raw_nonzero());
        // Gone, or not ours to look at, and then not ours to end either.
        std::fs::read(path).unwrap_or_default()
    };
    let marked = |variable: &[u8]| {
        let value = MARKS.iter().find_map(|mark| variable.strip_prefix(*mark));
        value.is_some_and(|value| names(value, root))
    };
    names(&words("cmdline"), root) || words("environ").split(|byte| *byte == 0).any(marked)
}

/// Whether `text` has `path`, or a path below it, somewhere in it.
fn names(text: &[u8], path: &[u8]) -> bool {
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    text.windows(path.len())
        .enumerate()
        .any(|(at, window)| window == path && !text.get(at + path.len()).is_some_and(goes_on))
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
