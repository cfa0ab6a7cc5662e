//! Text from a stranger, made fit to be looked at.

use baton_protocol::unseen::is_unseen;

/// More of a value than this is not shown, in characters.
const SHOWN: usize = 2_000;

/// The text with every character that does not show as itself written as its
/// number, cut at a length that a person may still read.
pub(crate) fn show(text: &str) -> String {
    let mut shown = String::with_capacity(text.len().min(SHOWN));
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN {
            shown.push('…');
            break;
        }
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            hidden if is_hidden(hidden) => shown.extend(hidden.escape_unicode()),
            plain => shown.push(plain),
        }
    }
    shown
}

/// What does not show as itself on one line.
pub(crate) fn is_hidden(character: char) -> bool {
    is_unseen(character) || matches!(character, '\n' | '\t')
}

/// Digits of a hash.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_shows_its_number() {
        for (text, expected) in [
            ("plain äß 字", "plain äß 字"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("rm \u{202e}fdp.exe", "rm \\u{202e}fdp.exe"),
            ("a\u{200b}b\u{9b}", "a\\u{200b}b\\u{9b}"),
        ] {
            assert_eq!(show(text), expected);
        }
        assert_eq!(show(&"ä".repeat(3_000)).chars().count(), SHOWN + 1);
    }
}
