//! A sandbox with a daemon in it, and a way to each of its processes.

use std::{path::PathBuf, time::Duration};

use baton_testkit::{LIMIT, Running, Sandbox, Signal, bin};
use rustix::process::{Pid, kill_process};

use super::wire::Wire;

pub(super) struct House {
    // First: the daemon goes before its folders do.
    daemon: Option<Running>,
    pub(super) sandbox: Sandbox,
    claude: PathBuf,
}

/// Who is killed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Victims {
    pub(super) daemon: bool,
    pub(super) holder: bool,
    pub(super) agent: bool,
}

impl Victims {
    pub(super) const DAEMON: Self = Self {
        daemon: true,
        holder: false,
        agent: false,
    };
    pub(super) const AGENT: Self = Self {
        daemon: false,
        holder: false,
        agent: true,
    };
    /// Its agent is left without anyone to ask.
    pub(super) const HOLDER: Self = Self {
        daemon: false,
        holder: true,
        agent: false,
    };
    /// The same, and nobody is there to notice.
    pub(super) const HOLDER_AND_DAEMON: Self = Self {
        daemon: true,
        holder: true,
        agent: false,
    };
    /// As when the machine loses its power.
    pub(super) const ALL: Self = Self {
        daemon: true,
        holder: true,
        agent: true,
    };
}

impl House {
    pub(super) fn new(sandbox: Sandbox, claude: PathBuf) -> Self {
        let data = sandbox.data().display().to_string();
        let sandbox = sandbox
            .with_env("BATON_DATA_DIR", data)
            .with_env("BATON_AGENT_CLAUDE_PATH", claude.display().to_string());
        Self {
            daemon: None,
            sandbox,
            claude,
        }
    }

    /// Connects to the daemon, which is started if there is none.
    pub(super) fn connect(&mut self) -> Wire {
        let daemon = self
            .daemon
            .get_or_insert_with(|| self.sandbox.start(bin("baton"), ["serve"]));
        daemon.stdout().wait_for_text("control socket", LIMIT);
        Wire::connect(&self.sandbox.data())
    }

    /// Kills them and waits until they are gone: on a loaded machine a large
    /// process takes its time to die. An agent goes with its holder, whoever
    /// else is there.
    pub(super) fn kill(&mut self, victims: Victims) {
        // Looked up before the first blow: each may end the others. An agent
        // that is there has a holder that is there too, so it comes first.
        let agents = self.agents();
        let mut pids = Vec::new();
        if victims.holder {
            pids.extend(self.holders());
        }
        if victims.agent {
            pids.extend(&agents);
        }
        if victims.daemon {
            pids.extend(self.daemon.as_ref().map(Running::pid));
        }
        let mut doomed = pids.clone();
        if victims.holder {
            doomed.extend(agents);
        }
        let doomed: Vec<_> = doomed.iter().map(|pid| (*pid, life(*pid))).collect();
        for pid in pids.into_iter().filter_map(Pid::from_raw) {
            // One that ended by itself meanwhile is as dead.
            kill_process(pid, Signal::KILL).ok();
        }
        if victims.daemon
            && let Some(daemon) = self.daemon.take()
        {
            daemon.wait_exit(LIMIT);
        }
        self.until("the killed are gone", |_| {
            let gone =
                |(pid, before): &(i32, Option<String>)| before.is_none() || life(*pid) != *before;
            doomed.iter().all(gone)
        });
    }

    /// Waits for a daemon that was told to end.
    pub(super) fn until_stopped(&mut self) {
        if let Some(daemon) = self.daemon.take() {
            let ended = daemon.finish(LIMIT);
            ended.expect_success();
        }
    }

    /// The agents' processes: the CLI with this sandbox's home.
    pub(super) fn agents(&self) -> Vec<i32> {
        let home = format!("HOME={}", self.sandbox.home().display());
        let program = self.claude.display().to_string();
        let ours = |pid: &i32| {
            let command = read(*pid, "cmdline");
            command.first() == Some(&program) && read(*pid, "environ").contains(&home)
        };
        let found: Vec<i32> = pids().filter(ours).collect();
        // A child looks just like its parent until it becomes another program.
        let is_root = |pid: &i32| parent(*pid).is_none_or(|parent| !found.contains(&parent));
        found.iter().copied().filter(is_root).collect()
    }

    fn holders(&self) -> Vec<i32> {
        let folder = self.sandbox.data().display().to_string();
        let holds = |pid: &i32| {
            let command = read(*pid, "cmdline");
            command.iter().any(|word| word == "__holder")
                && command.iter().any(|word| word.contains(&folder))
        };
        pids().filter(holds).collect()
    }

    /// Everything that runs with this sandbox's home or folder, in words.
    pub(super) fn running(&self) -> Vec<String> {
        let root = self.sandbox.root().display().to_string();
        let ours = |pid: &i32| {
            let names = |word: &String| word.contains(&root);
            read(*pid, "cmdline").iter().any(names) || read(*pid, "environ").iter().any(names)
        };
        let own = i32::try_from(std::process::id()).unwrap();
        pids()
            .filter(|pid| *pid != own && ours(pid))
            .map(|pid| format!("{pid}: {}", read(pid, "cmdline").join(" ")))
            .collect()
    }

    /// Polls: files and foreign processes tell nobody when they change.
    pub(super) fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        for _ in 0..12_000 {
            if holds(self) {
                return;
            }
            std::thread::park_timeout(Duration::from_millis(5));
        }
        panic!("waited in vain until {what}");
    }

    /// What the tools wrote, a line each.
    pub(super) fn effects(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.sandbox.project().join("effects"));
        let text = text.unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// When a process that runs began; none once it is gone, or only waits to be
/// looked at.
fn life(pid: i32) -> Option<String> {
    let fields = stat(pid);
    let runs = !matches!(fields.first()?.as_str(), "Z" | "X");
    runs.then(|| fields.get(19).cloned()).flatten()
}

fn parent(pid: i32) -> Option<i32> {
    stat(pid).get(1)?.parse().ok()
}

/// What proc(5) tells of a process, from its state on.
fn stat(pid: i32) -> Vec<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let fields = fields.split_ascii_whitespace();
    fields.map(str::to_owned).collect()
}

/// The words of one of a process's files; none once it is gone.
fn read(pid: i32, file: &str) -> Vec<String> {
    let text = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let words = text
        .split(|byte| *byte == 0)
        .filter(|word| !word.is_empty());
    words
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}
