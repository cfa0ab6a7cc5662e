//! An agent's output that its owner reads without the holder in between.
//!
//! For an agent that nobody takes over: its owner makes the pipe, the holder
//! only hands the writing end on. The holder still starts the agent, ends it,
//! keeps its standard error and tells how it ended.

use std::io;
use std::os::fd::OwnedFd;

use bytes::{Bytes, BytesMut};
use tokio::net::unix::pipe::{Receiver, pipe};

use super::Position;
use super::attach::{Held, HolderEvent, ReadError};

/// One read takes up to this much.
const READ: usize = 64 * 1024;

/// Below this much free room a new buffer is taken.
const LOW: usize = 8 * 1024;

/// So often the output goes first before the holder is looked at.
const IN_A_ROW: usize = 64;

/// The reading end of an agent's standard output.
#[derive(Debug)]
pub struct LentOutput {
    /// Gone once nothing more can come.
    pipe: Option<Receiver>,
    buffer: BytesMut,
}

impl LentOutput {
    /// The other end is the agent's, which expects a pipe that blocks.
    pub(super) fn new() -> io::Result<(Self, OwnedFd)> {
        let (writes, pipe) = pipe()?;
        let lent = Self {
            pipe: Some(pipe),
            buffer: BytesMut::new(),
        };
        Ok((lent, writes.into_blocking_fd()?))
    }

    const fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Waits until something is there or nothing can come. Cancel-safe.
    async fn ready(&self) {
        if let Some(pipe) = &self.pipe {
            // An error shows in the read that follows.
            pipe.readable().await.ok();
        }
    }

    /// What is there.
    fn take(&mut self) -> Option<Bytes> {
        let pipe = self.pipe.as_ref()?;
        if self.buffer.capacity() - self.buffer.len() < LOW {
            self.buffer.reserve(READ);
        }
        match pipe.try_read_buf(&mut self.buffer) {
            Ok(count) if count > 0 => return Some(self.buffer.split().freeze()),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Ok(_) | Err(_) => self.pipe = None,
        }
        None
    }

    /// What is there, whether the runtime has heard of it or not: after the
    /// agent's end nobody asks again.
    fn take_last(&mut self) -> Option<Bytes> {
        let mut room = vec![0; READ];
        loop {
            match rustix::io::read(self.pipe.as_ref()?, &mut room) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(count) if count > 0 => {
                    room.truncate(count);
                    return Some(room.into());
                }
                Err(rustix::io::Errno::AGAIN) => return None,
                Ok(_) | Err(_) => self.pipe = None,
            }
        }
    }
}

/// Puts an agent's output and what its holder tells into one order.
#[derive(Debug)]
pub(super) struct Lent {
    output: LentOutput,
    /// Bytes given of the output, and of what the holder told.
    given: u64,
    told: u64,
    caught_up: bool,
    /// Outputs given since the holder was last heard.
    in_a_row: usize,
    /// How it ended, while its own output is not all given.
    end: Option<Result<HolderEvent, ReadError>>,
}

impl Lent {
    pub(super) const fn new(output: LentOutput) -> Self {
        Self {
            output,
            given: 0,
            told: 0,
            caught_up: false,
            in_a_row: 0,
            end: None,
        }
    }

    /// Cancel-safe: nothing is taken before it is given or kept.
    pub(super) async fn next(&mut self, held: &mut Held) -> Result<HolderEvent, ReadError> {
        loop {
            // Reading what is there does not count by itself, and an agent that
            // always says something must not keep others waiting.
            tokio::task::coop::consume_budget().await;
            if let Some(end) = self.end.take() {
                // All who could write are gone, or were left alone on purpose:
                // only what is there counts.
                if let Some(bytes) = self.output.take_last() {
                    self.end = Some(end);
                    return Ok(self.given(bytes));
                }
                return self.close(end);
            }
            let may_come = self.caught_up && self.output.is_open();
            if may_come
                && self.in_a_row < IN_A_ROW
                && let Some(bytes) = self.output.take()
            {
                self.in_a_row += 1;
                return Ok(self.given(bytes));
            }
            self.in_a_row = 0;
            let told = tokio::select! {
                biased;
                told = held.look() => told,
                () = self.output.ready(), if may_come => continue,
            };
            match told {
                Ok(Some(event)) => {
                    let event = self.place(event);
                    if !matches!(event, HolderEvent::Exited { .. }) {
                        return Ok(event);
                    }
                    self.end = Some(Ok(event));
                }
                // What its clearing up finds is told once: nothing may cut it
                // short but whoever calls this.
                Ok(None) => match held.bury().await {
                    Ok(()) => {}
                    Err(ReadError::Replaced) => return Err(ReadError::Replaced),
                    Err(error) => self.end = Some(Err(error)),
                },
                Err(ReadError::Ended) => return Err(ReadError::Ended),
                Err(error) => self.end = Some(Err(error)),
            }
        }
    }

    fn given(&mut self, bytes: Bytes) -> HolderEvent {
        let start = Position(self.told + self.given);
        self.given += bytes.len() as u64;
        HolderEvent::Output { start, bytes }
    }

    /// Moves an event of the holder's to where it stands among all bytes.
    fn place(&mut self, event: HolderEvent) -> HolderEvent {
        let shifted = |position: Position| Position(position.0 + self.given);
        match event {
            HolderEvent::Output { start, bytes } => {
                self.told = start.0 + bytes.len() as u64;
                let start = shifted(start);
                HolderEvent::Output { start, bytes }
            }
            HolderEvent::Stderr { start, bytes } => {
                self.told = start.0 + bytes.len() as u64;
                let start = shifted(start);
                HolderEvent::Stderr { start, bytes }
            }
            HolderEvent::CaughtUp { end } => {
                self.caught_up = true;
                self.told = end.0;
                HolderEvent::CaughtUp { end: shifted(end) }
            }
            HolderEvent::Exited { report, end } => {
                self.told = end.0;
                HolderEvent::Exited { report, end }
            }
        }
    }

    fn close(&mut self, end: Result<HolderEvent, ReadError>) -> Result<HolderEvent, ReadError> {
        let was_open = self.output.is_open();
        self.output.pipe = None;
        let mut end = end?;
        if let HolderEvent::Exited { report, end } = &mut end {
            report.output_closed &= !was_open;
            *end = Position(self.told + self.given);
        }
        Ok(end)
    }
}
