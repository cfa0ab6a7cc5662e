//! Text that comes in pieces, told to who must not see secrets in it.
//!
//! A piece may end in the middle of a secret, so the last word is held back
//! until it ends, and from a word that announces a secret on, the rest of its
//! line. What is told is a beginning of what the whole text is told as later.

use super::{
    MASK,
    assigned::announced,
    commands::takes,
    shapes::{closes_key, leaves_key_open},
    text,
};

/// Words in front of a secret, in small letters.
const ANNOUNCE: &[&str] = &["bearer", "basic", "-----"];

/// The most of one line that is held back to be looked at; a longer one is
/// not told at all.
const LINE: usize = 64 << 10;

/// A text so far.
#[derive(Debug, Default)]
pub struct LineMask {
    /// What came and was not told yet, all of one line.
    held: String,
    /// Inside a private key, which was told as one mask.
    in_key: bool,
    /// The line is too long to be looked at, and is left out up to its end.
    skips: bool,
}

impl LineMask {
    /// Takes more of the text; gives what may be told now.
    pub fn push(&mut self, more: &str) -> String {
        let mut told = String::new();
        for part in more.split_inclusive('\n') {
            self.held.push_str(part);
            if part.ends_with('\n') {
                let line = std::mem::take(&mut self.held);
                self.line(&line, &mut told);
            } else if self.held.len() > LINE {
                self.held.clear();
                if !self.skips && !self.in_key {
                    told.push_str(MASK);
                }
                self.skips = true;
            }
        }
        if !self.in_key && !self.skips {
            let safe = safe_end(&self.held);
            let rest = self.held.split_off(safe);
            told.push_str(&text(&self.held));
            self.held = rest;
        }
        told
    }

    fn line(&mut self, line: &str, told: &mut String) {
        if std::mem::take(&mut self.skips) {
            told.push('\n');
        } else if self.in_key {
            if closes_key(line) {
                self.in_key = false;
                // What stands behind the key on its last line is not worth a risk.
                told.push('\n');
            }
        } else if leaves_key_open(line) {
            self.in_key = true;
            told.push_str(&text(line));
        } else {
            told.push_str(&text(line));
        }
    }
}

/// How much of a line can be told whatever comes after it.
fn safe_end(line: &str) -> usize {
    let mut safe = 0;
    let mut start = 0;
    for word in line.split_inclusive([' ', '\t']) {
        start += word.len();
        if !word.ends_with([' ', '\t']) || announces(word) {
            return safe;
        }
        safe = start;
    }
    safe
}

/// Whether what follows a word on its line may be a secret.
fn announces(word: &str) -> bool {
    let small = word.to_ascii_lowercase();
    let names = word.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'));
    ANNOUNCE.iter().any(|begin| small.contains(begin))
        || names
            .map(|name| name.trim_matches('-'))
            .any(|name| announced(name).is_some() || takes(name))
}
