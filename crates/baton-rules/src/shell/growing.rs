//! A word while it is read, and what can be known of it in the end.

use super::{Value, Word};
use crate::glob::Token;

/// A word as it grows.
#[derive(Default)]
pub(super) struct Growing {
    pub(super) text: String,
    /// The wildcards, and before which byte of the text each stands.
    pub(super) wild: Vec<(usize, char)>,
    pub(super) unknown: bool,
    pub(super) splits: bool,
    pub(super) home: bool,
    pub(super) open_brace: bool,
    pub(super) close_brace: bool,
}

/// Whether the shell takes what it puts in apart at blanks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    Yes,
    No,
}

impl Growing {
    pub(super) fn becomes(&mut self, quoted: Quoted) {
        self.unknown = true;
        self.splits |= quoted == Quoted::No;
    }

    pub(super) fn finish(self, source: String) -> Word {
        // `{}` is what find and xargs put in; other braces may become several words.
        let braces = self.open_brace && self.close_brace && source != "{}";
        let value = if source == "~" {
            Value::Home(String::new())
        } else if self.unknown || braces || (self.home && !self.wild.is_empty()) {
            Value::Unknown {
                splits: self.splits || braces || !self.wild.is_empty(),
            }
        } else if self.home {
            // Joined to the home folder, so no second slash may make it a path of its own.
            Value::Home(self.text.trim_start_matches('/').to_owned())
        } else if !self.wild.is_empty() {
            Value::Wild(self.tokens())
        } else {
            Value::Known(self.text)
        };
        Word { source, value }
    }

    /// The word as a pattern. What `[…]` stands for is not worked out: it and
    /// the rest of the name may be anything.
    fn tokens(&self) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut wild = self.wild.iter().peekable();
        let mut open = false;
        let end = self.text.len();
        for (at, c) in self.text.char_indices().chain([(end, '/')]) {
            while let Some((_, wildcard)) = wild.next_if(|(place, _)| *place <= at) {
                open |= *wildcard == '[';
                tokens.push(match wildcard {
                    '?' => Token::One,
                    _ => Token::Many,
                });
            }
            open &= c != '/';
            if !open && at < end {
                tokens.push(Token::Char(c));
            }
        }
        tokens
    }
}
