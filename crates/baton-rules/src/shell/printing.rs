//! Commands that only print, or shorten what another command prints: they read
//! no file, so a rule for the command before them is enough for the line.
//!
//! `npm test 2>&1 | tail -5; echo "exit: $?"` is `npm test` to a person.

use super::known::known_arguments;
use super::searching::goes_deep;
use super::{Redirect, Simple, Value, Word, reads_only};

/// Programs that read nothing but their input if they are given no more words
/// than these that are no options, and how many: patterns, not files.
const FILTERS: &[(&str, usize)] = &[
    ("cat", 0),
    ("cut", 0),
    ("egrep", 1),
    ("fgrep", 1),
    ("grep", 1),
    ("head", 0),
    ("nl", 0),
    ("rev", 0),
    ("sort", 0),
    ("tac", 0),
    ("tail", 0),
    ("tr", 2),
    ("uniq", 0),
    ("wc", 0),
];

/// Whether the command at this place prints only, and nothing else reads it
/// but another one that does.
pub(crate) fn only_prints(commands: &[Simple], at: usize) -> bool {
    let Some(simple) = commands.get(at) else {
        return false;
    };
    prints(simple) && (!simple.feeds || only_prints(commands, at + 1))
}

fn prints(simple: &Simple) -> bool {
    let discards = |redirect: &Redirect| matches!(redirect, Redirect::Write(_));
    if !reads_only(simple) || !simple.redirects.iter().all(discards) {
        return false;
    }
    let arguments = simple.words.get(1..).unwrap_or_default();
    match simple.name() {
        Some("echo") => arguments.iter().all(is_text_or_status),
        Some("true" | "false" | "pwd") => arguments.is_empty(),
        Some(name) => FILTERS
            .iter()
            .find(|(filter, _)| *filter == name)
            .is_some_and(|(_, words)| takes(&simple.words, *words)),
        None => false,
    }
}

/// Whether a word is known, but for how the last command ended.
fn is_text_or_status(word: &Word) -> bool {
    match &word.value {
        Value::Known(_) => true,
        Value::Unknown { .. } => {
            let rest = word.source.replace("$?", "");
            !rest.contains(['$', '`', '<', '>', '(', '*', '?', '[', '{', '~', '\\'])
        }
        Value::Home(_) | Value::Wild(_) => false,
    }
}

/// Whether a filter has options and at most so many words, all of them known.
fn takes(words: &[Word], most: usize) -> bool {
    let plain = |word: &Word| word.text().is_some_and(|text| !matches!(text, "-" | "--"));
    let listed = known_arguments(words);
    let few = listed.is_some_and(|found| {
        let grep = words[0].text().is_some_and(|name| name.ends_with("grep"));
        let reads = grep && (goes_deep(words) || found.has("e f regexp"));
        found.operands.len() <= most && !reads
    });
    few && words.iter().skip(1).all(plain)
}
