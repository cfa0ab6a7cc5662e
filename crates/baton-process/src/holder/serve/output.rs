//! The holder's loop, seen from the agent's side: its output and its end.

use std::io::{self, Read};
use std::time::Duration;

use rustix::process::getpid;

use super::Holder;
use crate::exit::{Exit, ExitReport, LeakedProcess};
use crate::holder::agent::Children;
use crate::holder::journal::RecordKind;
use crate::holder::life::Stage;
use crate::holder::poll::Moment;
use crate::tree;

/// Between two tries to write to a disk that refused.
const RETRY: Duration = Duration::from_secs(1);

impl Holder {
    pub(super) fn read_agent(&mut self, kind: RecordKind) -> io::Result<()> {
        if !self.may_read_agent() {
            return Ok(());
        }
        let pipe = match kind {
            RecordKind::Stdout => &mut self.agent.stdout,
            RecordKind::Stderr => &mut self.agent.stderr,
            RecordKind::Exit => return Ok(()),
        };
        let Some(file) = pipe else { return Ok(()) };
        match file.read(self.chunk.room()) {
            Ok(0) => *pipe = None,
            Ok(count) => {
                self.chunk.seal(kind, count);
                self.quiet_since = Moment::now();
                if kind == RecordKind::Stdout {
                    self.marks.output(self.chunk.payload());
                }
                self.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Whoever holds the other end of a dead agent's pipe has had its
            // time.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if matches!(self.stage, Stage::Emptying { .. }) {
                    *pipe = None;
                }
            }
            Err(_) => *pipe = None,
        }
        Ok(())
    }

    /// Journals the buffer, then shows it to an owner that has all before it.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.retry_at = None;
        match self.journal.write(&mut self.chunk) {
            Ok(()) => {}
            // Without its folder a journal can never be read again.
            Err(error) if error.kind() == io::ErrorKind::NotFound || self.folder.is_removed() => {
                return Err(error);
            }
            Err(_) => {
                self.retry_at = Some(Moment::now() + RETRY);
                return Ok(());
            }
        }
        if matches!(self.stage, Stage::Recording) {
            self.close_door();
        }
        if let Some(owner) = &mut self.owner
            && owner.send_live(self.chunk.record(), &self.journal).is_err()
        {
            self.lose_owner();
        }
        Ok(())
    }

    /// With the end on disk the folder can be read and removed without this
    /// process, so it lets go before the owner hears of the end.
    pub(super) fn close_door(&mut self) {
        self.listener = None;
        self.candidate = None;
        self.folder.leave();
    }

    /// Ends the drain when nothing is left to wait for, or when waiting could
    /// not end because the owner is too far behind to read on.
    pub(super) fn end_early(&mut self) {
        let Stage::Draining { exit, .. } = self.stage else {
            return;
        };
        let gone = self.reap() == Children::None && self.agent.output_closed();
        if gone || self.is_over_cap() {
            self.sweep(exit);
        }
    }

    pub(super) fn sweep(&mut self, exit: Exit) {
        let output_closed = self.agent.output_closed();
        let leaked = self.kill_descendants();
        self.stage = Stage::Emptying {
            report: ExitReport {
                exit,
                leaked,
                output_closed,
            },
        };
    }

    pub(super) fn kill_descendants(&mut self) -> Vec<LeakedProcess> {
        tree::sweep(
            || tree::descendants(getpid()),
            || {
                self.agent.reap();
            },
        )
    }

    pub(super) fn record_when_empty(&mut self) -> io::Result<()> {
        let Stage::Emptying { report } = &self.stage else {
            return Ok(());
        };
        if self.chunk.is_pending() {
            return Ok(());
        }
        if !self.agent.output_closed() {
            self.read_agent(RecordKind::Stdout)?;
            return self.read_agent(RecordKind::Stderr);
        }
        let record = serde_json::to_vec(report).map_err(io::Error::other)?;
        self.chunk.room()[..record.len()].copy_from_slice(&record);
        self.chunk.seal(RecordKind::Exit, record.len());
        self.stage = Stage::Recording;
        self.flush()
    }
}
