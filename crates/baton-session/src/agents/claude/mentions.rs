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

/// A rule that denies reading, as the CLI writes it. One with characters that
/// mean something else there is left out.
pub(crate) fn denied_read(rule: &str) -> Option<String> {
    let path = match rule {
        "Read" | "*" => "//**",
        _ => rule.strip_prefix("Read(")?.strip_suffix(')')?,
    };
    let plain = |c: char| c.is_alphanumeric() || "._-/*?~@+=, ".contains(c);
    if !path.chars().all(plain) {
        return None;
    }
    Some(match path.strip_prefix('/') {
        // Below the project, where the CLI reads a slash as its own folder.
        Some(rooted) if !rooted.starts_with('/') => format!("Read(./{rooted})"),
        _ => format!("Read({path})"),
    })
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
        assert_eq!(cli("Read(a\\(b)"), "");
        assert_eq!(cli("Bash(rm:*)"), "");
    }
}
