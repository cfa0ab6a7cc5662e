//! A direct child on pipes, for a caller that lives as long as the child.
//!
//! Lines go in whole and come out bounded; the exit is a value from the
//! system's wait, never inferred from the end of a pipe. Without a sub-reaper
//! of its own this sees less than the holder: descendants that left the group
//! are found when they hold the pipes, or when a stop saw them before.

mod handle;
mod pipes;

use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use rustix::process::Pid;
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use handle::{ChildHandle, StopPlan};
pub use pipes::{LineReader, LineWriter, WriteError};

use crate::spec::{SpawnError, Spec};
use handle::Probes;
use pipes::{StderrTail, keep_tail, write_lines};

/// Lines that wait for the child; when it is full the caller waits.
const WAITING_LINES: usize = 16;

/// A running child and its pipes.
#[derive(Debug)]
pub struct Child {
    pub reader: LineReader,
    pub writer: LineWriter,
    pub handle: ChildHandle,
}

impl Child {
    /// Starts a child in a process group of its own. It must be called inside
    /// a runtime.
    pub fn spawn(spec: &Spec) -> Result<Self, SpawnError> {
        let mut command = Command::from(spec.command());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| SpawnError::explain(spec, error))?;
        let system = |source| SpawnError::System {
            program: spec.program.clone(),
            source,
        };
        let missing = || system(io::Error::other("a pipe is missing"));
        let pid = child
            .id()
            .and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let pid = pid.ok_or_else(missing)?;
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let probes = Probes::new(&stdout, &stderr).map_err(system)?;

        let over = CancellationToken::new();
        let close_stdin = CancellationToken::new();
        let tail = Arc::new(Mutex::new(StderrTail::default()));
        let (lines, inbox) = mpsc::channel(WAITING_LINES);
        let mut stdin_task = JoinSet::new();
        stdin_task.spawn(write_lines(stdin, inbox, close_stdin.clone()));
        let mut stderr_task = JoinSet::new();
        stderr_task.spawn(keep_tail(stderr, Arc::clone(&tail), over.clone()));

        let reader = LineReader::new(stdout, over.clone());
        let writer = LineWriter::new(lines);
        let handle = ChildHandle {
            child,
            pid,
            probes,
            over,
            close_stdin,
            tail,
            stdin_task,
            stderr_task,
            descendants: Vec::new(),
            report: None,
        };
        Ok(Self {
            reader,
            writer,
            handle,
        })
    }

    pub fn split(self) -> (LineReader, LineWriter, ChildHandle) {
        (self.reader, self.writer, self.handle)
    }
}
