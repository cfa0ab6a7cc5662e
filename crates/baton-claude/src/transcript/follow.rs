//! Follows a transcript while the CLI writes it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_process::{Line, LineSplitter};

use super::row::Row;

/// How much one look reads. Small enough to be done on a runtime's thread.
const LOOK: usize = 256 * 1024;

/// Follows a transcript by looking at its size.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// Device and number of the file read so far.
    identity: Option<(u64, u64)>,
    /// How far it was read.
    offset: u64,
    /// Holds the beginning of a row whose end is not there yet.
    splitter: LineSplitter,
}

/// What a look found.
#[derive(Debug, Default, PartialEq)]
pub struct Followed {
    /// New rows.
    pub rows: Vec<Row>,
    /// Lines that are no rows, or too long, and were skipped.
    pub malformed: usize,
    /// Whether the file was replaced or cut short: the rows are from its new
    /// beginning, and what came before may be void.
    pub restarted: bool,
    /// Whether there is more to read at once.
    pub more: bool,
}

impl Followed {
    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.malformed == 0 && !self.restarted
    }
}

impl Follower {
    /// Follows from the first row. The file need not exist yet.
    #[must_use]
    pub fn from_start(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            identity: None,
            offset: 0,
            splitter: LineSplitter::default(),
        }
    }

    /// Follows from after the rows that are there. A row that is half written
    /// counts as new. A file that does not exist yet is followed from its start.
    ///
    /// # Errors
    /// Fails when the file cannot be read.
    pub fn from_end(path: impl Into<PathBuf>) -> io::Result<Self> {
        let mut follower = Self::from_start(path);
        let Some(mut file) = open(&follower.path)? else {
            return Ok(follower);
        };
        let metadata = file.metadata()?;
        follower.identity = Some((metadata.dev(), metadata.ino()));
        follower.offset = after_last_line(&mut file, metadata.len())?;
        Ok(follower)
    }

    /// Looks once, without waiting. A file that is not there has nothing new.
    ///
    /// # Errors
    /// Fails when the file cannot be read.
    pub fn look(&mut self) -> io::Result<Followed> {
        let mut found = Followed::default();
        let Some(mut file) = open(&self.path)? else {
            return Ok(found);
        };
        let metadata = file.metadata()?;
        let identity = (metadata.dev(), metadata.ino());
        let replaced = self.identity.is_some_and(|known| known != identity);
        if replaced || metadata.len() < self.offset {
            self.offset = 0;
            self.splitter = LineSplitter::default();
            found.restarted = true;
        }
        self.identity = Some(identity);
        file.seek(SeekFrom::Start(self.offset))?;
        let mut chunk = Vec::new();
        let read = file.take(LOOK as u64).read_to_end(&mut chunk)?;
        self.offset += read as u64;
        found.more = read == LOOK;
        let mut at = 0;
        while let Some(split) = self.splitter.next(&chunk[at..]) {
            at += split.consumed;
            match split.line {
                Line::Whole(line) if line.trim_ascii().is_empty() => {}
                Line::Whole(line) => match Row::decode(line) {
                    Some(row) => found.rows.push(row),
                    None => found.malformed += 1,
                },
                Line::TooLong { .. } | Line::Unfinished(_) => found.malformed += 1,
            }
        }
        Ok(found)
    }

    /// Waits for something new, looking every `interval`. Cancel-safe.
    ///
    /// # Errors
    /// Fails when the file cannot be read.
    pub async fn next(&mut self, interval: Duration) -> io::Result<Followed> {
        loop {
            let found = self.look()?;
            if !found.is_empty() {
                return Ok(found);
            }
            if found.more {
                tokio::task::yield_now().await;
            } else {
                tokio::time::sleep(interval).await;
            }
        }
    }
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where the row begins that is not complete, or the end of the file.
fn after_last_line(file: &mut File, size: u64) -> io::Result<u64> {
    let mut end = size;
    let mut chunk = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(LOOK as u64);
        file.seek(SeekFrom::Start(start))?;
        chunk.clear();
        file.by_ref().take(end - start).read_to_end(&mut chunk)?;
        if let Some(newline) = chunk.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + newline as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
#[path = "follow_tests.rs"]
mod tests;
