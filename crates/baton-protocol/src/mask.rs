//! Texts that look like credentials, for who may see everything but them.
//!
//! A pure look at text: known shapes of keys and tokens, private keys, values
//! that stand behind a name such as `password`, passwords in addresses and on
//! the command lines of programs that take one.
//! It errs on the side of hiding, but leaves alone what code and logs are full
//! of: hashes, ids and names. It cannot know a secret that looks like a word.
//!
//! Read in this order: `text`, `json`, `lines`, `options`.

mod assigned;
mod commands;
mod json;
mod lines;
mod options;
mod shapes;

pub use json::json;
pub use lines::LineMask;
pub use options::{Hidden, event_text, hide};

use std::{borrow::Cow, ops::Range};

/// What stands in the place of a secret.
pub const MASK: &str = "•••";

/// The text with every secret in it replaced.
pub fn text(text: &str) -> Cow<'_, str> {
    let found = ranges(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for range in found {
        shown.push_str(&text[at..range.start]);
        shown.push_str(MASK);
        at = range.end;
    }
    shown.push_str(&text[at..]);
    Cow::Owned(shown)
}

/// Where secrets are in a text, in order, none touching another.
fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    shapes::find(text, &mut found);
    assigned::find(text, &mut found);
    commands::find(text, &mut found);
    found.sort_unstable_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
#[path = "mask_tests.rs"]
mod tests;
