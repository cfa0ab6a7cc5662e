//! What a command reaches without naming it: the folder that it is in, and what
//! lies behind links.

use super::Use;
use crate::matching::without_global_options;
use crate::shell::{Simple, Word, follows, git_shows, goes_deep, searched};

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
    if let Some(known) = follows(&simple.words) {
        return known;
    }
    // The letters of options that make it do so.
    let letters: &[char] = match simple.program().unwrap_or_default() {
        "tar" | "bsdtar" => &['h', 'L'],
        "zip" => return true,
        _ => &['L'],
    };
    let words = ["deref", "follow", "copy-links", "copy-unsafe"];
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

/// What a command does to the whole folder without naming it.
pub(super) fn implied(words: &[Word], reads: bool) -> Option<Use> {
    let name = words.first()?.text()?;
    match name.rsplit('/').next()? {
        // Options that are not known to read only: some of these run programs.
        "ag" | "ack" | "egrep" | "fgrep" | "grep" | "rg" | "ug" | "ugrep" | "zgrep" if !reads => {
            Some(Use::MayChange)
        }
        "ag" | "ack" | "rg" | "ug" if searched(words) == 0 => Some(Use::Reads),
        "du" | "ls" | "tree" if follows(words) == Some(true) => Some(Use::Names),
        // What these show is of the whole folder, too.
        "hg" | "jj" | "sl" | "svn" | "tig" => Some(Use::Reads),
        "find" if !names_start(words) => Some(if reads { Use::Names } else { Use::MayChange }),
        "fd" | "fdfind" if searched(words) == 0 && !reads => Some(Use::MayChange),
        // What they unpack may go anywhere in it.
        "7z" | "bsdtar" | "cpio" | "patch" | "tar" | "unzip" => Some(Use::MayChange),
        "grep" | "egrep" | "fgrep" | "ugrep" | "zgrep"
            if searched(words) == 0 && goes_deep(words) =>
        {
            Some(Use::Reads)
        }
        "git" => {
            let bare = without_global_options(words);
            let words = bare.as_deref().unwrap_or(words).get(1..)?;
            let sub = words.first()?.text()?;
            if GIT_CHANGES.contains(&sub) && !reads {
                return Some(Use::MayChange);
            }
            git_shows(words).then_some(Use::Reads)
        }
        _ => None,
    }
}
