//! Counts the agent's open requests by how lines begin.
//!
//! It reads the raw output, where a line may begin in one chunk and go on in
//! the next, and keeps no more of a line than the longest mark needs.

use memchr::memchr;

use super::options::RequestMarks;

#[derive(Debug)]
pub(super) struct Marks {
    marks: RequestMarks,
    /// As many bytes of a line decide it.
    longest: usize,
    /// How the current line began, while that is undecided.
    head: Vec<u8>,
    /// The current line is decided; only its newline matters.
    decided: bool,
    open: usize,
}

impl Marks {
    pub(super) fn new(marks: RequestMarks) -> Self {
        let all = marks.opened_by_output.iter().chain(&marks.closed_by_output);
        let longest = all.map(String::len).max().unwrap_or(0);
        Self {
            marks,
            longest,
            head: Vec::with_capacity(longest),
            decided: false,
            open: 0,
        }
    }

    pub(super) fn any_open(&self) -> bool {
        self.open > 0
    }

    pub(super) fn output(&mut self, mut bytes: &[u8]) {
        if self.marks.opened_by_output.is_empty() {
            return;
        }
        while !bytes.is_empty() {
            let end = memchr(b'\n', bytes);
            let line = &bytes[..end.unwrap_or(bytes.len())];
            if !self.decided {
                let missing = self.longest - self.head.len();
                self.head
                    .extend_from_slice(&line[..missing.min(line.len())]);
                if self.head.len() == self.longest || end.is_some() {
                    self.decide();
                }
            }
            let Some(end) = end else { return };
            self.decided = false;
            self.head.clear();
            bytes = &bytes[end + 1..];
        }
    }

    pub(super) fn input(&mut self, line: &[u8]) {
        if begins(line, &self.marks.closed_by_input) {
            self.open = self.open.saturating_sub(1);
        }
    }

    fn decide(&mut self) {
        self.decided = true;
        if begins(&self.head, &self.marks.opened_by_output) {
            self.open = self.open.saturating_add(1);
        } else if begins(&self.head, &self.marks.closed_by_output) {
            self.open = self.open.saturating_sub(1);
        }
    }
}

fn begins(line: &[u8], marks: &[String]) -> bool {
    marks.iter().any(|mark| line.starts_with(mark.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks() -> Marks {
        Marks::new(RequestMarks {
            opened_by_output: vec!["ask".to_owned()],
            closed_by_output: vec!["withdraw".to_owned()],
            closed_by_input: vec!["answer".to_owned()],
        })
    }

    #[test]
    fn requests_are_counted_however_the_output_is_cut() {
        let output = b"ask 1\nno ask\nask 2\nwithdraw 1\nask";
        for size in 1..output.len() {
            let mut marks = marks();
            for chunk in output.chunks(size) {
                marks.output(chunk);
            }
            assert_eq!(marks.open, 1, "in chunks of {size}");
            marks.output(b" 3\n");
            assert_eq!(marks.open, 2, "in chunks of {size}");
        }
    }

    #[test]
    fn answers_close_requests_and_never_go_below_none() {
        let mut marks = marks();
        marks.input(b"answer 0");
        marks.output(b"ask 1\n");
        assert!(marks.any_open());
        marks.input(b"say answer");
        assert!(marks.any_open());
        marks.input(b"answer 1");
        assert!(!marks.any_open());
    }
}
