//! Commands that are known to change nothing.
//!
//! A command is among them only if every word of it is understood: a word that
//! the shell makes later may be an option.

use super::options::{has_strong_options, strong_option};
use super::program::{plain_awk, plain_sed};
use super::{Redirect, Script, Simple, Value, Word};

/// Which arguments of a program are files that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    /// None of them.
    Text,
    /// Names only: it looks at where files are, not at what they hold.
    Names,
    /// All but the first, which is a pattern or a program of its own.
    AfterFirst,
    Files,
}

use Operands::{AfterFirst, Files, Names, Text};

/// Programs that change nothing, whatever their arguments, if those with
/// strong options have none of them.
const READERS: &[(&str, Operands)] = &[
    ("[", Names),
    ("arch", Text),
    ("awk", AfterFirst),
    ("b2sum", Files),
    ("base32", Files),
    ("base64", Files),
    ("basename", Text),
    ("cat", Files),
    ("cd", Names),
    ("cksum", Files),
    ("cmp", Files),
    ("column", Files),
    ("comm", Files),
    ("cut", Files),
    ("date", Files),
    ("df", Names),
    ("diff", Files),
    ("dirname", Text),
    ("du", Names),
    ("echo", Text),
    ("egrep", AfterFirst),
    ("expand", Files),
    ("false", Text),
    ("fgrep", AfterFirst),
    ("file", Files),
    ("find", Names),
    ("fmt", Files),
    ("fold", Files),
    ("free", Text),
    ("git", Files),
    ("grep", AfterFirst),
    ("groups", Text),
    ("head", Files),
    ("hexdump", Files),
    ("hostname", Text),
    ("id", Text),
    ("join", Files),
    ("jq", AfterFirst),
    ("ls", Names),
    ("md5sum", Files),
    ("nl", Files),
    ("nproc", Text),
    ("od", Files),
    ("paste", Files),
    ("printf", Text),
    ("ps", Text),
    ("pwd", Text),
    ("readlink", Names),
    ("realpath", Names),
    ("rev", Files),
    ("rg", AfterFirst),
    ("sed", AfterFirst),
    ("seq", Text),
    ("sha1sum", Files),
    ("sha224sum", Files),
    ("sha256sum", Files),
    ("sha384sum", Files),
    ("sha512sum", Files),
    ("sleep", Text),
    ("sort", Files),
    ("stat", Names),
    ("strings", Files),
    ("sum", Files),
    ("tac", Files),
    ("tail", Files),
    ("test", Names),
    ("tr", Text),
    ("tree", Names),
    ("true", Text),
    ("type", Text),
    ("uname", Text),
    ("unexpand", Files),
    ("uniq", Files),
    ("uptime", Text),
    ("wc", Files),
    ("which", Text),
    ("whoami", Text),
    ("xxd", Files),
];

/// Further programs that never run an argument as a command.
const RUN_NOTHING: &[&str] = &[
    "chgrp", "chmod", "chown", "cp", "kill", "ln", "mkdir", "mktemp", "mv", "rm", "rmdir", "shred",
    "tee", "touch", "truncate", "unlink",
];

/// Sub-commands of git that change nothing.
pub(crate) const READ_ONLY_GIT: &[&str] = &[
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "version",
    "whatchanged",
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

/// Which arguments of a program are files; of one that is not known, all.
pub(crate) fn operands(program: &str) -> Operands {
    let known = READERS.iter().find(|(name, _)| *name == program);
    known.map_or(Files, |(_, operands)| *operands)
}

/// Whether a program changes nothing as long as no option says otherwise.
pub(crate) fn is_reader(program: &str) -> bool {
    READERS.iter().any(|(name, _)| *name == program)
}

/// Whether a program is known never to run one of its arguments.
pub(crate) fn runs_nothing(simple: &Simple) -> bool {
    let bare = simple.name().unwrap_or_default();
    let plain = !matches!(bare, "find" | "git" | "awk" | "sed");
    RUN_NOTHING.contains(&bare) || (is_reader(bare) && plain && strong_option(simple).is_none())
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
        Value::Known(_) | Value::Home(_) => true,
        Value::Wild(_) => !has_strong_options(name) || !word.may_be_option(),
        Value::Unknown { .. } => false,
    };
    arguments.iter().all(understood) && strong_option(simple).is_none() && reads(name, simple)
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
        "git" => git(simple),
        "sed" => plain_sed(&simple.words),
        "awk" => {
            plain_awk(&simple.words) && !simple.words.iter().any(|word| word.source.contains('>'))
        }
        "find" => arguments.iter().all(|word| match word.text() {
            Some(text) if text.starts_with('-') => FIND.contains(&text),
            Some(_) => true,
            None => !word.may_be_option(),
        }),
        "date" => known() && date(arguments),
        // `@FILE` brings options from a file.
        "strings" => known() && !arguments.iter().any(|word| word.source.contains('@')),
        // A program can bring in others, from anywhere.
        "jq" => arguments.iter().all(|word| {
            let text = word.text().unwrap_or_default();
            let brings = ["import", "include"].iter().any(|word| text.contains(word));
            // One in a file may be about anything, the environment too.
            let in_file = text.starts_with("--f")
                || (text.starts_with('-') && !text.starts_with("--") && text.contains('f'));
            !(brings || in_file || text.starts_with("-L") || text.starts_with("--l"))
        }),
        // A second name is written to, also one that looks like an option:
        // behind the first name xxd takes anything for a name.
        "uniq" | "xxd" => {
            let named = arguments.iter().any(|word| word.text() == Some("--"));
            let is_option = |word: &Word| {
                word.text()
                    .is_some_and(|text| text != "-" && text.starts_with('-'))
            };
            let options = arguments.iter().take_while(|word| is_option(word)).count();
            known() && arguments.len() - options <= 1 && !named
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

fn date(arguments: &[Word]) -> bool {
    let mut texts = arguments.iter().filter_map(Word::text);
    while let Some(text) = texts.next() {
        match text {
            "-d" | "--date" | "-r" | "--reference" => {
                texts.next();
            }
            // Anything else that stands alone is a time to set the clock to.
            text if text.starts_with(['+', '-']) => {}
            _ => return false,
        }
    }
    true
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

fn git(simple: &Simple) -> bool {
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
    match argument(0) {
        Some("--version") => true,
        Some("branch" | "remote" | "tag") => match argument(1) {
            None => words.len() == 1,
            Some("--list" | "-l") => words.len() <= 3,
            Some("get-url") => words.len() == 3 && argument(0) == Some("remote"),
            Some("-v" | "-vv" | "-a" | "-r" | "--show-current" | "--all" | "-av" | "-avv") => {
                words.len() == 2
            }
            Some(_) => false,
        },
        Some("stash" | "worktree") => argument(1) == Some("list"),
        Some("reflog") => words.len() == 1 || argument(1) == Some("show"),
        Some("config") => {
            let look = matches!(argument(1), Some("--get" | "--get-all" | "--list" | "-l"));
            look && words.len() <= 3
        }
        Some(sub) => READ_ONLY_GIT.contains(&sub),
        None => false,
    }
}
