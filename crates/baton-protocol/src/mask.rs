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
mod below;
mod commands;
mod found;
mod json;
mod lines;
mod options;
mod shapes;

pub use found::Secret;
pub use json::{json, secrets};
pub use lines::LineMask;
pub use options::{Hidden, event_text, hide};

use std::borrow::Cow;

use found::Found;

/// What stands in the place of a secret.
pub const MASK: &str = "•••";

/// The text with every secret in it replaced.
pub fn text(text: &str) -> Cow<'_, str> {
    match find(text) {
        found if found.is_empty() => Cow::Borrowed(text),
        found => Cow::Owned(replaced(text, &found)),
    }
}

fn replaced(text: &str, found: &[Found]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for Found { range, .. } in found {
        shown.push_str(&text[at..range.start]);
        shown.push_str(MASK);
        at = range.end;
    }
    shown.push_str(&text[at..]);
    shown
}

/// Where secrets are in a text, in order, none touching another.
fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    shapes::find(text, &mut found);
    assigned::find(text, &mut found);
    commands::find(text, &mut found);
    found.sort_unstable_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end)));
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    for one in found {
        match merged.last_mut() {
            Some(last) if one.range.start <= last.range.end => {
                last.range.end = last.range.end.max(one.range.end);
            }
            _ => merged.push(one),
        }
    }
    merged
}

#[cfg(test)]
#[path = "mask_tests.rs"]
mod tests;
