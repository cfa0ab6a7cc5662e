//! Text that comes in pieces, told to who must not see secrets in it.
//!
//! A piece may end in the middle of a secret, so the last word is held back
//! until it ends, and from a word that announces a secret on, the rest of its
//! line, or what follows below it. What is told is a beginning of what the whole text is told as later.

use super::{
    MASK,
    assigned::{announced, is_short},
    below::{is_closed, is_open},
    commands::takes,
    shapes::{closes_key, leaves_key_open},
    text,
};

/// Words in front of a secret, in small letters.
const ANNOUNCE: &[&str] = &["bearer", "basic", "-----"];

/// The most of one line that is held back to be looked at; a longer one is
/// not told at all.
const LINE: usize = 64 << 10;

/// The most that is kept of how far in a line stands.
const LEAD: usize = 200;

/// A text so far.
#[derive(Debug, Default)]
pub struct LineMask {
    /// What came and was not told yet, all of one line.
    held: String,
    /// What of its line was told already, as long as that says how far in it
    /// stands.
    lead: String,
    led: bool,
    /// Whole lines before it whose value is on the lines that follow.
    open: String,
    /// How much at their beginning was told already.
    begun: usize,
    /// What the open lines announce is too long, and is left out up to its end.
    skips_open: bool,
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
        if !self.in_key && !self.skips && self.open.is_empty() {
            let safe = safe_end(&self.held);
            let rest = self.held.split_off(safe);
            for sign in self.held.chars() {
                let leads = matches!(sign, ' ' | '\t' | '→' | '+' | '-') || sign.is_ascii_digit();
                self.led |= !leads || self.lead.len() > LEAD;
                if !self.led {
                    self.lead.push(sign);
                }
            }
            told.push_str(&text(&self.held));
            self.held = rest;
        }
        told
    }

    /// Takes a whole line. One that leaves its value to those below is told
    /// together with them.
    fn line(&mut self, line: &str, told: &mut String) {
        self.led = false;
        let lead = std::mem::take(&mut self.lead);
        if self.open.is_empty() && !self.in_key && !self.skips && is_open(line) {
            self.begun = lead.len();
            self.open = lead + line;
            return;
        }
        if self.open.is_empty() {
            self.lines(line, told);
            return;
        }
        let mut lines = std::mem::take(&mut self.open);
        let before = lines.len();
        lines.push_str(line);
        if !is_closed(&lines) {
            if lines.len() > LINE {
                let first = lines.find('\n').map_or(before, |end| end + 1);
                if !self.skips_open {
                    told.push_str(&text(&lines[self.begun..first]));
                    told.push_str(MASK);
                    told.push('\n');
                }
                self.skips_open = true;
                lines.truncate(first);
            }
            self.open = lines;
        } else if std::mem::take(&mut self.skips_open) {
            self.line(line, told);
        } else if is_open(line) {
            // It may announce something itself.
            self.closed(&lines[..before], told);
            self.open = line.to_owned();
        } else {
            self.closed(&lines, told);
        }
    }

    fn closed(&mut self, lines: &str, told: &mut String) {
        let mut all = String::new();
        let begun = std::mem::take(&mut self.begun);
        self.lines(lines, &mut all);
        // Nothing in it is a secret.
        told.push_str(all.strip_prefix(&lines[..begun]).unwrap_or(&all));
    }

    fn lines(&mut self, line: &str, told: &mut String) {
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
    // `tests pass` announces nothing, `pass:` and `--pass` do.
    let joined = word.starts_with('-') || word.contains(['=', ':']);
    ANNOUNCE.iter().any(|begin| small.contains(begin))
        || names
            .map(|name| name.trim_matches('-'))
            .any(|name| (announced(name).is_some() && (joined || !is_short(name))) || takes(name))
}
