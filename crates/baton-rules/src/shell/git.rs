//! What is known of git: which sub-commands change nothing with which options,
//! and which show nothing of what files hold. Git takes the beginning of an
//! option's name for the name, so only whole ones count.

use super::arguments::read;
use super::{Simple, Word};

/// Whether a sub-command shows what files hold.
#[derive(Clone, Copy)]
enum Shows {
    Always,
    /// Only with an option that is said to.
    WithOption,
    /// Not with one of these, unless another makes it.
    Unless(&'static str),
}

/// A sub-command that changes nothing.
struct Reading {
    name: &'static str,
    shows: Shows,
    /// Options that show nothing of what files hold.
    quiet: &'static [&'static str],
    /// Those that may.
    loud: &'static [&'static str],
}

const fn reading(
    name: &'static str,
    shows: Shows,
    quiet: &'static [&'static str],
    loud: &'static [&'static str],
) -> Reading {
    Reading {
        name,
        shows,
        quiet,
        loud,
    }
}

/// Options of those that compare: what is told of each file.
const FILES: &str = "-szR -MCB? --abbrev? --color? --compact-summary --diff-filter= --dirstat? --exit-code --find-copies? --find-renames? --ignore-submodules? --name-only --name-status --no-color --no-ext-diff --no-patch --no-relative --no-renames --no-textconv --numstat --quiet --raw --relative? --shortstat --stat? --stat-width= --stat-name-width= --stat-count= --summary";
/// How lines that differ are found and shown.
const LINES: &str = "-abcmpuwWDt -GSU= --anchored= --binary --cc --check --color-moved? --color-words? --diff-algorithm= --diff-merges= --dst-prefix= --full-diff --full-index --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --inter-hunk-context= --minimal --no-prefix --patch --patch-with-raw --patch-with-stat --patience --pickaxe-all --pickaxe-regex --remerge-diff --src-prefix= --submodule? --text --unified= --word-diff? --word-diff-regex= --ws-error-highlight=";
/// Which commits, and how they are shown.
const COMMITS: &str = "-iEFPg# -n= --abbrev-commit --after= --all --all-match --ancestry-path --author= --basic-regexp --before= --bisect --boundary --branches? --cherry --cherry-mark --cherry-pick --children --committer= --date-order --date= --decorate? --decorate-refs= --decorate-refs-exclude= --exclude= --extended-regexp --first-parent --fixed-strings --follow --format= --full-history --glob= --graph --grep= --grep-reflog= --invert-grep --left-only --left-right --max-count= --max-parents= --merges --min-parents= --no-abbrev-commit --no-decorate --no-merges --no-notes --no-walk? --not --notes? --oneline --parents --perl-regexp --pretty? --regexp-ignore-case --relative-date --remotes? --reverse --right-only --show-pulls --simplify-by-decoration --simplify-merges --since= --skip= --source --tags? --topo-order --until= --walk-reflogs";
/// Where in a file, by lines.
const RANGE: &str = "-L=";
const STAT: &str = "s name-only name-status numstat shortstat stat compact-summary dirstat summary raw quiet no-patch";

/// Sub-commands that change nothing.
#[rustfmt::skip]
const READING: &[Reading] = &[
    // What it shows is of a file that it names.
    reading("blame", Shows::WithOption, &["-bcefklnpstw -MC? -L= --abbrev= --color-by-age --color-lines --date= --line-porcelain --porcelain --root --score-debug --show-email --show-name --show-number --show-stats --since="], &[]),
    reading("cat-file", Shows::Unless("t s e batch-check"), &["-tse --batch-check --batch-all-objects --unordered --buffer --follow-symlinks"], &["-p --batch"]),
    reading("check-attr", Shows::WithOption, &["-az --all --cached"], &[]),
    reading("check-ignore", Shows::WithOption, &["-qvnz --quiet --verbose --non-matching --no-index"], &[]),
    reading("cherry", Shows::WithOption, &["-v --abbrev?"], &[]),
    reading("count-objects", Shows::WithOption, &["-vH --verbose --human-readable"], &[]),
    reading("describe", Shows::WithOption, &["--abbrev= --all --always --candidates= --contains --dirty? --broken? --exact-match --exclude= --first-parent --long --match= --tags"], &[]),
    reading("diff", Shows::Unless(STAT), &[FILES, "--cached --staged --merge-base"], &[LINES, "--no-index --base --ours --theirs"]),
    reading("diff-files", Shows::Unless(STAT), &[FILES, "-q"], &[LINES]),
    reading("diff-index", Shows::Unless(STAT), &[FILES, "--cached --merge-base"], &[LINES]),
    reading("diff-tree", Shows::Unless(STAT), &[FILES, "-rt --root --no-commit-id"], &[LINES, "-v --always"]),
    reading("for-each-ref", Shows::WithOption, &["--contains? --count= --exclude= --format= --ignore-case --merged? --no-contains? --no-merged? --points-at= --sort="], &[]),
    reading("grep", Shows::Always, &[], &["-acEFGhHiIlLnopPqrvwWz# -ABCefm= --after-context= --all-match --and --basic-regexp --before-context= --break --cached --color? --column --context= --count --exclude-standard --extended-regexp --files-with-matches --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case --invert-match --line-number --max-count= --max-depth= --name-only --no-color --no-exclude-standard --no-index --no-recursive --not --null --only-matching --or --perl-regexp --quiet --recurse-submodules --recursive --show-function --text --threads= --untracked --word-regexp"]),
    reading("log", Shows::WithOption, &[COMMITS, FILES], &[LINES, RANGE]),
    reading("ls-files", Shows::WithOption, &["-cdfikmostuvz -x= --abbrev? --cached --deduplicate --deleted --directory --eol --error-unmatch --exclude-standard --exclude= --full-name --ignored --killed --modified --no-empty-directory --others --recurse-submodules --stage --unmerged --format="], &[]),
    reading("ls-tree", Shows::WithOption, &["-dlrtz --abbrev? --format= --full-name --full-tree --long --name-only --name-status --object-only"], &[]),
    reading("merge-base", Shows::WithOption, &["-a --all --fork-point --independent --is-ancestor --octopus"], &[]),
    reading("name-rev", Shows::WithOption, &["--all --always --exclude= --name-only --no-undefined --refs= --tags"], &[]),
    reading("range-diff", Shows::Unless(STAT), &[FILES, "--creation-factor= --left-only --right-only --no-dual-color"], &[LINES]),
    reading("reflog", Shows::WithOption, &[COMMITS, FILES], &[LINES, RANGE]),
    reading("rev-list", Shows::WithOption, &[COMMITS, "--abbrev? --count --disk-usage? --header --objects --quiet --timestamp --no-commit-header"], &[]),
    reading("rev-parse", Shows::WithOption, &["-q --abbrev-ref? --absolute-git-dir --all --branches? --default= --exclude= --flags --git-common-dir --git-dir --git-path= --glob= --is-bare-repository --is-inside-git-dir --is-inside-work-tree --is-shallow-repository --no-flags --no-revs --path-format= --quiet --remotes? --revs-only --short? --show-cdup --show-prefix --show-superproject-working-tree --show-toplevel --symbolic --symbolic-full-name --tags? --verify"], &[]),
    reading("shortlog", Shows::WithOption, &["-cens -w? --committer --email --group= --numbered --summary", COMMITS], &[]),
    reading("show", Shows::Always, &[COMMITS, FILES], &[LINES, RANGE]),
    reading("show-ref", Shows::WithOption, &["-dqs# --abbrev? --branches --dereference --exists --hash? --head --heads --quiet --tags --verify"], &[]),
    reading("stash", Shows::WithOption, &[COMMITS, FILES], &[LINES, RANGE]),
    reading("status", Shows::WithOption, &["-bsz -u? --ahead-behind --branch --column? --find-renames? --ignored? --ignore-submodules? --long --no-ahead-behind --no-column --no-renames --porcelain? --renames --short --show-stash --untracked-files?"], &["-v --verbose"]),
    reading("version", Shows::WithOption, &["--build-options"], &[]),
    reading("whatchanged", Shows::WithOption, &[COMMITS, FILES], &[LINES, RANGE]),
    reading("worktree", Shows::WithOption, &["-vz --porcelain --verbose"], &[]),
];

/// Others that show nothing of what files hold, with the options that they may
/// have; with `*`, any.
#[rustfmt::skip]
const SHOWS_NOTHING: &[(&str, &str)] = &[
    ("add", "-fnvN --dry-run --force --intent-to-add --verbose"),
    ("branch", "*"), ("clone", "*"),
    ("commit", "-aeinoqs -CFcmt= -Su? --all --allow-empty --allow-empty-message --amend --author= --branch --cleanup= --date= --edit --file= --fixup= --gpg-sign? --include --message= --no-edit --no-gpg-sign --no-status --no-verify --only --porcelain --quiet --reedit-message= --reset-author --reuse-message= --short --signoff --squash= --template= --trailer= --untracked-files?"),
    ("config", "*"), ("fetch", "*"), ("fsck", "*"), ("gc", "*"), ("hash-object", "*"), ("help", "*"),
    ("init", "*"), ("ls-remote", "*"), ("maintenance", "*"), ("pack-refs", "*"), ("prune", "*"),
    ("push", "*"), ("remote", "*"), ("repack", "*"), ("send-pack", "*"), ("stage", "-fnvN --dry-run --force --intent-to-add --verbose"),
    ("symbolic-ref", "*"), ("tag", "*"), ("update-index", "*"), ("update-ref", "*"), ("write-tree", "*"),
];

/// Sub-commands that git has by itself; any other may be a name for anything.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "add", "am", "apply", "archive", "bisect", "blame", "branch", "bundle", "cat-file",
    "check-attr", "check-ignore", "checkout", "checkout-index", "cherry", "cherry-pick", "clean",
    "clone", "commit", "config", "count-objects", "describe", "diff", "diff-files", "diff-index",
    "diff-tree", "difftool", "fetch", "filter-branch", "for-each-ref", "format-patch", "fsck",
    "gc", "grep", "hash-object", "help", "init", "log", "ls-files", "ls-remote", "ls-tree",
    "maintenance", "merge", "merge-base", "merge-file", "merge-index", "merge-tree", "mergetool",
    "mv", "name-rev", "notes", "pack-refs", "prune", "pull", "push", "range-diff", "read-tree",
    "rebase", "reflog", "remote", "repack", "replace", "rerere", "reset", "restore", "rev-list",
    "rev-parse", "revert", "rm", "send-pack", "shortlog", "show", "show-branch", "show-ref",
    "sparse-checkout", "stash", "status", "submodule", "switch", "symbolic-ref", "tag",
    "update-index", "update-ref", "verify-commit", "version", "whatchanged", "worktree",
    "write-tree",
];

fn entry(sub: &str) -> Option<&'static Reading> {
    READING.iter().find(|one| one.name == sub)
}

/// Whether git has a sub-command of this name by itself.
pub(crate) fn is_git_command(sub: &str) -> bool {
    OWN.contains(&sub)
}

/// Whether a sub-command changes nothing as long as no option says otherwise.
pub(crate) fn is_reading_git(sub: &str) -> bool {
    entry(sub).is_some() && !matches!(sub, "reflog" | "stash" | "worktree")
}

/// Whether a sub-command that mostly changes nothing is given an option that
/// may do more.
pub(super) fn is_beyond_reading(simple: &Simple) -> bool {
    git_arguments(&simple.words).is_some_and(|(_, words)| {
        let sub = words.first().and_then(Word::text);
        sub.is_some_and(is_reading_git) && !git_reads(simple)
    })
}

/// Whether a command of git may show what files hold that it does not name.
/// The words begin with the sub-command.
pub(crate) fn git_shows(words: &[Word]) -> bool {
    let Some(sub) = words.first().and_then(Word::text) else {
        return true;
    };
    // A branch that points to a file, not to a commit.
    let raw = |word: &Word| word.text().unwrap_or(&word.source).contains("%(raw");
    if words.iter().any(raw) {
        return true;
    }
    if let Some((_, list)) = SHOWS_NOTHING.iter().find(|(name, _)| *name == sub) {
        // Words that are only known later may be any file, and count as such.
        let all = *list == "*" || read(words, &[list], true).is_some();
        let adds = matches!(sub, "add" | "stage") && words.iter().skip(1).any(is_pathspec);
        return !all || adds;
    }
    let listed = matches!(words.get(1).and_then(Word::text), Some("list"));
    if matches!(sub, "stash" | "worktree") && !listed {
        return true;
    }
    let Some(one) = entry(sub) else {
        return true;
    };
    let Some(found) = read(words, one.quiet, false) else {
        return true;
    };
    match one.shows {
        Shows::Always => true,
        Shows::WithOption => false,
        Shows::Unless(options) => !found.has(options),
    }
}

/// Whether a command of git shows what the settings of a repository hold.
pub(crate) fn shows_git_settings(simple: &Simple) -> bool {
    let words = git_arguments(&simple.words).map(|(_, words)| words);
    let text = |at: usize| words.and_then(|words| words.get(at)).and_then(Word::text);
    match (simple.program(), text(0)) {
        (Some("git"), Some("config")) => {
            let plain = |at| text(at).is_some_and(is_plain_setting);
            !(matches!(text(1), Some("--get" | "--get-all")) && plain(2))
        }
        (Some("git"), Some("remote")) => text(1).is_some(),
        _ => false,
    }
}

/// Whether git may take a word for a pattern of its own, which matches at any
/// depth: one in quotes, or one that the shell finds no file for.
fn is_pathspec(word: &Word) -> bool {
    let wild = |text: &str| text.contains(['*', '?', '[']) || text.starts_with(':');
    word.text().is_none_or(wild)
}

/// The folder that git is sent to, and its words from the sub-command on.
/// `None` if it has other options before it.
pub(crate) fn git_arguments(words: &[Word]) -> Option<(Option<&str>, &[Word])> {
    let mut rest = words.get(1..)?;
    let mut folder = None;
    loop {
        match rest.first()?.text()? {
            "--no-pager" | "-P" | "--no-optional-locks" => rest = &rest[1..],
            "-C" if folder.is_none() => {
                folder = Some(rest.get(1)?.text()?);
                rest = rest.get(2..)?;
            }
            "--version" if rest.len() == 1 => return Some((folder, rest)),
            text if text.starts_with('-') => return None,
            _ => return Some((folder, rest)),
        }
    }
}

/// Settings of anybody's that are not secret, by how their names begin. Others,
/// in files outside the project, may be: tokens, headers, passwords.
const PLAIN_SETTINGS: &[&str] = &[
    "branch.",
    "color.",
    "commit.gpgsign",
    "core.autocrlf",
    "core.bare",
    "core.editor",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.hookspath",
    "core.ignorecase",
    "core.pager",
    "diff.",
    "fetch.prune",
    "init.defaultbranch",
    "merge.",
    "pull.",
    "push.",
    "rebase.",
    "user.email",
    "user.name",
    "user.signingkey",
];

fn is_plain_setting(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PLAIN_SETTINGS.iter().any(|known| name.starts_with(known))
}

/// The address of the remote is the repository's own setting, and plain where
/// those are.
fn is_of_origin(name: &str) -> bool {
    name.eq_ignore_ascii_case("remote.origin.url")
}

/// Whether `git config` with these words shows only settings of the repository
/// itself, which is in the project, or one that is known to hold no secret.
fn shows_settings(words: &[&str]) -> bool {
    let plain = |name: &str| is_plain_setting(name) || is_of_origin(name);
    match words {
        ["--local", "--list" | "-l"] | ["--list" | "-l", "--local"] => true,
        ["--local", "--get" | "--get-all", name] | ["--get" | "--get-all", "--local", name] => {
            !name.starts_with('-')
        }
        ["--get" | "--get-all", name] => plain(name),
        _ => false,
    }
}

/// Whether a command of git changes nothing.
pub(super) fn git_reads(simple: &Simple) -> bool {
    let Some((_, words)) = git_arguments(&simple.words) else {
        return false;
    };
    let argument = |index: usize| words.get(index).and_then(Word::text);
    // What tells of signatures has another program look at them.
    let signatures = |word: &Word| {
        let text = word.text().unwrap_or(&word.source);
        text.contains("%G") || text.contains("%(signature")
    };
    if words.iter().any(signatures) {
        return false;
    }
    let known = |sub: &str| {
        entry(sub).is_some_and(|one| {
            let lists: Vec<&str> = one.quiet.iter().chain(one.loud).copied().collect();
            read(words, &lists, false).is_some()
        })
    };
    match argument(0) {
        Some("--version") => true,
        Some("branch" | "remote" | "tag") => match argument(1) {
            None => words.len() == 1,
            Some("--list" | "-l") => {
                words.len() <= 3 && !words.iter().skip(2).any(Word::may_be_option)
            }
            Some("get-url") => words.len() == 3 && argument(0) == Some("remote"),
            Some("-v" | "-vv" | "-a" | "-r" | "--show-current" | "--all" | "-av" | "-avv") => {
                words.len() == 2
            }
            Some(_) => false,
        },
        Some(sub @ ("stash" | "worktree")) => argument(1) == Some("list") && known(sub),
        // A word may be `expire`.
        Some("reflog") => {
            let option = |word: &Word| word.text().is_some_and(|text| text.starts_with('-'));
            let shown = argument(1) == Some("show") || words.iter().skip(1).all(option);
            shown && known("reflog")
        }
        Some("config") => {
            let texts: Option<Vec<&str>> = words.iter().skip(1).map(Word::text).collect();
            texts.is_some_and(|texts| shows_settings(&texts))
        }
        Some(sub) => known(sub),
        None => false,
    }
}
