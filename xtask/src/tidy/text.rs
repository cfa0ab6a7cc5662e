//! What may stand in a line.

use super::{Report, Rule, extension, is_verbatim};
use crate::repository::Tree;

/// Parents of home folders. The name beneath them is someone's, unless it is
/// one that examples use.
const HOMES: &[&str] = &["/home/", "/Users/"];
const EXAMPLE_USERS: &[&str] = &["user"];

/// Folders that exist on some machine only. Written in halves, so that this
/// file keeps its own rule.
const PRIVATE: &[&str] = &[concat!("/ro", "ot/"), concat!("/wo", "rk/")];

/// What is left for later; written in halves for the same reason. One of the
/// words is also a name in agents' tools, so it counts as a marker only.
const UNFINISHED: &[&str] = &[
    concat!("FIX", "ME"),
    concat!("// TO", "DO"),
    concat!("# TO", "DO"),
    concat!("TO", "DO:"),
    concat!("TO", "DO("),
    concat!("XX", "X"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("#[ign", "ore"),
];

pub(super) fn check(tree: &Tree, report: &mut Report) {
    for (path, text) in &tree.texts {
        let verbatim = is_verbatim(path);
        let code = is_code(path, text) && !verbatim;
        for (index, line) in text.split('\n').enumerate() {
            let mut found = |rule, text: &str| {
                report.problem_at(rule, path, index + 1, text);
            };
            if !verbatim && let Some(text) = whitespace(path, line) {
                found(Rule::Whitespace, text);
            }
            if let Some(text) = machine_path(line) {
                found(Rule::MachinePath, &text);
            }
            if code && let Some(text) = unfinished(line) {
                found(Rule::Unfinished, &text);
            }
        }
        if !verbatim && !text.is_empty() && !text.ends_with('\n') {
            report.problem(Rule::Whitespace, path, "the last line has no end");
        }
    }
}

fn is_code(path: &str, text: &str) -> bool {
    matches!(
        extension(path),
        "rs" | "ts" | "js" | "svelte" | "css" | "sql" | "py" | "sh" | "toml"
    ) || text.starts_with("#!")
        || path.ends_with("Makefile")
}

fn whitespace(path: &str, line: &str) -> Option<&'static str> {
    if line.ends_with('\r') {
        return Some("ends with a carriage return");
    }
    if line.ends_with([' ', '\t']) {
        return Some("ends with a blank");
    }
    // Make gives tabs a meaning.
    (line.contains('\t') && !path.ends_with("Makefile")).then_some("holds a tab")
}

fn machine_path(line: &str) -> Option<String> {
    for private in PRIVATE {
        if occurrences(line, private).next().is_some() {
            return Some(format!("{private} is a path of one machine"));
        }
    }
    for home in HOMES {
        for rest in occurrences(line, home) {
            let user: String = rest
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
                .collect();
            if !user.is_empty() && !EXAMPLE_USERS.contains(&user.as_str()) {
                return Some(format!("{home}{user} is a path of one machine"));
            }
        }
    }
    None
}

/// What follows each place where the absolute path begins.
fn occurrences<'a>(line: &'a str, path: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(path).filter_map(move |(at, _)| {
        let before = line[..at].chars().next_back();
        let inside = before
            .is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | ')' | '*'));
        (!inside).then(|| &line[at + path.len()..])
    })
}

fn unfinished(line: &str) -> Option<String> {
    UNFINISHED
        .iter()
        .find(|word| {
            line.match_indices(*word)
                .any(|(at, _)| stands_alone(line, at, word))
        })
        .map(|word| format!("{word} stands for work that is not done"))
}

/// Whether the word found there is not a piece of a longer one.
fn stands_alone(line: &str, at: usize, word: &str) -> bool {
    let (before, after) = (&line[..at], &line[at + word.len()..]);
    let joined = |left: &str, right: &str| {
        let word_like = |c: char| c.is_alphanumeric() || c == '_';
        left.chars().next_back().is_some_and(word_like) && right.starts_with(word_like)
    };
    !joined(before, word) && !joined(word, after)
}
