//! Reads records from a living holder's socket.

use std::io;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::Position;
use super::attach::{HolderEvent, ReadError};
use super::journal::{HEADER, HEADER_BYTES, RecordKind, parse_header};
use super::wire::{Hello, WELCOME, Welcome};

/// One read takes up to this much.
const READ: usize = 64 * 1024;

/// Below this much free room a new buffer is taken.
const LOW: usize = 8 * 1024;

#[derive(Debug)]
pub(super) struct Live {
    /// A half knows that a read which did not fill its room took all there was,
    /// and does not ask the system again.
    stream: OwnedReadHalf,
    buffer: BytesMut,
    /// Of the next byte in the buffer.
    position: u64,
    /// The record being read: what is left of its payload.
    record: Option<(RecordKind, usize)>,
    /// The journal's end when the owner attached, until it is reached.
    behind: Option<u64>,
    ended: bool,
}

/// What one look gave.
#[derive(Debug)]
pub(super) enum Heard {
    Event(HolderEvent),
    /// The connection is over, the agent's end was not seen.
    Closed,
    Ended,
}

/// Says hello and gives the answer.
pub(super) async fn greet(stream: &mut UnixStream, hello: Hello) -> io::Result<Welcome> {
    stream.write_all(&hello.to_bytes()).await?;
    let mut bytes = [0; WELCOME];
    stream.read_exact(&mut bytes).await?;
    Welcome::parse(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

impl Live {
    /// The other half is for the writer: the connection ends when both are
    /// dropped.
    pub(super) fn new(stream: UnixStream, welcome: Welcome) -> (Self, OwnedWriteHalf) {
        let (stream, writes) = stream.into_split();
        let live = Self {
            stream,
            buffer: BytesMut::new(),
            position: welcome.first,
            record: None,
            behind: Some(welcome.end),
            ended: false,
        };
        (live, writes)
    }

    /// Where a reader of the journal goes on.
    pub(super) fn resume_at(&self) -> Position {
        match self.record {
            // An exit counts as unread until it is whole.
            Some((RecordKind::Exit, _)) => Position(self.position - HEADER_BYTES),
            _ => Position(self.position),
        }
    }

    pub(super) fn caught_up(&self) -> bool {
        self.behind.is_none()
    }

    /// Cancel-safe: what was read stays in the buffer.
    pub(super) async fn next(&mut self) -> Result<Heard, ReadError> {
        if self.ended {
            return Ok(Heard::Ended);
        }
        loop {
            if let Some(event) = self.take()? {
                return Ok(Heard::Event(event));
            }
            if self.buffer.capacity() - self.buffer.len() < LOW {
                self.buffer.reserve(READ);
            }
            match self.stream.read_buf(&mut self.buffer).await {
                // The journal has whatever the socket did not give.
                Ok(0) | Err(_) => return Ok(Heard::Closed),
                Ok(_) => {}
            }
        }
    }

    fn take(&mut self) -> Result<Option<HolderEvent>, ReadError> {
        loop {
            if let Some(end) = self.behind
                && self.record.is_none()
                && self.position >= end
            {
                self.behind = None;
                return Ok(Some(HolderEvent::CaughtUp { end: Position(end) }));
            }
            let Some((kind, left)) = self.record else {
                if !self.take_header()? {
                    return Ok(None);
                }
                continue;
            };
            let start = Position(self.position);
            if kind == RecordKind::Exit {
                if self.behind.take().is_some() {
                    let end = Position(start.0 - HEADER_BYTES);
                    return Ok(Some(HolderEvent::CaughtUp { end }));
                }
                return self.take_exit(left);
            }
            let count = left.min(self.buffer.len());
            if count == 0 && left > 0 {
                return Ok(None);
            }
            self.position += count as u64;
            self.record = (count < left).then_some((kind, left - count));
            if count > 0 {
                let bytes = self.buffer.split_to(count).freeze();
                return Ok(Some(match kind {
                    RecordKind::Stderr => HolderEvent::Stderr { start, bytes },
                    RecordKind::Stdout | RecordKind::Exit => HolderEvent::Output { start, bytes },
                }));
            }
        }
    }

    fn take_header(&mut self) -> Result<bool, ReadError> {
        let Some(header) = self.buffer.first_chunk::<HEADER>() else {
            return Ok(false);
        };
        let at = Position(self.position);
        self.record = Some(parse_header(*header).ok_or(ReadError::Garbled { at })?);
        self.buffer.advance(HEADER);
        self.position += HEADER_BYTES;
        Ok(true)
    }

    fn take_exit(&mut self, length: usize) -> Result<Option<HolderEvent>, ReadError> {
        if self.buffer.len() < length {
            return Ok(None);
        }
        let at = Position(self.position);
        let record = self.buffer.split_to(length);
        let report = serde_json::from_slice(&record).map_err(|_| ReadError::Garbled { at })?;
        self.position += length as u64;
        self.ended = true;
        Ok(Some(HolderEvent::Exited {
            report,
            end: Position(self.position),
        }))
    }
}
