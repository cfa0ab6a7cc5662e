//! Files that Claude Code reads because a text names them with `@`: in a
//! message, in what follows a slash command, in the body of a command or a
//! skill. It reads them by itself, with no tool call that a rule could judge.
//!
//! So messages are looked through before they are taken, and the rules that
//! deny reading are given to the CLI too, which keeps to them wherever the
//! name stands.

use std::collections::BTreeSet;

/// The most names that are looked at in one message.
pub(crate) const MAX_MENTIONS: usize = 20_000;

/// Everything in a text that may be such a name. What the CLI takes for one was
/// tried with both pinned versions; this finds more rather than less. `None` if
/// there are more than can be looked at.
pub(crate) fn mentioned(text: &str) -> Option<BTreeSet<&str>> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices('@') {
        // An address of a person, not of a file.
        if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
            continue;
        }
        let rest = &text[at + 1..];
        if let Some(quoted) = rest.strip_prefix('"') {
            found.insert(quoted.split('"').next().unwrap_or_default());
        }
        let ends = |c: char| c.is_whitespace() || c == '\u{feff}';
        let mut name = rest.split(ends).next().unwrap_or_default();
        // `@file#L10-20` is a part of a file.
        found.extend(name.split_once('#').map(|(file, _)| file));
        // A sentence goes on behind a name: `(see @file).`
        while !name.is_empty() {
            found.insert(name);
            match name.char_indices().next_back() {
                Some((last, c)) if !c.is_alphanumeric() => name = &name[..last],
                _ => break,
            }
        }
        if found.len() > MAX_MENTIONS {
            return None;
        }
    }
    found.remove("");
    Some(found)
}

/// A rule that denies reading, as the CLI writes it. For a character that may
/// mean something else there, any is denied.
pub(crate) fn denied_read(rule: &str) -> Option<String> {
    let path = match rule.strip_prefix("Read(") {
        Some(path) => meant_at_least(path.strip_suffix(')')?),
        None if names_reading(rule) => "//**".to_owned(),
        None => return None,
    };
    Some(match path.strip_prefix('/') {
        // Below the project, where the CLI reads a slash as its own folder.
        Some(rooted) if !rooted.starts_with('/') => format!("Read(./{rooted})"),
        _ => format!("Read({path})"),
    })
}

/// Whether a name of tools, perhaps with wildcards, is that of reading.
fn names_reading(rule: &str) -> bool {
    let mut pieces = rule.split('*');
    let Some(mut rest) = "Read".strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    for piece in pieces {
        let Some(at) = rest.rfind(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.is_empty()
}

/// A path of a rule, widened where the CLI might read it in another way.
fn meant_at_least(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/~@+=, ".contains(c);
    let mut wide = String::new();
    let mut signs = path.chars();
    // Two stars in a row would cross folders.
    let mut after_class = false;
    while let Some(sign) = signs.next() {
        match sign {
            '*' if after_class => continue,
            '*' | '?' => wide.push(sign),
            '\\' => match signs.next().unwrap_or(sign) {
                sign if plain(sign) => wide.push(sign),
                sign => wide.push_str(any(sign)),
            },
            '[' => {
                while let Some(sign) = signs.next().filter(|sign| *sign != ']') {
                    if sign == '\\' {
                        signs.next();
                    }
                }
                if !wide.ends_with('*') {
                    wide.push('*');
                }
                after_class = true;
                continue;
            }
            sign if plain(sign) => wide.push(sign),
            sign => wide.push_str(any(sign)),
        }
        after_class = false;
    }
    wide
}

/// What stands for any one character in the place of this, which the CLI counts
/// in pieces of 16 bits.
const fn any(sign: char) -> &'static str {
    if sign.len_utf16() == 1 { "?" } else { "??" }
}

#[cfg(test)]
mod tests {
    use super::{denied_read, mentioned};

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<_> = mentioned(text).unwrap().into_iter().collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_are_found_as_the_cli_finds_them() {
        check("look at @sub/x please", &["sub/x"]);
        check("a\n@~/.x\u{3000}@../y", &["../y", "~/.x"]);
        check(
            "see @x, @y. and (@z).",
            &["x", "x,", "y", "y.", "z", "z)", "z)."],
        );
        check("@x#L1-2", &["x", "x#L1-2"]);
        check("@\"a b\" c", &["\"a", "a b"]);
        check("、@x", &["x"]);
        check("me@example.com", &[]);
        check("@", &[]);
    }

    #[test]
    fn rules_are_written_as_the_cli_reads_them() {
        let cli = |rule| denied_read(rule).unwrap_or_default();
        assert_eq!(cli("Read"), "Read(//**)");
        assert_eq!(cli("*"), "Read(//**)");
        assert_eq!(cli("Read(.env)"), "Read(.env)");
        assert_eq!(cli("Read(/sub/**)"), "Read(./sub/**)");
        assert_eq!(cli("Read(//etc/**)"), "Read(//etc/**)");
        assert_eq!(cli("Read(~/.ssh/**)"), "Read(~/.ssh/**)");
        assert_eq!(cli("Read(a\\(b)"), "Read(a?b)");
        assert_eq!(cli("Read(/x\\[1\\]/**)"), "Read(./x?1?/**)");
        assert_eq!(cli("Read(//etc/[!a\\]b]*.d)"), "Read(//etc/*.d)");
        assert_eq!(cli("Read(a\\*!#$.🔑)"), "Read(a????.??)");
        assert_eq!(cli("R*"), "Read(//**)");
        assert_eq!(cli("*ea*"), "Read(//**)");
        assert_eq!(cli("*x*"), "");
        assert_eq!(cli("ReadMcpResourceTool"), "");
        assert_eq!(cli("Bash(rm:*)"), "");
    }
}
