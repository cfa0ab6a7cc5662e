//! Runs a small tool to its end: a version query, a git command.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::{Instant, sleep_until};

use crate::exit::Exit;
use crate::spec::{SpawnError, Spec};
use crate::tree;

/// How long the pipes may outlive the tool.
const DRAIN: Duration = Duration::from_millis(500);

/// What a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    pub time: Duration,
    /// Of each of the two outputs; what is beyond is read and dropped.
    pub output_bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            output_bytes: 1024 * 1024,
        }
    }
}

/// What a run gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutput {
    pub exit: Exit,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Some output was beyond the limit, or somebody still held a pipe.
    pub truncated: bool,
}

/// A run that did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("tool could not be started")]
    Spawn(#[from] SpawnError),
    #[error("tool did not end within {limit:?}")]
    TimedOut { limit: Duration },
    #[error("tool could not be waited for")]
    Wait(#[source] io::Error),
}

/// Runs to the end with an empty standard input. When the time is over, or the
/// call is dropped, the tool's group is killed.
pub async fn run_to_end(spec: &Spec, limits: RunLimits) -> Result<RunOutput, RunError> {
    let mut command = Command::from(spec.command());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|error| SpawnError::explain(spec, error))?;
    let mut guard = KillGroup(
        child
            .id()
            .and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)),
    );
    let mut stdout = Capture::new(child.stdout.take(), limits.output_bytes);
    let mut stderr = Capture::new(child.stderr.take(), limits.output_bytes);
    let mut exit = None;
    let mut until = Instant::now() + limits.time;
    while exit.is_none() || stdout.pipe.is_some() || stderr.pipe.is_some() {
        tokio::select! {
            status = child.wait(), if exit.is_none() => {
                exit = Some(Exit::from(status.map_err(RunError::Wait)?));
                until = until.min(Instant::now() + DRAIN);
            }
            () = stdout.read(), if stdout.pipe.is_some() => {}
            () = stderr.read(), if stderr.pipe.is_some() => {}
            () = sleep_until(until) => break,
        }
    }
    let Some(exit) = exit else {
        return Err(RunError::TimedOut { limit: limits.time });
    };
    let held = stdout.pipe.is_some() || stderr.pipe.is_some();
    if !held {
        // The number may be free by now.
        guard.0 = None;
    }
    Ok(RunOutput {
        exit,
        truncated: held || stdout.truncated || stderr.truncated,
        stdout: stdout.bytes,
        stderr: stderr.bytes,
    })
}

/// Kills the group of a tool that has not ended or has left something behind,
/// also when the run is dropped.
struct KillGroup(Option<Pid>);

impl Drop for KillGroup {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            tree::signal_group(pid, Signal::KILL);
        }
    }
}

struct Capture<P> {
    pipe: Option<P>,
    bytes: Vec<u8>,
    limit: usize,
    truncated: bool,
    buffer: Vec<u8>,
}

impl<P: AsyncRead + Unpin> Capture<P> {
    fn new(pipe: Option<P>, limit: usize) -> Self {
        Self {
            pipe,
            bytes: Vec::new(),
            limit,
            truncated: false,
            buffer: vec![0; 8 * 1024],
        }
    }

    /// One read; it is cancel-safe.
    async fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(&mut self.buffer).await {
            Ok(count) if count > 0 => {
                let room = (self.limit - self.bytes.len()).min(count);
                self.bytes.extend_from_slice(&self.buffer[..room]);
                self.truncated |= room < count;
            }
            _ => self.pipe = None,
        }
    }
}
