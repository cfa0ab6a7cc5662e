//! Lines on their way to the agent's stdin.
//!
//! A line enters only when its whole frame has arrived, because half a line
//! can end an agent. The queue holds one line of the greatest length and a
//! little more; when it is full the owner's socket is not read until the agent
//! has taken something.

use std::collections::VecDeque;
use std::io::{self, Write};

use crate::lines::MAX_LINE;

/// What may wait beside one line of the greatest length.
const ROOM: usize = MAX_LINE + 1024 * 1024;

/// From here on a line's buffer is made so large that the allocator maps it
/// alone and gives it back whole when it is freed. Reserved pages cost nothing
/// until they are used.
const LARGE: usize = 256 * 1024;

#[derive(Debug, Default)]
pub(super) struct StdinQueue {
    lines: VecDeque<Vec<u8>>,
    /// How much of the first line has been written.
    written: usize,
    waiting: usize,
    /// Close stdin once the queue is empty.
    closing: bool,
}

impl StdinQueue {
    /// A buffer for a line of `length` bytes and its newline.
    pub(super) fn buffer(length: usize) -> Vec<u8> {
        let capacity = if length >= LARGE {
            MAX_LINE + 1
        } else {
            length + 1
        };
        Vec::with_capacity(capacity)
    }

    pub(super) fn has_room(&self, length: usize) -> bool {
        self.waiting + length <= ROOM
    }

    /// Queues a line, without its newline. After a close it is dropped.
    pub(super) fn push(&mut self, mut line: Vec<u8>) {
        if !self.closing {
            line.push(b'\n');
            self.waiting += line.len();
            self.lines.push_back(line);
        }
    }

    pub(super) fn close(&mut self) {
        self.closing = true;
    }

    pub(super) fn discard(&mut self) {
        *self = Self {
            closing: true,
            ..Self::default()
        };
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Nothing is left and nothing may follow.
    pub(super) fn is_over(&self) -> bool {
        self.closing && self.lines.is_empty()
    }

    /// Writes as much as `stdin` takes. An error means that it takes no more.
    pub(super) fn write_to(&mut self, mut stdin: impl Write) -> io::Result<()> {
        while let Some(line) = self.lines.front() {
            match stdin.write(&line[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            if self.written == line.len() {
                self.waiting -= line.len();
                self.written = 0;
                self.lines.pop_front();
            }
        }
        Ok(())
    }
}
