//! Plain words for people: what an agent says, made harmless.

/// Text of an agent, made harmless and honest: lines and tabs stay, and what
/// would move the cursor or not be seen is shown by its number.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            c if c.is_control() || is_unseen(c) => {
                shown.push_str(&format!("<U+{:04X}>", u32::from(c)));
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Characters that take no place, turn the direction of writing, or break
/// lines: Unicode's format characters and separators, and fillers.
pub fn is_unseen(c: char) -> bool {
    matches!(
        u32::from(c),
        0xad | 0x34f
            | 0x600..=0x605
            | 0x61c
            | 0x6dd
            | 0x70f
            | 0x890..=0x891
            | 0x8e2
            | 0x115f..=0x1160
            | 0x17b4..=0x17b5
            | 0x180e
            | 0x200b..=0x200f
            | 0x2028..=0x202e
            | 0x2060..=0x206f
            | 0x3164
            | 0xfeff
            | 0xffa0
            | 0xfff9..=0xfffb
            | 0x1_10bd
            | 0x1_10cd
            | 0x1_3430..=0x1_343f
            | 0x1_bca0..=0x1_bca3
            | 0x1_d173..=0x1_d17a
            | 0xe_0000..=0xe_0fff
    )
}

/// One line of at most `max` characters.
pub fn clean(text: &str, max: usize) -> String {
    let line = harmless(text).replace(['\n', '\t'], " ");
    if line.chars().count() <= max {
        return line;
    }
    let mut short: String = line.chars().take(max.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_cannot_paint_the_screen() {
        assert_eq!(
            harmless("a\u{1b}[2Jb\rc\u{9b}d\r\n\te"),
            "a<U+001B>[2Jb<U+000D>c<U+009B>d\n\te"
        );
        assert_eq!(clean("one\ntwo", 80), "one two");
        assert_eq!(clean("abcdef", 4), "abc…");
    }

    #[test]
    fn what_cannot_be_seen_is_shown_by_its_number() {
        assert_eq!(
            harmless("rm\u{202e}x\u{200b}\u{feff}\u{2066}\u{e0041}é 日本"),
            "rm<U+202E>x<U+200B><U+FEFF><U+2066><U+E0041>é 日本"
        );
    }
}
