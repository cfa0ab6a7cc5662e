//! The held agent: its process and its pipes.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;

use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, wait};

use super::MARKER;
use crate::exit::Exit;
use crate::spec::bare_command;
use crate::tree;

#[derive(Debug)]
pub(super) struct Agent {
    pub(super) pid: Pid,
    pub(super) stdin: Option<File>,
    pub(super) stdout: Option<File>,
    pub(super) stderr: Option<File>,
    /// Its end, once seen.
    pub(super) exit: Option<Exit>,
}

impl Agent {
    /// Starts the agent with this process's own environment and working
    /// directory, which are the agent's, plus the marker. With an `output` of
    /// its own the holder does not read it.
    pub(super) fn spawn(
        program: &Path,
        args: &[OsString],
        dir: &Path,
        output: Option<OwnedFd>,
    ) -> io::Result<Self> {
        let mut command = bare_command(program);
        tree::end_with_parent(&mut command);
        let mut child = command
            .args(args)
            .env(MARKER, dir)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(output.map_or_else(Stdio::piped, Stdio::from))
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        Ok(Self {
            pid: i32::try_from(child.id())
                .ok()
                .and_then(Pid::from_raw)
                .ok_or_else(missing)?,
            stdin: Some(our_end(child.stdin.take().ok_or_else(missing)?)?),
            stdout: child.stdout.take().map(our_end).transpose()?,
            stderr: Some(our_end(child.stderr.take().ok_or_else(missing)?)?),
            exit: None,
        })
    }

    pub(super) fn signal(&self, signal: Signal) {
        // Once reaped, the number may be somebody else's.
        if self.exit.is_none() {
            tree::signal_group(self.pid, signal);
        }
    }

    pub(super) fn output_closed(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// Reaps every child that has ended, the agent and adopted orphans alike.
    /// Says whether any child is left.
    pub(super) fn reap(&mut self) -> Children {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.pid => self.exit = Some(exit(status)),
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return Children::Left,
                Err(_) => return Children::None,
            }
        }
    }
}

/// Whether anything below the holder still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Children {
    Left,
    None,
}

fn our_end(pipe: impl Into<OwnedFd>) -> io::Result<File> {
    let pipe: OwnedFd = pipe.into();
    ioctl_fionbio(&pipe, true)?;
    Ok(File::from(pipe))
}

fn exit(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Exited { code },
        (None, Some(signal)) => Exit::Signalled { signal },
        (None, None) => Exit::Lost,
    }
}
