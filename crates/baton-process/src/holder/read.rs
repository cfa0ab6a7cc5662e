//! Reads a journal's records from disk, from any position.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::Position;
use super::journal::{
    HEADER, HEADER_BYTES, JournalError, RecordKind, parse_header, segment_path, segments,
};

const BUFFER: usize = 64 * 1024;

/// A record's payload, or the rest of it, and the position of its first byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) start: Position,
    pub(super) kind: RecordKind,
    pub(super) payload: Bytes,
}

/// A record that covers a position, found by its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) start: u64,
    pub(super) kind: RecordKind,
    pub(super) length: usize,
}

/// Reads records in order. Only a finished journal may be read this way: a
/// torn last record counts as the end.
#[derive(Debug)]
pub(super) struct JournalReader {
    dir: PathBuf,
    /// Starts of the segments after the one being read, in reverse.
    later: Vec<u64>,
    file: BufReader<File>,
    /// Of the next header.
    position: u64,
    /// Payload bytes before this position have been dealt with.
    from: u64,
}

impl JournalReader {
    pub(super) fn open(dir: &Path, from: Position) -> Result<Self, JournalError> {
        let mut later = segments(dir)?;
        let after = later.partition_point(|&start| start <= from.0);
        let Some(current) = after.checked_sub(1) else {
            let start = Position(later.first().copied().unwrap_or(0));
            return Err(JournalError::Gone { start, from });
        };
        let segment = later[current];
        later.drain(..after);
        later.reverse();
        let mut file = File::open(segment_path(dir, segment))?;
        // At a boundary, or where the journal ends early, `from` is the next
        // header's place; what follows decides.
        let position = cover(&mut file, segment, from.0)?.map_or(from.0, |cover| cover.start);
        file.seek(SeekFrom::Start(position - segment))?;
        let file = BufReader::with_capacity(BUFFER, file);
        Ok(Self {
            dir: dir.to_owned(),
            later,
            file,
            position,
            from: from.0,
        })
    }

    /// The next record that has something new, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Record>, JournalError> {
        loop {
            let Some((kind, payload)) = read_record(&mut self.file)? else {
                if self.next_segment()? {
                    continue;
                }
                return Ok(None);
            };
            let start = self.position + HEADER_BYTES;
            self.position = start + payload.len() as u64;
            let taken = self.from.saturating_sub(start);
            // Half an exit means nothing, so it is never cut.
            let taken = if kind == RecordKind::Exit { 0 } else { taken };
            let taken = usize::try_from(taken)
                .unwrap_or(usize::MAX)
                .min(payload.len());
            if taken < payload.len() || kind == RecordKind::Exit {
                let start = Position(start) + taken;
                return Ok(Some(Record {
                    start,
                    kind,
                    payload: payload.slice(taken..),
                }));
            }
        }
    }

    /// After the last whole record that was read.
    pub(super) fn position(&self) -> Position {
        Position(self.position)
    }

    fn next_segment(&mut self) -> Result<bool, JournalError> {
        let Some(next) = self.later.pop() else {
            return Ok(false);
        };
        if next != self.position {
            return Err(JournalError::Damaged {
                at: Position(self.position),
            });
        }
        let file = File::open(segment_path(&self.dir, next))?;
        self.file = BufReader::with_capacity(BUFFER, file);
        Ok(true)
    }
}

/// The record whose inside `position` lies in; `None` when it lies between
/// records or after the last one.
pub(super) fn cover(file: &mut File, segment: u64, position: u64) -> io::Result<Option<Cover>> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let mut start = segment;
    while start < position {
        let mut head = [0; HEADER];
        if !read_whole(&mut reader, &mut head)? {
            return Ok(None);
        }
        let Some((kind, length)) = parse_header(head) else {
            return Ok(None);
        };
        let end = start + HEADER_BYTES + length as u64;
        if position < end {
            return Ok(Some(Cover {
                start,
                kind,
                length,
            }));
        }
        // A payload never exceeds the chunk, so its length fits.
        reader.seek_relative(i64::try_from(length).unwrap_or(i64::MAX))?;
        start = end;
    }
    Ok(None)
}

fn read_record(file: &mut BufReader<File>) -> io::Result<Option<(RecordKind, Bytes)>> {
    let mut head = [0; HEADER];
    if !read_whole(file, &mut head)? {
        return Ok(None);
    }
    let Some((kind, length)) = parse_header(head) else {
        return Ok(None);
    };
    let mut payload = vec![0; length];
    if !read_whole(file, &mut payload)? {
        return Ok(None);
    }
    Ok(Some((kind, payload.into())))
}

/// False when the file ends first.
fn read_whole(reader: &mut impl Read, room: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(room) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
