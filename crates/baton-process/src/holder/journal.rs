//! The journal's form, and its writer.
//!
//! The journal is one stream of records, cut into segment files named after the
//! position of their first byte. A record is eight bytes of header (length,
//! kind, a fixed pattern that zeroes and garbage do not have) and its payload.
//! There is no fsync: it must survive the owner, not the machine.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::Position;

pub(super) const HEADER: usize = 8;
pub(super) const HEADER_BYTES: u64 = HEADER as u64;

/// The most one record carries: a header and this fill the chunk.
pub(super) const MAX_PAYLOAD: usize = CHUNK - HEADER;

const CHUNK: usize = 64 * 1024;
const PATTERN: [u8; 3] = *b"btn";
const SUFFIX: &str = ".journal";

/// A journal on disk could not be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The position lies before what is kept.
    #[error("journal begins at {}, after {}", .start.0, .from.0)]
    Gone { start: Position, from: Position },
    /// A record in the middle is not a record, or a segment is missing.
    #[error("journal is damaged at {}", .at.0)]
    Damaged { at: Position },
    #[error("journal cannot be read")]
    Io(#[from] io::Error),
}

/// What a record carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordKind {
    Stdout,
    Stderr,
    Exit,
}

pub(super) fn header(kind: RecordKind, length: usize) -> [u8; HEADER] {
    let code = match kind {
        RecordKind::Stdout => 1,
        RecordKind::Stderr => 2,
        RecordKind::Exit => 3,
    };
    // A payload never exceeds the chunk, so its length fits.
    let [a, b, c, d] = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    let [x, y, z] = PATTERN;
    [a, b, c, d, code, x, y, z]
}

/// The kind and the length of the payload, unless this is no header.
pub(super) fn parse_header(header: [u8; HEADER]) -> Option<(RecordKind, usize)> {
    let [a, b, c, d, code, pattern @ ..] = header;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    let kind = match code {
        1 => RecordKind::Stdout,
        2 => RecordKind::Stderr,
        3 => RecordKind::Exit,
        _ => return None,
    };
    (pattern == PATTERN && length <= MAX_PAYLOAD).then_some((kind, length))
}

pub(super) fn segment_path(dir: &Path, start: u64) -> PathBuf {
    dir.join(format!("{start:020}{SUFFIX}"))
}

/// The starts of the segments in `dir`, in order.
pub(super) fn segments(dir: &Path) -> io::Result<Vec<u64>> {
    let mut starts = Vec::new();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        if let Some(start) = name.to_str().and_then(|name| name.strip_suffix(SUFFIX)) {
            starts.extend(start.parse::<u64>());
        }
    }
    starts.sort_unstable();
    Ok(starts)
}

/// The one buffer between the agent and the journal: a record that has been
/// read and is not yet wholly written.
#[derive(Debug)]
pub(super) struct Chunk {
    bytes: Box<[u8]>,
    filled: usize,
    written: usize,
}

impl Chunk {
    pub(super) fn new() -> Self {
        Self {
            bytes: vec![0; CHUNK].into_boxed_slice(),
            filled: 0,
            written: 0,
        }
    }

    /// Where a payload goes; the header's place is before it.
    pub(super) fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[HEADER..]
    }

    /// Makes the first `length` bytes of the room a record.
    pub(super) fn seal(&mut self, kind: RecordKind, length: usize) {
        self.bytes[..HEADER].copy_from_slice(&header(kind, length));
        self.filled = HEADER + length;
        self.written = 0;
    }

    pub(super) fn is_pending(&self) -> bool {
        self.written < self.filled
    }

    pub(super) fn record(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    pub(super) fn payload(&self) -> &[u8] {
        &self.bytes[HEADER..self.filled]
    }
}

/// The journal's writer, which also reads back for an owner that lags.
#[derive(Debug)]
pub(super) struct Journal {
    dir: PathBuf,
    segment_bytes: u64,
    /// Starts of the segments on disk; the last is being written.
    starts: VecDeque<u64>,
    file: File,
    /// After the last whole record.
    end: u64,
    committed: u64,
    /// The folder was removed; its name may be another's.
    detached: bool,
}

impl Journal {
    pub(super) fn create(dir: &Path, segment_bytes: u64) -> io::Result<Self> {
        Ok(Self {
            dir: dir.to_owned(),
            segment_bytes,
            starts: VecDeque::from([0]),
            file: open_segment(dir, 0)?,
            end: 0,
            committed: 0,
            detached: false,
        })
    }

    /// Writes what is left of the chunk. After an error the same call goes on
    /// where it stopped, so a full disk neither loses nor repeats a byte.
    pub(super) fn write(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        if chunk.written == 0 {
            self.roll_if_full()?;
        }
        while chunk.is_pending() {
            match self.file.write(&chunk.bytes[chunk.written..chunk.filled]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => chunk.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.end += chunk.filled as u64;
        Ok(())
    }

    /// Uses no path from now on: what is open is written on, nothing else is
    /// opened or deleted.
    pub(super) fn detach(&mut self) {
        self.detached = true;
    }

    pub(super) fn start(&self) -> u64 {
        self.starts.front().copied().unwrap_or(self.end)
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn untaken(&self) -> u64 {
        self.end - self.committed
    }

    /// Takes `position` as dealt with and deletes the segments before it.
    pub(super) fn commit(&mut self, position: u64) {
        self.committed = self.committed.max(position.min(self.end));
        while self
            .starts
            .get(1)
            .is_some_and(|&next| next <= self.committed)
        {
            if let Some(start) = self.starts.pop_front()
                && !self.detached
            {
                // A segment that cannot be deleted goes with the folder.
                fs::remove_file(segment_path(&self.dir, start)).ok();
            }
        }
    }

    /// The start of the segment that holds `position`.
    pub(super) fn segment_of(&self, position: u64) -> u64 {
        let after = self.starts.partition_point(|&start| start <= position);
        self.starts[after.saturating_sub(1)]
    }

    pub(super) fn open(&self, segment: u64) -> io::Result<File> {
        if self.detached {
            return Err(io::ErrorKind::NotFound.into());
        }
        File::open(segment_path(&self.dir, segment))
    }

    /// Reads bytes at `position`, up to the end of its segment.
    pub(super) fn read_at(&self, file: &File, position: u64, room: &mut [u8]) -> io::Result<usize> {
        let segment = self.segment_of(position);
        let next = self.starts.iter().find(|&&start| start > position);
        let left = next.copied().unwrap_or(self.end) - position;
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(room.len());
        file.read_at(&mut room[..length], position - segment)
    }

    fn roll_if_full(&mut self) -> io::Result<()> {
        let start = self.starts.back().copied().unwrap_or(0);
        if self.detached || self.end - start < self.segment_bytes {
            return Ok(());
        }
        self.file = open_segment(&self.dir, self.end)?;
        self.starts.push_back(self.end);
        // What was committed to the last byte can go as soon as it is closed.
        self.commit(self.committed);
        Ok(())
    }
}

fn open_segment(dir: &Path, start: u64) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(segment_path(dir, start))
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
