//! Words or a pattern in the files of a whole project.
//!
//! Only what a [`Catalogue`] has is read: nothing that the repository leaves
//! out, no secrets, nothing beyond links. How much is read, how long it takes
//! and how much is found all have a bound, and the answer says when one was
//! reached.

use std::{io::Read as _, ops::Range, path::PathBuf, time::Duration};

use baton_protocol::api::{FoundLine, FoundText, SearchedFiles};
use regex_automata::{
    Input,
    meta::{BuildError, Regex},
    util::syntax,
};
use tokio::time::Instant;

use super::{
    find::Catalogue,
    open::{Inside, ProjectFolder},
    text::{Encoding, HEAD, Sniffed, decode, sniff},
};

/// Larger files are passed over: they are data, not text that somebody wrote.
const FILE: u64 = 2 << 20;
/// So much is read in all.
const READ: u64 = 256 << 20;
/// So long is looked.
const TIME: Duration = Duration::from_secs(8);
/// So many lines of one file are told.
const OF_A_FILE: usize = 50;
/// In so much of a line is looked: longer ones are data, and some patterns take
/// their time with them.
const LOOKED_AT: usize = 64 << 10;
/// So many lines are looked through between two looks whether to go on.
const LINES_AT_ONCE: usize = 64;
/// A line is told around what was found, with so many characters in all.
const LINE: usize = 240;
/// So many of them before it.
const BEFORE: usize = 60;
/// What a pattern may take in memory, compiled and while it is looked for.
const PATTERN: usize = 1 << 20;

/// What is looked for.
#[derive(Debug)]
pub struct TextSearch {
    pattern: Regex,
}

/// A pattern that cannot be read, or is too large.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadPattern(String);

impl TextSearch {
    /// Words as they are, or a regular expression.
    pub fn new(text: &str, regex: bool, exact_case: bool) -> Result<Self, BadPattern> {
        let escaped;
        let pattern = if regex {
            text
        } else {
            escaped = literal(text);
            &escaped
        };
        let limits = Regex::config()
            .nfa_size_limit(Some(PATTERN))
            .onepass_size_limit(Some(PATTERN))
            .hybrid_cache_capacity(PATTERN);
        let syntax = syntax::Config::new()
            .case_insensitive(!exact_case)
            .multi_line(true)
            .nest_limit(64);
        let built = Regex::builder()
            .configure(limits)
            .syntax(syntax)
            .build(pattern);
        match built {
            Ok(pattern) => Ok(Self { pattern }),
            Err(error) => Err(BadPattern(told(&error))),
        }
    }

    /// The lines of a text that have it, until `is_over`.
    fn lines(&self, text: &str, is_over: &dyn Fn() -> bool) -> InText {
        let mut found = InText::default();
        for (number, line) in (1_usize..).zip(text.lines()) {
            if usize::is_multiple_of(number, LINES_AT_ONCE) && is_over() {
                found.unread = true;
                break;
            }
            let end = line.floor_char_boundary(LOOKED_AT);
            let Some(at) = self.pattern.find(Input::new(line).span(0..end)) else {
                found.unread |= end < line.len();
                continue;
            };
            if found.lines.len() == OF_A_FILE {
                found.more = true;
                break;
            }
            found.lines.push(shown(number as u64, line, at.range()));
        }
        found
    }
}

/// What was found in one text.
#[derive(Debug, Default)]
struct InText {
    lines: Vec<FoundLine>,
    /// It is in more lines.
    more: bool,
    /// Some of the text was not looked at.
    unread: bool,
}

/// Every character stands for itself.
fn literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() * 2);
    for letter in text.chars() {
        if letter.is_ascii_punctuation() {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

fn told(error: &BuildError) -> String {
    match error.size_limit() {
        Some(_) => "it is too large".to_owned(),
        None => {
            let syntax = error.syntax_error().map(ToString::to_string);
            let said = syntax.unwrap_or_else(|| error.to_string());
            // The last line says what is wrong; those before draw where.
            let last = said.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_owned()
        }
    }
}

/// A line around what was found; places are counted in characters.
fn shown(number: u64, line: &str, at: Range<usize>) -> FoundLine {
    let before = line[..at.start].chars().count();
    let length = line[at].chars().count();
    let skipped = before.saturating_sub(BEFORE);
    let text: String = line.chars().skip(skipped).take(LINE).collect();
    let kept = text.chars().count();
    let from = before - skipped;
    FoundLine {
        line: number,
        cut: skipped > 0 || line.chars().count() > skipped + kept,
        from: u32::try_from(from.min(kept)).unwrap_or(u32::MAX),
        to: u32::try_from((from + length).min(kept)).unwrap_or(u32::MAX),
        text,
    }
}

impl ProjectFolder {
    /// Looks through the files of a catalogue below a folder, for at most
    /// `most` lines, until nobody waits for it. What changed meanwhile is read
    /// as it is now.
    pub fn search(
        &self,
        catalogue: &Catalogue,
        below: &str,
        wanted: &TextSearch,
        most: usize,
        is_gone: &dyn Fn() -> bool,
    ) -> SearchedFiles {
        let began = Instant::now();
        let is_over = || began.elapsed() > TIME || is_gone();
        let mut answer = SearchedFiles {
            items: Vec::new(),
            files: 0,
            truncated: catalogue.is_truncated(),
        };
        let below = below.trim_matches('/');
        let (mut read, mut lines) = (0, 0);
        let inside = |path: &&str| {
            let rest = path.strip_prefix(below);
            below.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        for path in catalogue.files().filter(inside) {
            if is_over() || read > READ || lines >= most {
                answer.truncated = true;
                break;
            }
            let Some(text) = self.text_of(path) else {
                continue;
            };
            read += text.len() as u64;
            answer.files += 1;
            let mut found = wanted.lines(&text, &is_over);
            answer.truncated |= found.unread;
            if found.lines.is_empty() {
                continue;
            }
            if found.lines.len() > most - lines {
                found.lines.truncate(most - lines);
                (found.more, answer.truncated) = (true, true);
            }
            lines += found.lines.len();
            answer.items.push(FoundText {
                path: path.to_owned(),
                lines: found.lines,
                more: found.more,
            });
        }
        answer
    }

    /// A file that is text, whole; none if it is not, or gone, or too large.
    fn text_of(&self, path: &str) -> Option<String> {
        let (file, stat) = self.file(&Inside(PathBuf::from(path))).ok()?;
        if u64::try_from(stat.st_size).unwrap_or(u64::MAX) > FILE {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(FILE + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > FILE {
            return None;
        }
        match sniff(&bytes[..bytes.len().min(HEAD)]) {
            Sniffed::Text(encoding @ (Encoding::Utf8 | Encoding::Latin1)) => {
                Some(decode(bytes, encoding).0)
            }
            Sniffed::Text(encoding) => Some(decode(bytes, encoding).0),
            Sniffed::Image(_) | Sniffed::Binary => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, regex: bool, exact: bool, of: &str) -> Vec<u64> {
        let wanted = TextSearch::new(text, regex, exact).unwrap();
        let found = wanted.lines(of, &|| false);
        found.lines.iter().map(|line| line.line).collect()
    }

    #[test]
    fn words_stand_for_themselves_and_a_pattern_for_what_it_matches() {
        let text = "a.b(c)\r\nA-B(C)\nnothing\n$x^ \\ ß\n";
        assert_eq!(found("a.b(", false, false, text), [1]);
        assert_eq!(found("a.b\\(", true, false, text), [1, 2]);
        assert_eq!(found("a.b\\(", true, true, text), [1]);
        assert_eq!(found("$x^ \\ ß", false, true, text), [4]);
        assert_eq!(found("^n", true, true, text), [3]);
    }

    #[test]
    fn a_bad_pattern_says_what_is_wrong() {
        let told = TextSearch::new("a(b", true, false).unwrap_err().to_string();
        assert_eq!(told, "unclosed group");
        let told = TextSearch::new("(?:a{1000}){1000}", true, false);
        assert_eq!(told.unwrap_err().to_string(), "it is too large");
    }

    #[test]
    fn a_long_line_is_told_around_what_was_found() {
        let line = format!("{}wörter{}", "ä".repeat(500), "x".repeat(500));
        let wanted = TextSearch::new("WÖRTER", false, false).unwrap();
        let found = wanted.lines(&line, &|| false);
        let [one] = &found.lines[..] else {
            panic!("one line")
        };
        let letters: Vec<char> = one.text.chars().collect();
        let word: String = letters[one.from as usize..one.to as usize].iter().collect();
        assert_eq!(
            (word.as_str(), letters.len(), one.cut),
            ("wörter", 240, true)
        );
    }

    #[test]
    fn what_was_not_looked_at_is_told() {
        let wanted = TextSearch::new("here", false, false).unwrap();
        let late = format!("{}here\nhere\n", "x".repeat(LOOKED_AT));
        let found = wanted.lines(&late, &|| false);
        let numbers: Vec<u64> = found.lines.iter().map(|line| line.line).collect();
        assert_eq!((numbers, found.unread), (vec![2], true));
        let long = format!("{}here\n", "there\nx\n".repeat(LINES_AT_ONCE));
        assert!(!wanted.lines(&long, &|| false).unread);
        let left = wanted.lines(&long, &|| true);
        assert!(left.unread && left.lines.len() < LINES_AT_ONCE);
    }
}
