//! Secrets in what is asked for, known by the one list there is.

use std::borrow::Cow;

use baton_protocol::mask;

/// How much of a place is repeated, so that a person finds it.
const SHOWN: usize = 40;

/// Where secrets are in a text: the words around them, with the secrets hidden.
pub(super) fn hints(text: &str) -> Vec<String> {
    let Cow::Owned(hidden) = mask::text(text) else {
        return Vec::new();
    };
    let mut found: Vec<String> = Vec::new();
    let mut before = "";
    for word in hidden.split_whitespace() {
        if word.contains(mask::MASK) {
            let place = if word.trim_matches(['\'', '"']) == mask::MASK {
                format!("{before} {word}")
            } else {
                word.to_owned()
            };
            let place: String = place.trim().chars().take(SHOWN).collect();
            if !found.contains(&place) {
                found.push(place);
            }
        }
        before = word;
    }
    found
}

/// The words of a warning about them; none without any.
pub(super) fn words(hints: &[String]) -> Option<String> {
    let (first, others) = hints.split_first()?;
    let more = match others.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "has a secret in it ({first}{more}), which stays in the log"
    ))
}
