//! What a command reaches without naming it: the folder that it is in, and what
//! lies behind links.

use super::Use;
use crate::matching::without_global_options;
use crate::shell::{Simple, Word, searched};

/// Sub-commands of git that show what files hold.
const GIT_SHOWS: &[&str] = &[
    "archive",
    "bundle",
    "cat-file",
    "checkout-index",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "fast-export",
    "format-patch",
    "grep",
    "range-diff",
    "show",
    "stash",
    "whatchanged",
    "worktree",
];
/// Sub-commands of git that change files without naming them.
const GIT_CHANGES: &[&str] = &[
    "am",
    "apply",
    "checkout",
    "cherry-pick",
    "clean",
    "merge",
    "mv",
    "pull",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
];

/// Whether a program may go through links in folders: by an option, mostly.
pub(super) fn follows_links(simple: &Simple) -> bool {
    // The letters of options that make it do so.
    let letters: &[char] = match simple.program().unwrap_or_default() {
        "cat" | "echo" | "head" | "nl" | "stat" | "tail" | "wc" => return false,
        "grep" | "egrep" | "fgrep" => &['R'],
        "diff" => &['r'],
        "tree" => &['l'],
        "tar" | "bsdtar" => &['h', 'L'],
        "zip" => return true,
        _ => &['L'],
    };
    let mut words = vec!["deref", "follow", "copy-links", "copy-unsafe"];
    if letters == ['r'] {
        words.push("recursive");
    }
    simple.words.iter().skip(1).any(|word| {
        let Some(text) = word.text() else {
            return word.may_be_option();
        };
        let Some(option) = text.strip_prefix('-') else {
            return false;
        };
        let group = !option.starts_with('-') && option.contains(letters);
        group || words.iter().any(|word| option.contains(word))
    })
}

/// Whether `find` is told where to begin; the folder that it is in if not.
fn names_start(words: &[Word]) -> bool {
    let mut words = words
        .iter()
        .skip(1)
        .map(|word| word.text().unwrap_or(&word.source));
    while let Some(word) = words.next() {
        match word {
            "-H" | "-L" | "-P" => {}
            "-D" => drop(words.next()),
            word if word.starts_with("-O") => {}
            word => return !word.starts_with(['-', '(', ')', '!', ',']),
        }
    }
    false
}

/// Whether git may take a word for a pattern of its own, which matches at any
/// depth: one in quotes, or one that the shell finds no file for.
fn is_pathspec(word: &Word) -> bool {
    let wild = |text: &str| text.contains(['*', '?', '[']) || text.starts_with(':');
    word.text().is_none_or(wild)
}

/// What a command does to the whole folder without naming it.
pub(super) fn implied(words: &[Word], reads: bool) -> Option<Use> {
    let option = |letters: &[char], long: &str| {
        words.iter().filter_map(Word::text).any(|text| {
            let group = text.starts_with('-') && !text.starts_with("--");
            (group && text.contains(letters)) || (text.len() > 3 && long.starts_with(text))
        })
    };
    let name = words.first()?.text()?;
    match name.rsplit('/').next()? {
        "ag" | "ack" | "rg" if searched(words) == 0 => Some(Use::Reads),
        "find" if !names_start(words) => Some(if reads { Use::Names } else { Use::MayChange }),
        "fd" | "fdfind" if searched(words) == 0 && !reads => Some(Use::MayChange),
        // What they unpack may go anywhere in it.
        "7z" | "bsdtar" | "cpio" | "patch" | "tar" | "unzip" => Some(Use::MayChange),
        "grep" | "egrep" | "fgrep"
            if searched(words) == 0
                && (option(&['r', 'R'], "--recursive")
                    || option(&['r', 'R'], "--dereference-recursive")) =>
        {
            Some(Use::Reads)
        }
        "git" => {
            let bare = without_global_options(words);
            let sub = bare.as_deref().unwrap_or(words).get(1)?.text()?;
            if GIT_CHANGES.contains(&sub) && !reads {
                return Some(Use::MayChange);
            }
            let adds = matches!(sub, "add" | "stage")
                && (option(&['A', 'u'], "--all")
                    || option(&['A'], "--update")
                    || words.iter().skip(2).any(is_pathspec));
            let patches = matches!(sub, "log" | "reflog")
                && option(&['p', 'u', 'G', 'S', 'L', 'c'], "--patch");
            (GIT_SHOWS.contains(&sub) || patches || adds).then_some(Use::Reads)
        }
        _ => None,
    }
}
