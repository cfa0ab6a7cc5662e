//! The owner's words to the holder.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::net::unix::OwnedWriteHalf;
use tokio::time::timeout;

use super::Position;
use super::wire::{Ask, frame_header};
use crate::lines::MAX_LINE;

/// A stop that the holder does not take within this time is signalled.
const STOP_TAKEN: Duration = Duration::from_secs(1);

/// A buffer larger than this is given back once it is empty.
const KEEP: usize = 64 * 1024;

/// Something that is not one line an agent can take.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LineError {
    #[error("line of {bytes} bytes is longer than {MAX_LINE}")]
    TooLong { bytes: usize },
    #[error("line contains a newline")]
    InnerNewline,
}

/// Speaks to a holder and, through it, to its agent.
///
/// Nothing here fails because agent or holder have gone; the reader tells
/// that. A call dropped halfway does not cut a frame: the rest goes out with
/// the next call, so a line is given whole or, when no call follows, not at
/// all.
#[derive(Debug)]
pub struct HolderWriter {
    link: Option<HolderStream>,
    /// Frames not yet taken by the socket, from `sent` on. It is bounded by
    /// the caller: each call waits until the socket has everything.
    pending: Vec<u8>,
    sent: usize,
}

#[derive(Debug)]
struct HolderStream {
    stream: OwnedWriteHalf,
    holder: i32,
    agent: i32,
}

impl HolderWriter {
    pub(super) fn new(stream: OwnedWriteHalf, holder: i32, agent: i32) -> Self {
        let link = Some(HolderStream {
            stream,
            holder,
            agent,
        });
        Self {
            link,
            pending: Vec::new(),
            sent: 0,
        }
    }

    pub(super) fn gone() -> Self {
        Self {
            link: None,
            pending: Vec::new(),
            sent: 0,
        }
    }

    /// The agent's process, while its holder lives.
    pub fn agent_pid(&self) -> Option<i32> {
        self.link.as_ref().map(|link| link.agent)
    }

    /// The holder's process, while it lives.
    pub fn holder_pid(&self) -> Option<i32> {
        self.link.as_ref().map(|link| link.holder)
    }

    /// Gives the agent one line, without its newline. Resolves when the holder
    /// has it or is gone; waits while the agent has too much unread.
    pub async fn line(&mut self, line: &[u8]) -> Result<(), LineError> {
        if line.len() > MAX_LINE {
            return Err(LineError::TooLong { bytes: line.len() });
        }
        if memchr::memchr(b'\n', line).is_some() {
            return Err(LineError::InnerNewline);
        }
        self.push(Ask::Line, line);
        self.flush().await;
        Ok(())
    }

    /// Closes the agent's stdin once it has taken all lines before.
    pub async fn close_stdin(&mut self) {
        self.push(Ask::CloseStdin, &[]);
        self.flush().await;
    }

    /// Signals the agent's process group.
    pub async fn signal(&mut self, signal: i32) {
        self.push(Ask::Signal, &signal.to_le_bytes());
        self.flush().await;
    }

    /// Ends the agent: closes its stdin, after `grace` sends SIGTERM, after
    /// another `grace` SIGKILL. Resolves when the holder knows; the reader
    /// tells when it is done. A second, shorter stop hurries the first.
    pub async fn stop(&mut self, grace: Duration) {
        let milliseconds = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        self.push(Ask::Stop, &milliseconds.to_le_bytes());
        if timeout(STOP_TAKEN, self.flush()).await.is_err()
            && let Some(holder) = self.holder_pid().and_then(Pid::from_raw)
        {
            // Lines before this wait for an agent that does not read. The
            // holder hears a signal all the same, and takes its own grace.
            kill_process(holder, Signal::TERM).ok();
        }
    }

    /// Sends the agent SIGTERM right away, for one that must not be let finish.
    /// [`stop`](Self::stop) sees to it that it ends.
    pub fn terminate(&self) {
        if let Some(agent) = self.agent_pid().and_then(Pid::from_raw) {
            kill_process(agent, Signal::TERM).ok();
        }
    }

    /// Kills the agent and its process group right away, for one that must not
    /// even hear that it ends. [`stop`](Self::stop) sees to what is left of it.
    pub fn kill(&self) {
        if let Some(agent) = self.agent_pid().and_then(Pid::from_raw) {
            kill_process_group(agent, Signal::KILL).ok();
            kill_process(agent, Signal::KILL).ok();
        }
    }

    /// Says that everything before `position` has been dealt with for good.
    pub async fn commit(&mut self, position: Position) {
        self.push(Ask::Commit, &position.0.to_le_bytes());
        self.flush().await;
    }

    /// Lets an agent that was tied to its owner go on without one from now on.
    pub async fn free(&mut self) {
        self.push(Ask::Free, &[]);
        self.flush().await;
    }

    fn push(&mut self, ask: Ask, payload: &[u8]) {
        if self.link.is_some() {
            // No payload exceeds the greatest line, so its length fits.
            let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
            self.pending.extend_from_slice(&frame_header(ask, length));
            self.pending.extend_from_slice(payload);
        }
    }

    async fn flush(&mut self) {
        while let Some(link) = &self.link
            && self.sent < self.pending.len()
        {
            match link.stream.try_write(&self.pending[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if link.stream.writable().await.is_err() {
                        self.let_go();
                    }
                }
                Err(_) => self.let_go(),
            }
        }
        self.pending.clear();
        self.pending.shrink_to(KEEP);
        self.sent = 0;
    }

    /// A half that is merely dropped would end the connection, and the reader
    /// goes on without the writer.
    fn let_go(&mut self) {
        if let Some(link) = self.link.take() {
            link.stream.forget();
        }
    }
}

impl Drop for HolderWriter {
    fn drop(&mut self) {
        self.let_go();
    }
}
