//! A child's end: waiting for it, bringing it about, accounting for it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, test_kill_process_group};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::pipes::StderrTail;
use crate::exit::{Exit, ExitReport, LeakedProcess};
use crate::tree::{self, Seen};

/// How long pipes and group may outlive the child.
const DRAIN: Duration = Duration::from_secs(1);

/// Between two looks at what is left.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// How a child is ended: stdin is closed, then its group gets SIGTERM, then
/// SIGKILL, then what is left of it is swept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopPlan {
    /// How long it may take to end by itself once its stdin is closed.
    pub close_stdin_grace: Duration,
    /// How long it may take after SIGTERM.
    pub term_grace: Duration,
}

impl Default for StopPlan {
    fn default() -> Self {
        let grace = Duration::from_secs(5);
        Self {
            close_stdin_grace: grace,
            term_grace: grace,
        }
    }
}

/// Reaches a child. Dropping it kills the child's group.
#[derive(Debug)]
pub struct ChildHandle {
    pub(super) child: tokio::process::Child,
    pub(super) pid: Pid,
    pub(super) probes: Probes,
    /// Set when whoever still holds the pipes has had its time.
    pub(super) over: CancellationToken,
    pub(super) close_stdin: CancellationToken,
    pub(super) tail: Arc<Mutex<StderrTail>>,
    pub(super) stdin_task: JoinSet<()>,
    pub(super) stderr_task: JoinSet<()>,
    /// Descendants seen while stopping; without their parent they could not be
    /// found any more.
    pub(super) descendants: Vec<Seen>,
    pub(super) report: Option<ExitReport>,
}

impl ChildHandle {
    pub fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// The newest 64 KiB of standard error; after [`wait`](Self::wait), of all
    /// of it.
    pub fn stderr_tail(&self) -> Vec<u8> {
        self.tail
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .to_vec()
    }

    /// Closes stdin once the lines queued before have been written.
    pub fn close_stdin(&self) {
        self.close_stdin.cancel();
    }

    /// Signals the child's process group. Does nothing once it has ended, or
    /// for a number that is no signal.
    pub fn signal(&self, signal: i32) {
        if let Some(signal) = Signal::from_named_raw(signal) {
            self.signal_group(signal);
        }
    }

    /// Waits for the end, gives pipes and group a bounded time to follow, and
    /// sweeps what does not. It is cancel-safe, and gives the same again.
    pub async fn wait(&mut self) -> ExitReport {
        if let Some(report) = &self.report {
            return report.clone();
        }
        let exit = self.child.wait().await.map_or(Exit::Lost, Exit::from);
        let output_closed = self.settle().await;
        let leaked = if output_closed && self.nothing_left() {
            Vec::new()
        } else {
            self.sweep().await
        };
        self.over.cancel();
        while self.stderr_task.join_next().await.is_some() {}
        // It may be stuck in a pipe that a leaked process does not read.
        self.stdin_task.shutdown().await;
        let report = ExitReport {
            exit,
            leaked,
            output_closed,
        };
        self.report = Some(report.clone());
        report
    }

    /// Ends the child by the plan. Dropped halfway it can be called again, or
    /// [`wait`](Self::wait) instead.
    pub async fn stop(&mut self, plan: StopPlan) -> ExitReport {
        self.close_stdin.cancel();
        if timeout(plan.close_stdin_grace, self.child.wait())
            .await
            .is_err()
        {
            self.look_below().await;
            self.signal_group(Signal::TERM);
            if timeout(plan.term_grace, self.child.wait()).await.is_err() {
                self.look_below().await;
                self.signal_group(Signal::KILL);
            }
        }
        self.wait().await
    }

    async fn look_below(&mut self) {
        let pid = self.pid;
        let found = spawn_blocking(move || tree::descendants(pid)).await;
        self.descendants.extend(found.unwrap_or_default());
    }

    fn signal_group(&self, signal: Signal) {
        // Once reaped, the number may be somebody else's.
        if self.child.id().is_some() {
            tree::signal_group(self.pid, signal);
        }
    }

    /// Waits a bounded time for pipes to close and the group to empty. Says
    /// whether the pipes did.
    async fn settle(&self) -> bool {
        let until = Instant::now() + DRAIN;
        while Instant::now() < until && !(self.probes.closed() && self.nothing_left()) {
            sleep(LOOK_AGAIN).await;
        }
        self.probes.closed()
    }

    fn nothing_left(&self) -> bool {
        !self.descendants.iter().any(|seen| tree::runs(*seen))
            && test_kill_process_group(self.pid).is_err()
    }

    async fn sweep(&self) -> Vec<LeakedProcess> {
        let (pid, descendants) = (self.pid, self.descendants.clone());
        let Ok(probes) = self.probes.try_clone() else {
            return Vec::new();
        };
        let swept = spawn_blocking(move || {
            tree::sweep(
                || {
                    let mut found = tree::group(pid);
                    found.extend(tree::still(&descendants));
                    found.extend(probes.holders());
                    found
                },
                || (),
            )
        });
        swept.await.unwrap_or_default()
    }
}

impl Drop for ChildHandle {
    fn drop(&mut self) {
        self.signal_group(Signal::KILL);
    }
}

/// Second descriptors of the output pipes, only to see whether the other end
/// is still open, however much is unread.
#[derive(Debug)]
pub(super) struct Probes {
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl Probes {
    pub(super) fn new(stdout: impl AsFd, stderr: impl AsFd) -> io::Result<Self> {
        let stdout = stdout.as_fd().try_clone_to_owned()?;
        let stderr = stderr.as_fd().try_clone_to_owned()?;
        Ok(Self { stdout, stderr })
    }

    fn try_clone(&self) -> io::Result<Self> {
        Self::new(&self.stdout, &self.stderr)
    }

    fn closed(&self) -> bool {
        hung_up(&self.stdout) && hung_up(&self.stderr)
    }

    /// Processes that hold a pipe's other end. A process that is just being
    /// started by this one has every descriptor for a moment, so only what is
    /// seen twice counts.
    fn holders(&self) -> Vec<Seen> {
        let mut found = Vec::new();
        for pipe in [&self.stdout, &self.stderr] {
            if hung_up(pipe) {
                continue;
            }
            let before = tree::holding_pipe(pipe);
            if before.is_empty() {
                continue;
            }
            tree::pause();
            let now = tree::holding_pipe(pipe);
            found.extend(now.into_iter().filter(|seen| before.contains(seen)));
        }
        found
    }
}

fn hung_up(pipe: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(pipe, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().contains(PollFlags::HUP)
}
