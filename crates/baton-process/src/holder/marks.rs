//! Knows the agent's open requests by how lines begin, and by the id in them.
//!
//! It reads the raw output, where a line may begin in one chunk and go on in
//! the next, and keeps no more of a line than the longest mark and the search
//! for an id need. It parses nothing: a key in quotes with a string after it
//! cannot stand inside a JSON string, where its quotes would be escaped.
//!
//! Where it cannot know, a request counts as open: an agent that waits too
//! long for its end does less harm than one that loses an approval.

use std::collections::HashSet;

use memchr::{memchr, memmem};

use super::options::RequestMarks;

/// An id is looked for in so much of its line.
const WINDOW: usize = 4096;

/// A longer id is none.
const MAX_ID: usize = 256;

/// More requests than this are not told apart; those beyond stay open.
const MAX_OPEN: usize = 1024;

#[derive(Debug)]
pub(super) struct Marks {
    marks: RequestMarks,
    /// What stands before an id.
    before_id: Option<Vec<u8>>,
    /// As many bytes of a line decide what it does.
    longest: usize,
    /// How the current line began, while more of it is needed.
    head: Vec<u8>,
    reading: Reading,
    open: Open,
}

/// What is still to be learnt of the current line.
#[derive(Debug, Clone, Copy)]
enum Reading {
    /// What it does.
    Mark,
    /// To which request it does that.
    Id(Change),
    /// Only its end.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Opens,
    Closes,
}

impl Marks {
    pub(super) fn new(marks: RequestMarks) -> Self {
        let all = marks.opened_by_output.iter().chain(&marks.closed_by_output);
        let longest = all.map(String::len).max().unwrap_or(0);
        let key = marks.id_key.as_ref();
        Self {
            before_id: key.map(|key| format!("\"{key}\":\"").into_bytes()),
            marks,
            longest,
            head: Vec::with_capacity(longest),
            reading: Reading::Mark,
            open: Open::default(),
        }
    }

    pub(super) fn any_open(&self) -> bool {
        self.open.any() || matches!(self.reading, Reading::Id(Change::Opens))
    }

    pub(super) fn output(&mut self, mut bytes: &[u8]) {
        if self.marks.opened_by_output.is_empty() {
            return;
        }
        while !bytes.is_empty() {
            let end = memchr(b'\n', bytes);
            self.read(&bytes[..end.unwrap_or(bytes.len())], end.is_some());
            let Some(end) = end else { return };
            self.reading = Reading::Mark;
            self.head.clear();
            bytes = &bytes[end + 1..];
        }
    }

    pub(super) fn input(&mut self, line: &[u8]) {
        if begins(line, &self.marks.closed_by_input) {
            let head = &line[..line.len().min(WINDOW)];
            let id = self.before_id.as_ref().and_then(|key| find_id(head, key));
            self.open.change(Change::Closes, id);
        }
    }

    fn read(&mut self, mut piece: &[u8], ended: bool) {
        if matches!(self.reading, Reading::Mark) {
            piece = keep(&mut self.head, piece, self.longest);
            if self.head.len() < self.longest && !ended {
                return;
            }
            self.reading = self.mark().map_or(Reading::Nothing, Reading::Id);
        }
        let Reading::Id(change) = self.reading else {
            return;
        };
        let mut id = None;
        if let Some(key) = &self.before_id {
            keep(&mut self.head, piece, WINDOW);
            if self.head.len() < WINDOW && !ended {
                return;
            }
            id = find_id(&self.head, key);
        }
        self.open.change(change, id);
        self.reading = Reading::Nothing;
    }

    fn mark(&self) -> Option<Change> {
        if begins(&self.head, &self.marks.opened_by_output) {
            Some(Change::Opens)
        } else if begins(&self.head, &self.marks.closed_by_output) {
            Some(Change::Closes)
        } else {
            None
        }
    }
}

/// The requests that are open.
#[derive(Debug, Default)]
struct Open {
    /// No more than [`MAX_OPEN`]; what does not fit goes to `beyond`.
    named: HashSet<Vec<u8>>,
    /// Those whose lines gave no id.
    unnamed: usize,
    /// There were too many to know their ends.
    beyond: bool,
}

impl Open {
    fn any(&self) -> bool {
        !self.named.is_empty() || self.unnamed > 0 || self.beyond
    }

    fn change(&mut self, change: Change, id: Option<&[u8]>) {
        match (change, id) {
            (Change::Opens, Some(id)) if self.named.len() < MAX_OPEN => {
                self.named.insert(id.to_vec());
            }
            (Change::Opens, Some(id)) => self.beyond |= !self.named.contains(id),
            // One that is not open was closed before.
            (Change::Closes, Some(id)) => {
                self.named.remove(id);
            }
            (Change::Opens, None) => self.unnamed = self.unnamed.saturating_add(1),
            (Change::Closes, None) => self.unnamed = self.unnamed.saturating_sub(1),
        }
    }
}

/// Adds to `head` until it has `most` bytes; gives back the rest.
fn keep<'a>(head: &mut Vec<u8>, piece: &'a [u8], most: usize) -> &'a [u8] {
    let missing = most.saturating_sub(head.len()).min(piece.len());
    let (kept, rest) = piece.split_at(missing);
    head.extend_from_slice(kept);
    rest
}

fn begins(line: &[u8], marks: &[String]) -> bool {
    marks.iter().any(|mark| line.starts_with(mark.as_bytes()))
}

/// The string after the first `before`, if it ends within `head`.
fn find_id<'a>(head: &'a [u8], before: &[u8]) -> Option<&'a [u8]> {
    let start = memmem::find(head, before)? + before.len();
    let rest = &head[start..];
    let id = &rest[..memchr(b'"', rest)?];
    (id.len() <= MAX_ID).then_some(id)
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod tests;
