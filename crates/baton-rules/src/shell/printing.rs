//! Commands that only print, or shorten what another command prints: they read
//! no file, so a rule for the command before them is enough for the line.
//!
//! `npm test 2>&1 | tail -5; echo "exit: $?"` is `npm test` to a person.

use super::{Redirect, Simple, Value, Word, reads_only};

/// A program that reads nothing but its input if it is given only these.
struct Filter {
    program: &'static str,
    /// Letters of options without a value.
    flags: &'static str,
    /// Letters of options with a value.
    values: &'static str,
    /// A number may stand for an option, as in `tail -5`.
    counts: Counts,
    /// How many words that are no options it may have: patterns, not files.
    words: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Too,
    Not,
}

const FILTERS: &[Filter] = &[
    filter("cat", "AbeEnstTuv", "", Counts::Not, 0),
    filter("cut", "sz", "bcdf", Counts::Not, 0),
    filter("egrep", GREP, GREP_VALUES, Counts::Too, 1),
    filter("fgrep", GREP, GREP_VALUES, Counts::Too, 1),
    filter("grep", GREP, GREP_VALUES, Counts::Too, 1),
    filter("head", "qv", "cn", Counts::Too, 0),
    filter("nl", "", "", Counts::Not, 0),
    filter("rev", "", "", Counts::Not, 0),
    filter("sort", "bdfghinrsuVz", "kt", Counts::Not, 0),
    filter("tac", "", "", Counts::Not, 0),
    filter("tail", "qv", "cn", Counts::Too, 0),
    filter("tr", "cCdst", "", Counts::Not, 2),
    filter("uniq", "cdiuz", "fsw", Counts::Not, 0),
    filter("wc", "clLmw", "", Counts::Not, 0),
];

const GREP: &str = "acEFGhHiLlnoPqsvwxz";
const GREP_VALUES: &str = "ABCm";

const fn filter(
    program: &'static str,
    flags: &'static str,
    values: &'static str,
    counts: Counts,
    words: usize,
) -> Filter {
    Filter {
        program,
        flags,
        values,
        counts,
        words,
    }
}

/// Whether the command at this place prints only, and nothing else reads it
/// but another one that does.
pub(crate) fn only_prints(commands: &[Simple], at: usize) -> bool {
    let Some(simple) = commands.get(at) else {
        return false;
    };
    prints(simple) && (!simple.feeds || only_prints(commands, at + 1))
}

fn prints(simple: &Simple) -> bool {
    let discards = |redirect: &Redirect| matches!(redirect, Redirect::Write(_));
    if !reads_only(simple) || !simple.redirects.iter().all(discards) {
        return false;
    }
    let arguments = simple.words.get(1..).unwrap_or_default();
    match simple.name() {
        Some("echo") => arguments.iter().all(is_text_or_status),
        Some("true" | "false" | "pwd") => arguments.is_empty(),
        Some(name) => FILTERS
            .iter()
            .find(|filter| filter.program == name)
            .is_some_and(|filter| filter.takes(arguments)),
        None => false,
    }
}

/// Whether a word is known, but for how the last command ended.
fn is_text_or_status(word: &Word) -> bool {
    match &word.value {
        Value::Known(_) => true,
        Value::Unknown { .. } => {
            let rest = word.source.replace("$?", "");
            !rest.contains(['$', '`', '<', '>', '(', '*', '?', '[', '{', '~', '\\'])
        }
        Value::Home(_) | Value::Wild(_) => false,
    }
}

impl Filter {
    fn takes(&self, arguments: &[Word]) -> bool {
        let mut words = 0;
        let mut rest = arguments.iter().map(Word::text);
        while let Some(argument) = rest.next() {
            let Some(text) = argument else {
                return false;
            };
            match text.strip_prefix('-') {
                // `-` is a file, and what follows `--` may be one.
                Some("" | "-") => return false,
                Some(option) => match self.option(option) {
                    Read::Whole => {}
                    Read::WantsValue if rest.next().flatten().is_some() => {}
                    Read::WantsValue | Read::Unknown => return false,
                },
                None => words += 1,
            }
        }
        words <= self.words
    }

    /// What the letters behind a dash are.
    fn option(&self, letters: &str) -> Read {
        let number = letters.chars().all(|letter| letter.is_ascii_digit());
        if number && self.counts == Counts::Too {
            return Read::Whole;
        }
        for (at, letter) in letters.char_indices() {
            if self.values.contains(letter) {
                let attached = &letters[at + letter.len_utf8()..];
                return if attached.is_empty() {
                    Read::WantsValue
                } else {
                    Read::Whole
                };
            }
            if !self.flags.contains(letter) {
                return Read::Unknown;
            }
        }
        Read::Whole
    }
}

/// How a word that begins with a dash was read.
enum Read {
    /// An option, with its value if it takes one.
    Whole,
    /// The next word is its value.
    WantsValue,
    Unknown,
}
