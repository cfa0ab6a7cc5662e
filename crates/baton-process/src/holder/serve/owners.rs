//! The holder's loop, seen from its owners' side.

use std::os::unix::net::UnixListener;
use std::time::Duration;

use rustix::process::{Signal, getpid};

use super::Holder;
use crate::holder::options::Tie;
use crate::holder::owner::{Candidate, Closed, Frame, Standing};
use crate::holder::poll::{Moment, Ready};

/// A connection that has not said hello within this time is closed.
const HELLO_TIME: Duration = Duration::from_secs(5);

/// Frames of one owner in a row, before others get their turn.
const FRAMES: usize = 64;

/// Frames that are still taken of an owner who is replaced; a socket holds
/// hardly more.
const LAST_FRAMES: usize = 1024;

impl Holder {
    pub(super) fn on_connection(&mut self) {
        // One that is slow to say hello makes room; it can come again.
        self.on_hello();
        let accepted = self.listener.as_ref().map(UnixListener::accept);
        if let Some(Ok((stream, _))) = accepted {
            let candidate = Candidate::new(stream).ok();
            self.candidate = candidate.map(|candidate| (candidate, Moment::now() + HELLO_TIME));
        }
    }

    pub(super) fn on_hello(&mut self) {
        let Some((mut candidate, until)) = self.candidate.take() else {
            return;
        };
        match candidate.read() {
            Ok(None) => self.candidate = Some((candidate, until)),
            Ok(Some(hello)) => {
                let standing = Standing {
                    holder: getpid().as_raw_nonzero().get(),
                    agent: self.agent.pid.as_raw_nonzero().get(),
                    exited: self.agent.exit.is_some(),
                };
                if let Ok(owner) = candidate.answer(hello, &self.journal, standing) {
                    // What the one before had sent whole still counts. It is
                    // closed by this, which tells it.
                    self.obey_owner(LAST_FRAMES).ok();
                    self.owner = Some(owner);
                    self.owner_by = None;
                }
            }
            Err(Closed) => {}
        }
    }

    pub(super) fn on_owner(&mut self, ready: Ready) {
        let result = self.serve_owner(ready);
        // A connection that ended while it may not be read would wake the
        // loop for ever; what it still had to say cannot be taken.
        let stuck = ready.hung_up && !ready.readable && !ready.writable;
        if result.is_err() || stuck {
            self.lose_owner();
        }
    }

    pub(super) fn serve_owner(&mut self, ready: Ready) -> Result<(), Closed> {
        if ready.writable
            && let Some(owner) = &mut self.owner
        {
            // A gone reader may still have sent something, so reading decides.
            let sent = owner.catch_up(&self.journal);
            if !ready.readable {
                sent?;
            }
        }
        if ready.readable {
            self.obey_owner(FRAMES)?;
        }
        Ok(())
    }

    pub(super) fn obey_owner(&mut self, most: usize) -> Result<(), Closed> {
        for _ in 0..most {
            let Some(owner) = &mut self.owner else { break };
            let Some(frame) = owner.read(&self.input)? else {
                break;
            };
            self.obey(frame);
        }
        Ok(())
    }

    pub(super) fn obey(&mut self, frame: Frame) {
        match frame {
            Frame::Line(line) => {
                if self.agent.stdin.is_some() {
                    self.marks.input(&line);
                    self.input.push(line);
                    self.write_stdin();
                }
            }
            Frame::CloseStdin => self.close_stdin(),
            Frame::Signal(number) => {
                if let Some(signal) = Signal::from_named_raw(number) {
                    self.agent.signal(signal);
                }
            }
            Frame::Stop { milliseconds } => self.stop(Duration::from_millis(milliseconds)),
            Frame::Commit(position) => self.commit(position),
            Frame::Free => self.free(),
        }
    }

    /// An owner that reads the output itself counts it with the rest, so its
    /// position says only that it has what it was sent.
    fn commit(&mut self, position: u64) {
        let sent = match (&self.owner, self.options.tie) {
            (Some(owner), Tie::OwnerAlone) => owner.sent(),
            _ => u64::MAX,
        };
        self.journal.commit(position.min(sent));
    }

    /// One whose output is in no journal stays with its owner: nobody else could
    /// take it up.
    fn free(&mut self) {
        if self.options.tie == Tie::Owner {
            self.options.tie = Tie::Free;
        }
    }

    pub(super) fn lose_owner(&mut self) {
        self.owner = None;
        self.quiet_since = Moment::now();
        if self.options.tie != Tie::Free {
            self.stop(self.options.limits.stop_grace);
        }
    }
}
