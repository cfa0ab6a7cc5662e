//! What a command reaches without naming it: the folder that it is in, and what
//! lies behind links.

use super::Use;
use crate::matching::{of_git, without_global_options};
use crate::shell::{
    Simple, Word, follows, git_shows, goes_deep, is_git_command, is_reading_git, searched,
};

/// Sub-commands of git that leave the work tree as it is, beside those that are
/// known to read. Any other may change files without naming them.
const GIT_LEAVES: &[&str] = &[
    "add",
    "annotate",
    "archive",
    "branch",
    "bundle",
    "commit",
    "commit-graph",
    "commit-tree",
    "config",
    "fetch",
    "fsck",
    "gc",
    "hash-object",
    "help",
    "init",
    "ls-remote",
    "maintenance",
    "merge-tree",
    "mktree",
    "notes",
    "pack-refs",
    "prune",
    "push",
    "remote",
    "repack",
    "replace",
    "rev-list",
    "send-pack",
    "show-branch",
    "stage",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "var",
    "verify-commit",
    "verify-tag",
    "write-tree",
];

/// Whether a command is one of git's, which changes the whole work tree wherever
/// in it the agent is.
pub(super) fn is_git(simple: &Simple) -> bool {
    let names = simple.words.iter().filter_map(Word::text);
    let mut names = names.filter_map(|name| name.rsplit('/').next());
    names.any(|name| name == "git" || name.starts_with("git-"))
}

/// Whether a command of git may show what the settings of the repository hold.
pub(super) fn may_show_settings(words: &[Word]) -> bool {
    let spelled = of_git(words);
    let words = spelled.as_deref().unwrap_or(words);
    let name = words.first().and_then(Word::text).unwrap_or_default();
    if name.rsplit('/').next() != Some("git") {
        return false;
    }
    let bare = without_global_options(words);
    let sub = bare.as_deref().unwrap_or(words).get(1);
    let sub = sub.and_then(Word::text);
    matches!(sub, Some("config" | "ls-remote" | "remote" | "var"))
}

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

/// What a command does to the whole folder without naming it. One that stands
/// `inside` another may be no command at all.
pub(super) fn implied(words: &[Word], reads: bool, inside: bool) -> Option<Use> {
    let spelled = of_git(words);
    let words = spelled.as_deref().unwrap_or(words);
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
            let leaves = reads || is_reading_git(sub) || GIT_LEAVES.contains(&sub);
            // `apt install git curl` is no command of git's.
            let is_one = !inside || is_git_command(sub);
            if !leaves && is_one && !sub.starts_with('-') {
                return Some(Use::MayChange);
            }
            git_shows(words).then_some(Use::Reads)
        }
        _ => None,
    }
}
