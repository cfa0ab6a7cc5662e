//! Characters that a person reading a text does not see, or sees as a blank.
//!
//! One list for all who look for them: rules about commands, warnings at
//! requests, what a folder would run, and the page, whose copy is generated.

/// From and to, in order. Line ends and tabs are seen by what they do.
pub const RANGES: &[(u32, u32)] = &[
    // Controls; a carriage return is one. The last is the no-break space.
    (0x00, 0x08),
    (0x0B, 0x1F),
    (0x7F, 0xA0),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    // Letters that are blank.
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    // Blanks of all widths, joiners, and what turns the direction of writing.
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D159, 0x1D159),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
];

/// Whether a character is one of them.
pub fn is_unseen(character: char) -> bool {
    let code = u32::from(character);
    // Most text is plain.
    if (0x20..0x7F).contains(&code) {
        return false;
    }
    let at = RANGES.partition_point(|(_, last)| *last < code);
    RANGES.get(at).is_some_and(|(first, _)| *first <= code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order_and_has_every_control_and_every_blank() {
        for pair in RANGES.windows(2) {
            assert!(pair[0].0 <= pair[0].1 && pair[0].1 < pair[1].0, "{pair:?}");
        }
        for character in char::MIN..=char::MAX {
            let seen = matches!(character, ' ' | '\t' | '\n');
            if character.is_control() || character.is_whitespace() {
                assert_eq!(is_unseen(character), !seen, "{character:?}");
            }
        }
        for plain in ['a', 'ä', '字', '😀', '→', '…', '\u{301}'] {
            assert!(!is_unseen(plain), "{plain:?}");
        }
        for odd in ['\u{34f}', '\u{2800}', '\u{fe0f}', '\u{e0100}', '\u{a0}'] {
            assert!(is_unseen(odd), "{odd:?}");
        }
    }
}
