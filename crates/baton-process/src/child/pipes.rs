//! A child's three pipes as lines and a tail.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::lines::{Line, LineSplitter, MAX_LINE};

const READ: usize = 64 * 1024;

/// This much of standard error is kept, the newest.
const TAIL: usize = 64 * 1024;

/// The child's standard output, line by line.
#[derive(Debug)]
pub struct LineReader {
    stdout: ChildStdout,
    splitter: LineSplitter,
    buffer: Box<[u8]>,
    at: usize,
    filled: usize,
    ended: bool,
    over: CancellationToken,
}

impl LineReader {
    pub(super) fn new(stdout: ChildStdout, over: CancellationToken) -> Self {
        let buffer = vec![0; READ].into_boxed_slice();
        let splitter = LineSplitter::default();
        Self {
            stdout,
            splitter,
            buffer,
            at: 0,
            filled: 0,
            ended: false,
            over,
        }
    }

    /// The next line, or `None` when no more will come: the pipe is closed, or
    /// [`ChildHandle::wait`](super::ChildHandle::wait) has given up on whoever
    /// holds it. It is cancel-safe.
    pub async fn next(&mut self) -> Option<Line<'_>> {
        loop {
            let chunk = self.at..self.filled;
            if let Some(found) = self.splitter.find(&self.buffer[chunk.clone()]) {
                self.at += found.consumed;
                return Some(self.splitter.line(found, &self.buffer[chunk]));
            }
            self.at = 0;
            self.filled = 0;
            if self.ended {
                return self.splitter.finish();
            }
            self.filled = read_some(&mut self.stdout, &mut self.buffer, &self.over).await;
            self.ended = self.filled == 0;
        }
    }
}

/// The child's standard input, whole lines only. Dropping it closes the input
/// once the lines before have been written.
#[derive(Debug)]
pub struct LineWriter {
    lines: mpsc::Sender<Vec<u8>>,
}

/// A line was not taken.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum WriteError {
    #[error("line of {bytes} bytes is longer than {MAX_LINE}")]
    TooLong { bytes: usize },
    #[error("line contains a newline")]
    InnerNewline,
    /// The input was closed, or the child has closed it or ended.
    #[error("child takes no more input")]
    Closed,
}

impl LineWriter {
    pub(super) fn new(lines: mpsc::Sender<Vec<u8>>) -> Self {
        Self { lines }
    }

    /// Queues one line, without its newline; waits while the queue is full.
    /// A call dropped while it waits has queued nothing.
    pub async fn line(&self, line: &[u8]) -> Result<(), WriteError> {
        if line.len() > MAX_LINE {
            return Err(WriteError::TooLong { bytes: line.len() });
        }
        if memchr::memchr(b'\n', line).is_some() {
            return Err(WriteError::InnerNewline);
        }
        let place = self.lines.reserve().await.map_err(|_| WriteError::Closed)?;
        let mut owned = Vec::with_capacity(line.len() + 1);
        owned.extend_from_slice(line);
        owned.push(b'\n');
        place.send(owned);
        Ok(())
    }
}

/// Writes queued lines until the queue is closed and empty. A task of its own,
/// so that no dropped call of a writer can leave half a line.
pub(super) async fn write_lines(
    mut stdin: ChildStdin,
    mut lines: mpsc::Receiver<Vec<u8>>,
    close: CancellationToken,
) {
    loop {
        tokio::select! {
            biased;
            () = close.cancelled(), if !lines.is_closed() => lines.close(),
            line = lines.recv() => {
                let Some(line) = line else { return };
                if stdin.write_all(&line).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// The newest of standard error.
#[derive(Debug, Default)]
pub(super) struct StderrTail(VecDeque<u8>);

impl StderrTail {
    fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(TAIL)..];
        let surplus = (self.0.len() + bytes.len()).saturating_sub(TAIL);
        self.0.drain(..surplus);
        self.0.extend(bytes);
    }

    pub(super) fn to_vec(&self) -> Vec<u8> {
        self.0.iter().copied().collect()
    }
}

pub(super) async fn keep_tail(
    mut stderr: ChildStderr,
    tail: Arc<Mutex<StderrTail>>,
    over: CancellationToken,
) {
    let mut buffer = vec![0; 8 * 1024];
    loop {
        let count = read_some(&mut stderr, &mut buffer, &over).await;
        if count == 0 {
            return;
        }
        tail.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(&buffer[..count]);
    }
}

/// Reads, or gives 0 when nothing more will come. Once `over`, only what is in
/// the pipe already is taken; the runtime may not have heard of it yet, so the
/// pipe itself is asked.
async fn read_some<P: AsyncRead + AsFd + Unpin>(
    pipe: &mut P,
    buffer: &mut [u8],
    over: &CancellationToken,
) -> usize {
    tokio::select! {
        biased;
        () = over.cancelled() => {}
        read = pipe.read(buffer) => return read.unwrap_or(0),
    }
    loop {
        match rustix::io::read(&*pipe, &mut *buffer).map_err(io::Error::from) {
            Ok(count) => return count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return 0,
        }
    }
}
