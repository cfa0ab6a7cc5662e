//! Lone surrogates: half characters that JavaScript can hold and write, and
//! that no Rust string can. A stream cut in the middle of an emoji has them.

use std::fmt::Write as _;

/// Replaces escapes of lone surrogates by U+FFFD. None when there are none.
pub(super) fn repair(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('\\') {
        let escape = at + found;
        let Some(unit) = unit_at(text, escape) else {
            // Another escape: skip the backslash and what it escapes.
            at = (escape + 2).min(text.len());
            while !text.is_char_boundary(at) {
                at += 1;
            }
            continue;
        };
        at = escape + ESCAPE_LEN;
        if !(0xD800..0xE000).contains(&unit) {
            continue;
        }
        let followed = unit_at(text, at).is_some_and(|next| (0xDC00..0xE000).contains(&next));
        if unit < 0xDC00 && followed {
            at += ESCAPE_LEN;
            continue;
        }
        out.push_str(text.get(copied..escape)?);
        write!(out, "\\u{:04x}", 0xFFFD).ok()?;
        copied = at;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}

/// Length of `\uXXXX`.
const ESCAPE_LEN: usize = 6;

fn unit_at(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + ESCAPE_LEN)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}
