//! Text from a stranger, made fit to be looked at.

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

/// Controls, and what looks like nothing or changes the order of what is around it.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{00AD}'
                | '\u{034F}'
                | '\u{061C}'
                | '\u{115F}'..='\u{1160}'
                | '\u{17B4}'..='\u{17B5}'
                | '\u{180B}'..='\u{180F}'
                | '\u{200B}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}'
                | '\u{FEFF}'
                | '\u{FFA0}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E0FFF}'
        )
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
