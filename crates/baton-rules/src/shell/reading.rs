//! Commands that are known to change nothing.
//!
//! A command is among them only if every word of it is understood: a word that
//! the shell makes later may be an option.

use super::git::git_reads;
use super::jq::plain_jq;
use super::known::{has_unknown_option, is_reader, known_arguments};
use super::options::strong_option;
use super::program::{plain_awk, plain_sed};
use super::searching::pattern_of;
use super::{Redirect, Script, Simple, Value, Word};

/// Further programs that never run an argument as a command.
const RUN_NOTHING: &[&str] = &[
    "chgrp", "chmod", "chown", "cp", "kill", "ln", "mkdir", "mktemp", "mv", "rm", "rmdir", "shred",
    "tee", "touch", "truncate", "unlink",
];

/// What find may be asked to look at and to do.
const FIND: &[&str] = &[
    "-H",
    "-L",
    "-P",
    "-a",
    "-amin",
    "-and",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-ctime",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-ls",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mount",
    "-mtime",
    "-name",
    "-newer",
    "-newermt",
    "-nogroup",
    "-not",
    "-nouser",
    "-o",
    "-or",
    "-path",
    "-perm",
    "-print",
    "-print0",
    "-printf",
    "-prune",
    "-quit",
    "-readable",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-true",
    "-type",
    "-user",
    "-wholename",
    "-writable",
    "-xdev",
    "-xtype",
];

/// Whether a program is known never to run one of its arguments.
pub(crate) fn runs_nothing(simple: &Simple) -> bool {
    let bare = simple.name().unwrap_or_default();
    let plain = !matches!(bare, "find" | "git" | "awk" | "sed");
    RUN_NOTHING.contains(&bare) || (is_reader(bare) && plain && !has_unknown_option(simple))
}

/// Whether a word is a text for people, which the program does not look into.
pub(crate) fn is_message(words: &[Word], at: usize) -> bool {
    let text = |at: usize| words.get(at).and_then(Word::text).unwrap_or_default();
    let option = |text: &str| {
        let group = text.starts_with('-') && !text.starts_with("--") && text.ends_with('m');
        group || text == "--message"
    };
    // One that may become several words may hold options.
    let splits = |word: &Word| matches!(word.value, Value::Unknown { splits: true });
    if words.get(at).is_none_or(splits) {
        return false;
    }
    // A sub-command stands before its options.
    let Some(before) = at.checked_sub(1).filter(|at| *at > 0).map(text) else {
        return false;
    };
    match (text(0), text(1)) {
        ("git", "commit" | "tag" | "merge" | "stash" | "notes") => {
            text(at).starts_with("--message=") || option(before)
        }
        ("gh" | "glab", "issue" | "mr" | "pr" | "release") => {
            let texts = ["--body", "-b", "--title", "-t", "--notes", "-n"];
            texts.contains(&before)
        }
        _ => false,
    }
}

/// Whether everything in `script` is known to change nothing, wherever it looks.
pub(crate) fn is_read_only(script: &Script) -> bool {
    script.special.is_empty()
        && script.obscure().next().is_none()
        && !script.substitutes
        && !script.commands.is_empty()
        && script.commands.iter().all(reads_only)
}

/// Whether one command is known to change nothing.
pub(crate) fn reads_only(simple: &Simple) -> bool {
    let harmless = |redirect: &Redirect| match redirect {
        Redirect::Read(_) => true,
        Redirect::Write(word) => word.text() == Some("/dev/null"),
    };
    if !simple.assignments.is_empty() || !simple.redirects.iter().all(harmless) {
        return false;
    }
    // What a compound command redirects.
    let Some(name) = simple.words.first() else {
        return !simple.redirects.is_empty();
    };
    let Some(name) = name.text().filter(|name| is_reader(name)) else {
        return false;
    };
    let arguments = &simple.words[1..];
    // What a shell only prints may be anything.
    if name == "echo" {
        return true;
    }
    let understood = |word: &Word| match &word.value {
        Value::Known(_) | Value::Home(_) | Value::Wild(_) => true,
        Value::Unknown { .. } => false,
    };
    arguments.iter().all(understood)
        && !has_unknown_option(simple)
        && strong_option(simple).is_none()
        && reads(name, simple)
}

/// Whether a program that mostly reads is given a file to write to.
pub(super) fn writes_operands(program: &str, simple: &Simple) -> bool {
    matches!(program, "date" | "hostname" | "uniq" | "xxd") && !reads(program, simple)
}

/// What else must be so for a program to change nothing.
fn reads(name: &str, simple: &Simple) -> bool {
    let arguments = &simple.words[1..];
    let known = || arguments.iter().all(|word| word.text().is_some());
    match name {
        "git" => git_reads(simple),
        "sed" => plain_sed(&simple.words),
        "awk" => {
            plain_awk(&simple.words) && !simple.words.iter().any(|word| word.source.contains('>'))
        }
        "find" => arguments.iter().all(|word| match word.text() {
            Some(text) if text.starts_with('-') => FIND.contains(&text),
            Some(_) => true,
            None => !word.may_be_option(),
        }),
        "date" => date(simple),
        "jq" => {
            let program = pattern_of(&simple.words).and_then(|at| simple.words[at].text());
            program.is_some_and(plain_jq)
        }
        // A second name is written to, also one that looks like an option:
        // behind the first name they may take anything for a name.
        "uniq" | "xxd" => {
            let first = known_arguments(&simple.words).map(|found| found.operands);
            let last = simple.words.len() - 1;
            let end = arguments.iter().any(|word| word.text() == Some("--"));
            first.is_some_and(|operands| match operands.as_slice() {
                [] => true,
                [only] => *only == last,
                _ => false,
            }) && known()
                && !end
        }
        "hostname" => arguments.is_empty(),
        "cd" => known() || matches!(arguments, [word] if matches!(word.value, Value::Home(_))),
        // These take names of variables too.
        "[" | "test" | "printf" => {
            let plain = |word: &Word| word.text().is_some_and(|text| !text.contains('['));
            let format = usize::from(name == "printf");
            arguments.iter().skip(format).all(plain)
                && !(name == "printf"
                    && arguments
                        .first()
                        .and_then(Word::text)
                        .is_none_or(|text| text.starts_with('-')))
        }
        _ => true,
    }
}

/// Anything that stands alone is a time to set the clock to.
fn date(simple: &Simple) -> bool {
    known_arguments(&simple.words).is_some_and(|found| {
        let texts = found.operands.iter().map(|at| simple.words[*at].text());
        texts
            .into_iter()
            .all(|text| text.is_some_and(|text| text.starts_with('+')))
    })
}
