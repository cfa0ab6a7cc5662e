//! Splits a byte stream into lines without letting one line eat the memory.
//!
//! Sans-IO: chunks in, lines out. A line that lies wholly inside a chunk is
//! handed out without a copy; one that spans chunks is collected up to the
//! limit; a longer one is skipped and reported with its length.

use memchr::memchr;

/// Lines up to this many bytes, newline not counted, come whole. 50 MiB of
/// images as base64 fit, beside a long text.
pub const MAX_LINE: usize = 96 * 1024 * 1024;

/// What is kept of a line that was too long.
const HEAD: usize = 1024;

/// A collecting buffer larger than this is given back after its line.
const KEEP: usize = 64 * 1024;

/// One line, without its newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    Whole(&'a [u8]),
    /// A line over the limit: its length, and how it began.
    TooLong {
        bytes: u64,
        head: &'a [u8],
    },
    /// What stood after the last newline when the stream ended. Only
    /// [`LineSplitter::finish`] gives it.
    Unfinished(&'a [u8]),
}

/// A line and how far into the given chunk it reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split<'a> {
    pub line: Line<'a>,
    /// Bytes of the chunk taken, the newline included: the position right
    /// after this line is the chunk's start plus the sum of these.
    pub consumed: usize,
}

/// Splits a byte stream into lines; see the module's own words.
///
/// ```
/// use baton_process::{Line, LineSplitter};
///
/// let mut splitter = LineSplitter::default();
/// let (chunk, mut at, mut lines) = (b"one\ntwo\nthr", 0, Vec::new());
/// while let Some(split) = splitter.next(&chunk[at..]) {
///     at += split.consumed;
///     if let Line::Whole(line) = split.line {
///         lines.push(line.to_vec());
///     }
/// }
/// assert_eq!(lines, [b"one", b"two"]);
/// assert_eq!(splitter.next(b"ee\n").unwrap().line, Line::Whole(b"three"));
/// ```
#[derive(Debug)]
pub struct LineSplitter {
    limit: usize,
    /// The line so far, when it began in an earlier chunk.
    partial: Vec<u8>,
    /// The length of a line that went over the limit; `partial` is its head.
    skipped: Option<u64>,
    /// `partial` was handed out and belongs to the past.
    stale: bool,
}

/// Where a line was found. Kept apart from [`Split`] so that a caller's loop
/// can decide before it borrows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) consumed: usize,
    place: LineAt,
}

#[derive(Debug, Clone, Copy)]
enum LineAt {
    Chunk,
    Partial,
    Skipped(u64),
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::with_limit(MAX_LINE)
    }
}

impl LineSplitter {
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            partial: Vec::new(),
            skipped: None,
            stale: false,
        }
    }

    /// A splitter in the middle of a line over the limit, of which another one
    /// took in `bytes`: the rest is skipped with it and reported as one line.
    /// `head` is how it began, as far as that is still known.
    #[must_use]
    pub fn resume_skipping(mut self, bytes: u64, head: &[u8]) -> Self {
        self.partial = head[..head.len().min(HEAD)].to_vec();
        self.skipped = Some(bytes);
        self.stale = false;
        self
    }

    /// Whether everything since the last line belongs to one over the limit,
    /// which will be reported and never given whole. What was taken in of it
    /// need not be kept to split the rest; see [`Self::skipped`].
    pub fn is_skipping(&self) -> bool {
        self.skipped().is_some()
    }

    /// The bytes taken in so far of a line that is being skipped, and how it
    /// began: what [`Self::resume_skipping`] needs to go on after them.
    pub fn skipped(&self) -> Option<(u64, &[u8])> {
        let bytes = self.skipped.filter(|_| !self.stale)?;
        Some((bytes, &self.partial))
    }

    /// The next line that ends in `chunk`. Call again with the rest of the
    /// chunk until it gives `None`: then the whole rest has been taken in.
    pub fn next<'a>(&'a mut self, chunk: &'a [u8]) -> Option<Split<'a>> {
        let found = self.find(chunk)?;
        Some(Split {
            line: self.line(found, chunk),
            consumed: found.consumed,
        })
    }

    /// Ends the stream: what stood after the last newline, if anything.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        self.forget_past();
        if self.partial.is_empty() && self.skipped.is_none() {
            return None;
        }
        self.stale = true;
        Some(match self.skipped {
            Some(bytes) => Line::TooLong {
                bytes,
                head: &self.partial,
            },
            None => Line::Unfinished(&self.partial),
        })
    }

    pub(crate) fn find(&mut self, chunk: &[u8]) -> Option<Found> {
        self.forget_past();
        let Some(end) = memchr(b'\n', chunk) else {
            self.collect(chunk);
            return None;
        };
        let consumed = end + 1;
        if self.skipped.is_none() && self.partial.is_empty() && end <= self.limit {
            return Some(Found {
                consumed,
                place: LineAt::Chunk,
            });
        }
        self.collect(&chunk[..end]);
        self.stale = true;
        let place = self.skipped.map_or(LineAt::Partial, LineAt::Skipped);
        Some(Found { consumed, place })
    }

    pub(crate) fn line<'a>(&'a self, found: Found, chunk: &'a [u8]) -> Line<'a> {
        match found.place {
            LineAt::Chunk => Line::Whole(&chunk[..found.consumed - 1]),
            LineAt::Partial => Line::Whole(&self.partial),
            LineAt::Skipped(bytes) => Line::TooLong {
                bytes,
                head: &self.partial,
            },
        }
    }

    fn forget_past(&mut self) {
        if self.stale {
            self.stale = false;
            self.skipped = None;
            self.partial.clear();
            self.partial.shrink_to(KEEP);
        }
    }

    fn collect(&mut self, bytes: &[u8]) {
        let length = self.partial.len() + bytes.len();
        if let Some(skipped) = self.skipped {
            self.skipped = Some(skipped + bytes.len() as u64);
            // A head that was resumed shorter than its line cannot go on here.
            if self.partial.len() as u64 == skipped {
                self.extend_head(bytes);
            }
            return;
        }
        if length > self.limit {
            self.skipped = Some(length as u64);
            self.partial.truncate(HEAD);
            self.partial.shrink_to(HEAD);
            self.extend_head(bytes);
            return;
        }
        if length > self.partial.capacity() {
            // Doubling, but never past the limit: a line of 96 MiB must not
            // cost 128.
            let wanted = length.max((self.partial.len() * 2).min(self.limit));
            self.partial.reserve_exact(wanted - self.partial.len());
        }
        self.partial.extend_from_slice(bytes);
    }

    fn extend_head(&mut self, bytes: &[u8]) {
        let missing = HEAD.saturating_sub(self.partial.len()).min(bytes.len());
        self.partial.extend_from_slice(&bytes[..missing]);
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
