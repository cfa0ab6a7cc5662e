//! The owner's connection, seen from the holder.

use std::fs::File;
use std::io::{self, Read, Write};
use std::mem;
use std::os::unix::net::UnixStream;

use super::input::StdinQueue;
use super::journal::{HEADER, HEADER_BYTES, Journal, RecordKind, header};
use super::read::cover;
use super::wire::{Ask, HELLO, Hello, VERSION, Verdict, Welcome, parse_frame_header};
use crate::lines::MAX_LINE;

/// A journal read for an owner that lags takes this much at once.
const CATCH_UP: usize = 64 * 1024;

/// Reads for one owner in a row, before others get their turn.
const TURNS: usize = 32;

/// A control frame is smaller than this.
const MAX_CONTROL: usize = 64;

/// A connection that has not said its whole hello yet.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) stream: UnixStream,
    bytes: [u8; HELLO],
    have: usize,
}

/// The one that is attached.
#[derive(Debug)]
pub(super) struct OwnerConnection {
    pub(super) stream: UnixStream,
    /// The journal has been sent up to here.
    sent: u64,
    /// The segment being read for it while it lags.
    segment: Option<(u64, File)>,
    frames: Frames,
}

/// The connection is over.
#[derive(Debug)]
pub(super) struct Closed;

/// What came from an owner.
#[derive(Debug)]
pub(super) enum Frame {
    Line(Vec<u8>),
    CloseStdin,
    Signal(i32),
    Stop { milliseconds: u64 },
    Commit(u64),
    Free,
}

/// What the holder says about itself in its welcome.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    pub(super) holder: i32,
    pub(super) agent: i32,
    pub(super) exited: bool,
}

impl Candidate {
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            bytes: [0; HELLO],
            have: 0,
        })
    }

    /// The hello, once it is whole.
    pub(super) fn read(&mut self) -> Result<Option<Hello>, Closed> {
        while self.have < HELLO {
            match self.stream.read(&mut self.bytes[self.have..]) {
                Ok(0) => return Err(Closed),
                Ok(count) => self.have += count,
                Err(error) if blocked(&error) => return Ok(None),
                Err(_) => return Err(Closed),
            }
        }
        Hello::parse(&self.bytes).map(Some).ok_or(Closed)
    }

    /// Answers the hello, with a welcome or a refusal.
    pub(super) fn answer(
        mut self,
        hello: Hello,
        journal: &Journal,
        standing: Standing,
    ) -> Result<OwnerConnection, Closed> {
        let (start, end) = (journal.start(), journal.end());
        let verdict = if hello.version != VERSION {
            Verdict::UnknownVersion
        } else if hello.from < start {
            Verdict::PositionGone
        } else if hello.from > end {
            Verdict::PositionBeyond
        } else {
            Verdict::Accepted
        };
        let Standing {
            holder,
            agent,
            exited,
        } = standing;
        let mut welcome = Welcome {
            version: VERSION,
            verdict,
            holder,
            agent,
            exited,
            start,
            end,
            first: end,
        };
        if verdict != Verdict::Accepted {
            self.stream
                .write_all(&welcome.to_bytes())
                .map_err(|_| Closed)?;
            return Err(Closed);
        }
        let begin = Begin::find(journal, hello.from).map_err(|_| Closed)?;
        welcome.first = begin.first;
        // A fresh socket has room for these few bytes.
        self.stream
            .write_all(&welcome.to_bytes())
            .map_err(|_| Closed)?;
        if let Some(head) = begin.header {
            self.stream.write_all(&head).map_err(|_| Closed)?;
        }
        Ok(OwnerConnection {
            stream: self.stream,
            sent: begin.sent,
            segment: None,
            frames: Frames::default(),
        })
    }
}

/// Where sending begins.
struct Begin {
    first: u64,
    sent: u64,
    /// Stands before the rest of a record whose beginning has been taken.
    header: Option<[u8; HEADER]>,
}

impl Begin {
    fn find(journal: &Journal, from: u64) -> io::Result<Self> {
        let segment = journal.segment_of(from);
        let mut file = journal.open(segment)?;
        Ok(match cover(&mut file, segment, from)? {
            None => Self {
                first: from,
                sent: from,
                header: None,
            },
            // Half an exit means nothing, and a position inside a header is
            // the record's own.
            Some(cover) if cover.kind == RecordKind::Exit || from < cover.start + HEADER_BYTES => {
                Self {
                    first: cover.start,
                    sent: cover.start,
                    header: None,
                }
            }
            Some(cover) => {
                let end = cover.start + HEADER_BYTES + cover.length as u64;
                let rest = usize::try_from(end - from).unwrap_or(cover.length);
                Self {
                    first: from - HEADER_BYTES,
                    sent: from,
                    header: Some(header(cover.kind, rest)),
                }
            }
        })
    }
}

impl OwnerConnection {
    pub(super) const fn sent(&self) -> u64 {
        self.sent
    }

    pub(super) fn lags(&self, journal: &Journal) -> bool {
        self.sent < journal.end()
    }

    /// False while a line waits for room in the queue.
    pub(super) fn may_read(&self, input: &StdinQueue) -> bool {
        self.frames.fits(input)
    }

    /// Sends a record just journaled, if the owner has all before it. What the
    /// socket does not take now comes from the journal later.
    pub(super) fn send_live(&mut self, record: &[u8], journal: &Journal) -> Result<(), Closed> {
        if self.sent + record.len() as u64 != journal.end() {
            return Ok(());
        }
        self.sent += send(&self.stream, record)? as u64;
        Ok(())
    }

    /// Sends from the journal what the socket takes.
    pub(super) fn catch_up(&mut self, journal: &Journal) -> Result<(), Closed> {
        let mut room = vec![0; CATCH_UP];
        for _ in 0..TURNS {
            if !self.lags(journal) {
                self.segment = None;
                return Ok(());
            }
            let segment = journal.segment_of(self.sent);
            let file = match self.segment.take() {
                Some((open, file)) if open == segment => file,
                _ => journal.open(segment).map_err(|_| Closed)?,
            };
            let read = journal
                .read_at(&file, self.sent, &mut room)
                .map_err(|_| Closed)?;
            self.segment = Some((segment, file));
            if read == 0 {
                return Err(Closed);
            }
            let count = send(&self.stream, &room[..read])?;
            self.sent += count as u64;
            if count < read {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The next whole frame, if one is there and there is room for it.
    pub(super) fn read(&mut self, input: &StdinQueue) -> Result<Option<Frame>, Closed> {
        self.frames.read(&self.stream, input)
    }
}

fn send(mut stream: &UnixStream, bytes: &[u8]) -> Result<usize, Closed> {
    match stream.write(bytes) {
        Ok(count) => Ok(count),
        Err(error) if blocked(&error) => Ok(0),
        Err(_) => Err(Closed),
    }
}

/// Collects frames. What is left unfinished at the end is dropped, so that an
/// owner that dies while it sends never gives the agent half a line.
#[derive(Debug, Default)]
struct Frames {
    header: [u8; HEADER],
    have: usize,
    payload: Vec<u8>,
}

impl Frames {
    fn fits(&self, input: &StdinQueue) -> bool {
        if self.have < HEADER || !self.payload.is_empty() {
            return true;
        }
        match parse_frame_header(self.header) {
            (Some(Ask::Line), length) => input.has_room(length),
            _ => true,
        }
    }

    fn read(&mut self, stream: &UnixStream, input: &StdinQueue) -> Result<Option<Frame>, Closed> {
        loop {
            while self.have < HEADER {
                match (&mut &*stream).read(&mut self.header[self.have..]) {
                    Ok(0) => return Err(Closed),
                    Ok(count) => self.have += count,
                    Err(error) if blocked(&error) => return Ok(None),
                    Err(_) => return Err(Closed),
                }
            }
            let (ask, length) = parse_frame_header(self.header);
            let limit = if ask == Some(Ask::Line) {
                MAX_LINE
            } else {
                MAX_CONTROL
            };
            if length > limit {
                return Err(Closed);
            }
            if !self.fits(input) || !self.fill(stream, length)? {
                return Ok(None);
            }
            self.have = 0;
            let payload = mem::take(&mut self.payload);
            // An unknown kind is a newer owner's, and means nothing here.
            if let Some(frame) = ask.and_then(|ask| frame(ask, payload)) {
                return Ok(Some(frame));
            }
        }
    }

    /// Reads the payload; false while some of it is missing.
    fn fill(&mut self, stream: &UnixStream, length: usize) -> Result<bool, Closed> {
        if self.payload.capacity() < length {
            self.payload = StdinQueue::buffer(length);
        }
        while self.payload.len() < length {
            // The buffer has room for a newline more than the frame, so only
            // what is missing may be read into it.
            let have = self.payload.len();
            self.payload.resize(have + (length - have).min(STEP), 0);
            let result = rustix::io::read(stream, &mut self.payload[have..]);
            self.payload.truncate(have + result.unwrap_or(0));
            match result {
                Ok(0) => return Err(Closed),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Ok(false),
                Err(_) => return Err(Closed),
            }
        }
        Ok(true)
    }
}

/// A large payload is read in steps, so that its pages are used as it arrives.
const STEP: usize = 256 * 1024;

fn frame(ask: Ask, payload: Vec<u8>) -> Option<Frame> {
    Some(match ask {
        Ask::Line => Frame::Line(payload),
        Ask::CloseStdin => Frame::CloseStdin,
        Ask::Signal => Frame::Signal(i32::from_le_bytes(payload.try_into().ok()?)),
        Ask::Stop => Frame::Stop {
            milliseconds: u64::from_le_bytes(payload.try_into().ok()?),
        },
        Ask::Commit => Frame::Commit(u64::from_le_bytes(payload.try_into().ok()?)),
        Ask::Free => Frame::Free,
    })
}

fn blocked(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}
