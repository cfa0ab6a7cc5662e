//! Linux: `/proc`, the sub-reaper, and process descriptors.

use std::fs;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, getppid, pidfd_open, pidfd_send_signal, set_child_subreaper,
    set_parent_process_death_signal,
};

use super::Seen;

/// Makes orphaned descendants children of this process instead of init's.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Lets the kernel kill the child that `command` starts when the thread that
/// starts it ends. Only for what is surely a program: with code of ours before
/// it, the exec would give anything else to a shell instead of failing.
#[expect(unsafe_code, reason = "nothing safe runs between fork and exec")]
pub(crate) fn end_with_parent(command: &mut Command) {
    if !is_surely_a_program(Path::new(command.get_program())) {
        return;
    }
    let parent = getpid();
    let arm = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // It may have ended before the child could ask for this.
        match getppid() {
            Some(now) if now == parent => Ok(()),
            _ => Err(Errno::SRCH.into()),
        }
    };
    // SAFETY: these are two plain system calls; nothing is allocated or locked.
    unsafe { command.pre_exec(arm) };
}

/// A script that names its interpreter, or of the same kind as this program.
fn is_surely_a_program(path: &Path) -> bool {
    let head = |path: &Path| {
        let mut head = Vec::new();
        fs::File::open(path)?.take(20).read_to_end(&mut head)?;
        Ok::<_, io::Error>(head)
    };
    let (Ok(found), Ok(own)) = (head(path), head(Path::new("/proc/self/exe"))) else {
        return false;
    };
    // An ELF file's magic, width and byte order, and its machine.
    let is_same = own.get(..6) == found.get(..6) && own.get(18..) == found.get(18..);
    found.starts_with(b"#!") || is_same
}

/// This process as it is told apart from a later one with its number.
pub(crate) fn seen(pid: Pid) -> Option<Seen> {
    entry(pid.as_raw_nonzero().get()).and_then(|entry| entry.running())
}

/// Closes every descriptor above standard error, so that neither this process
/// nor its children keep something of the starter's open.
///
/// Only for a process that has just begun and has opened nothing itself.
#[expect(unsafe_code, reason = "closing inherited descriptors has no safe form")]
pub(crate) fn close_inherited() {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else {
        return;
    };
    let open: Vec<RawFd> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&fd| fd > 2)
        .collect();
    for fd in open {
        // The directory that was read is in the list and closed by now.
        if fs::symlink_metadata(format!("/proc/self/fd/{fd}")).is_ok() {
            // SAFETY: the caller has opened nothing, so nobody in this process
            // owns the number.
            unsafe { rustix::io::close(fd) };
        }
    }
}

/// A path to `name` in `dir` that fits a socket address, however long `dir` is.
/// `open` is that directory and must stay open while the path is used.
pub(crate) fn unix_path(_dir: &Path, open: impl AsFd, name: &str) -> PathBuf {
    Path::new("/proc/self/fd")
        .join(open.as_fd().as_raw_fd().to_string())
        .join(name)
}

/// Everything below `root` that still runs.
pub(crate) fn descendants(root: Pid) -> Vec<Seen> {
    let all = snapshot();
    below(&all, vec![root.as_raw_nonzero().get()])
}

/// The living members of the group that `leader` led.
pub(crate) fn group(leader: Pid) -> Vec<Seen> {
    let leader = leader.as_raw_nonzero().get();
    snapshot()
        .iter()
        .filter(|entry| entry.group == leader)
        .filter_map(ProcessRow::running)
        .collect()
}

/// Everything with `marker` (`NAME=value`) in its environment, and what is
/// below that.
pub(crate) fn marked(marker: &[u8]) -> Vec<Seen> {
    let all = snapshot();
    let roots: Vec<i32> = all
        .iter()
        .map(|entry| entry.pid)
        .filter(|&pid| pid != getpid().as_raw_nonzero().get() && has_marker(pid, marker))
        .collect();
    let mut found: Vec<Seen> = all
        .iter()
        .filter(|entry| roots.contains(&entry.pid))
        .filter_map(ProcessRow::running)
        .collect();
    found.extend(below(&all, roots));
    found
}

/// What follows `prefix` in the environments that have a variable which begins
/// with it, each once.
pub(crate) fn marked_with(prefix: &[u8]) -> Vec<Vec<u8>> {
    let mut found = std::collections::BTreeSet::new();
    for entry in snapshot() {
        let environ = environ(entry.pid);
        let rest = |variable: &[u8]| variable.strip_prefix(prefix).map(<[u8]>::to_vec);
        found.extend(environ.split(|&byte| byte == 0).filter_map(rest));
    }
    found.into_iter().collect()
}

/// Those who have the file at `path` locked as a whole.
pub(crate) fn locking(path: &Path) -> Vec<Seen> {
    let (Ok(file), Ok(locks)) = (fs::metadata(path), fs::read_to_string("/proc/locks")) else {
        return Vec::new();
    };
    let own = getpid().as_raw_nonzero().get();
    let of_line = |line: &str| {
        // `1: FLOCK  ADVISORY  WRITE 4711 08:01:131072 0 EOF`
        let mut words = line.split_ascii_whitespace().skip(4);
        let pid: i32 = words.next()?.parse().ok()?;
        let inode: u64 = words.next()?.rsplit(':').next()?.parse().ok()?;
        (pid > 0 && pid != own && inode == file.ino()).then_some(pid)
    };
    // The device is told in another way by some file systems, so the
    // descriptors decide.
    let same = |meta: &fs::Metadata| (meta.dev(), meta.ino()) == (file.dev(), file.ino());
    let candidates = locks.lines().filter_map(of_line);
    candidates
        .filter(|pid| open_files(*pid).any(|path| fs::metadata(path).is_ok_and(|meta| same(&meta))))
        .filter_map(|pid| entry(pid)?.running())
        .collect()
}

/// Those of `seen` that are below none of the others.
pub(crate) fn roots(seen: &[Seen]) -> Vec<Seen> {
    let all = snapshot();
    let below = below(
        &all,
        seen.iter()
            .map(|one| one.pid.as_raw_nonzero().get())
            .collect(),
    );
    let is_root = |one: &&Seen| !below.contains(one);
    seen.iter().filter(is_root).copied().collect()
}

/// Lets a process stand still, unless its number has gone to another one since.
pub(crate) fn freeze(seen: Seen) {
    signal(seen, Signal::STOP);
}

/// Other processes that have the pipe behind `end` open.
pub(crate) fn holding_pipe(end: impl AsFd) -> Vec<Seen> {
    let Ok(stat) = rustix::fs::fstat(end) else {
        return Vec::new();
    };
    let own = getpid().as_raw_nonzero().get();
    snapshot()
        .iter()
        .filter(|entry| entry.pid != own && has_open(entry.pid, stat.st_ino))
        .filter_map(ProcessRow::running)
        .collect()
}

/// Whether this very process still runs.
pub(crate) fn runs(seen: Seen) -> bool {
    self::seen(seen.pid) == Some(seen)
}

/// Whether this process runs and, if its start is told, is the one that
/// started then.
pub(crate) fn lives(pid: Pid, started: Option<u64>) -> bool {
    seen(pid).is_some_and(|seen| started.is_none_or(|started| started == seen.started))
}

/// Those of `seen` that still run, and what is below them.
pub(crate) fn still(seen: &[Seen]) -> Vec<Seen> {
    let all = snapshot();
    let mut found: Vec<Seen> = all
        .iter()
        .filter_map(ProcessRow::running)
        .filter(|entry| seen.contains(entry))
        .collect();
    found.extend(below(
        &all,
        found
            .iter()
            .map(|seen| seen.pid.as_raw_nonzero().get())
            .collect(),
    ));
    found
}

/// Kills a process, unless its number has gone to another one since.
pub(crate) fn kill(seen: Seen) {
    signal(seen, Signal::KILL);
}

fn signal(seen: Seen, signal: Signal) {
    let Ok(pidfd) = pidfd_open(seen.pid, PidfdFlags::empty()) else {
        return;
    };
    if runs(seen) {
        pidfd_send_signal(pidfd, signal).ok();
    }
}

/// The command line, its words parted by spaces.
pub(crate) fn command(pid: Pid) -> String {
    let bytes = fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
    String::from_utf8_lossy(&bytes)
        .trim_end_matches('\0')
        .replace('\0', " ")
}

#[derive(Debug, Clone, Copy)]
struct ProcessRow {
    pid: i32,
    parent: i32,
    group: i32,
    zombie: bool,
    started: u64,
}

impl ProcessRow {
    fn running(&self) -> Option<Seen> {
        let pid = Pid::from_raw(self.pid)?;
        (!self.zombie).then_some(Seen {
            pid,
            started: self.started,
        })
    }
}

/// Everything below `roots`, but never this process and what is below it: one
/// that was started from an agent's shell must not end itself with the agent.
fn below(all: &[ProcessRow], mut roots: Vec<i32>) -> Vec<Seen> {
    let own = getpid().as_raw_nonzero().get();
    let mut found = Vec::new();
    while let Some(root) = roots.pop() {
        let children = all.iter().filter(|entry| entry.parent == root);
        for entry in children.filter(|entry| entry.pid != own) {
            roots.push(entry.pid);
            found.extend(entry.running());
        }
    }
    found
}

fn snapshot() -> Vec<ProcessRow> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|found| entry(found.file_name().to_str()?.parse().ok()?))
        .collect()
}

fn entry(pid: i32) -> Option<ProcessRow> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; the fields follow the last
    // one. They begin with the state, the third of proc(5).
    let close = memchr::memrchr(b')', &stat)?;
    let text = std::str::from_utf8(&stat[close + 1..]).ok()?;
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    Some(ProcessRow {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        zombie: matches!(*fields.first()?, "Z" | "X"),
        started: fields.get(19)?.parse().ok()?,
    })
}

fn has_marker(pid: i32, marker: &[u8]) -> bool {
    let environ = environ(pid);
    environ
        .split(|&byte| byte == 0)
        .any(|entry| entry == marker)
}

/// What a process was started with; nothing of somebody else's.
fn environ(pid: i32) -> Vec<u8> {
    fs::read(format!("/proc/{pid}/environ")).unwrap_or_default()
}

/// Paths that lead to the files a process has open.
fn open_files(pid: i32) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd"));
    entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|found| found.path())
}

fn has_open(pid: i32, inode: u64) -> bool {
    open_files(pid).any(|path| {
        fs::read_link(&path).is_ok_and(|to| to.as_os_str().as_encoded_bytes().starts_with(b"pipe:"))
            && fs::metadata(&path).is_ok_and(|meta| meta.ino() == inode)
    })
}
