//! Which words of a line changed.

use std::time::Duration;

use baton_protocol::{
    api::{DiffHunk, DiffRow},
    event::LineKind,
};
use similar::{ChangeTag, TextDiff};

use super::{hunk, line, row};

/// Longer lines are not looked into, in bytes.
const LINE: usize = 1_000;
/// A block with more lines than this is not looked into.
const BLOCK: usize = 200;
/// Lines that have less in common than this are simply other lines.
const ALIKE: f32 = 0.5;
/// For one pair of lines.
const TIME: Duration = Duration::from_millis(20);

/// Marks what changed within lines that stand for each other: the first removed
/// one for the first added one, and so on.
pub(super) fn mark(rows: &mut [DiffRow]) {
    let mut at = 0;
    while at < rows.len() {
        let removed = run(rows, at, LineKind::Removed);
        let added = run(rows, at + removed, LineKind::Added);
        let pairs = removed.min(added);
        if removed <= BLOCK && added <= BLOCK {
            for pair in 0..pairs {
                let (old, new) = (at + pair, at + removed + pair);
                let (old_marks, new_marks) = compare(&rows[old].text, &rows[new].text);
                rows[old].marks = old_marks;
                rows[new].marks = new_marks;
            }
        }
        at += (removed + added).max(1);
    }
}

fn run(rows: &[DiffRow], from: usize, kind: LineKind) -> usize {
    let rest = rows.iter().skip(from);
    rest.take_while(|row| row.kind == kind).count()
}

type Marks = Vec<(u32, u32)>;

fn compare(old: &str, new: &str) -> (Marks, Marks) {
    if old.len() > LINE || new.len() > LINE {
        return (Vec::new(), Vec::new());
    }
    let (old, new) = (tokens(old), tokens(new));
    let diff = TextDiff::configure().timeout(TIME).diff_slices(&old, &new);
    if diff.ratio() < ALIKE {
        return (Vec::new(), Vec::new());
    }
    let (mut left, mut right) = (Side::default(), Side::default());
    for change in diff.iter_all_changes() {
        let length = change.value().encode_utf16().count();
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        match change.tag() {
            ChangeTag::Equal => {
                left.at += length;
                right.at += length;
            }
            ChangeTag::Delete => left.mark(length),
            ChangeTag::Insert => right.mark(length),
        }
    }
    (left.marks, right.marks)
}

/// Words, blanks, and everything else by itself.
fn tokens(line: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 'w',
        c if c.is_whitespace() => ' ',
        c => c,
    };
    let mut tokens = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let kind = class(first);
        let end = if matches!(kind, 'w' | ' ') {
            rest.find(|c: char| class(c) != kind).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..end]);
        rest = &rest[end..];
    }
    tokens
}

#[derive(Default)]
struct Side {
    at: u32,
    marks: Marks,
}

impl Side {
    fn mark(&mut self, length: u32) {
        let end = self.at + length;
        match self.marks.last_mut() {
            Some(last) if last.1 == self.at => last.1 = end,
            _ => self.marks.push((self.at, end)),
        }
        self.at = end;
    }
}

/// A file that was not there before; true if a line was cut.
pub(super) fn all_new(text: &str, hunks: &mut Vec<DiffHunk>) -> bool {
    let mut cut = false;
    let lines = (1..).zip(text.split_inclusive('\n'));
    let mut rows: Vec<DiffRow> = lines
        .map(|(number, text)| {
            let (text, short) = line(text);
            cut |= short;
            row(LineKind::Added, None, Some(number), text)
        })
        .collect();
    if let Some(last) = rows.last_mut() {
        last.no_newline = !text.ends_with('\n');
        let mut hunk = hunk((0, 0), (1, rows.len() as u64));
        hunk.lines = rows;
        hunks.push(hunk);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_words_are_marked_in_units_that_a_screen_counts_in() {
        let (old, new) = compare("let 😀 = one(x);", "let 😀 = two(x);");
        assert_eq!((old, new), (vec![(9, 12)], vec![(9, 12)]));
        assert_eq!(compare("abc", "xyz"), (Vec::new(), Vec::new()));
    }

    #[test]
    fn lines_stand_for_each_other_in_order() {
        let text = |kind, text: &str| row(kind, None, None, text.to_owned());
        let mut rows = vec![
            text(LineKind::Same, "x"),
            text(LineKind::Removed, "the old first line"),
            text(LineKind::Removed, "second"),
            text(LineKind::Added, "the new first line"),
            text(LineKind::Same, "y"),
            text(LineKind::Added, "alone"),
        ];
        mark(&mut rows);
        let marks: Vec<_> = rows.iter().map(|row| row.marks.clone()).collect();
        let word = vec![(4, 7)];
        let none = Vec::new();
        assert_eq!(
            marks,
            [
                none.clone(),
                word.clone(),
                none.clone(),
                word,
                none.clone(),
                none
            ]
        );
    }

    #[test]
    fn a_new_file_without_a_newline_at_its_end_says_so() {
        let mut hunks = Vec::new();
        assert!(!all_new("a\r\nb", &mut hunks));
        let lines = &hunks[0].lines;
        assert_eq!((lines[0].text.as_str(), lines[0].no_newline), ("a", false));
        assert_eq!((lines[1].text.as_str(), lines[1].no_newline), ("b", true));
        let mut none = Vec::new();
        all_new("", &mut none);
        assert!(none.is_empty());
    }
}
