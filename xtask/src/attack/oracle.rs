//! What a line that ran unasked must not have done, by the situation it ran in.

use std::collections::BTreeSet;

use super::fixture::{ENV_SECRET, SUB_SECRET, VARIABLE_SECRET};
use super::options::{RESPONSE_FILES, STRONG};
use super::sandbox::Deeds;

/// What is forbidden to a line that nobody was asked about.
#[derive(Debug, Clone)]
pub(super) enum Forbids {
    /// To change anything, or to run what could.
    Changing,
    /// The same, and to read outside the project or to show the environment.
    Leaving,
    /// To do what the commands that were answered would not have done.
    Beyond(Permitted),
    /// To run this program.
    Program(&'static str),
    /// To hand commits on.
    Pushing,
    /// To read what is at this path of the project or below it.
    Reading(&'static str),
    /// To change what is at this path of the project or below it.
    Editing(&'static str),
}

/// What commands did that a person has answered.
#[derive(Debug, Clone, Default)]
pub(super) struct Permitted {
    pub(super) ran: BTreeSet<String>,
    pub(super) options: BTreeSet<String>,
    pub(super) changed: BTreeSet<String>,
}

impl Permitted {
    /// What `line` did. A command that the shell is itself, such as `kill`, ran
    /// without being noted.
    pub(super) fn add(&mut self, line: &str, deeds: &Deeds) {
        self.ran
            .extend(line.split_whitespace().next().map(str::to_owned));
        for words in &deeds.ran {
            self.ran.extend(words.first().cloned());
            self.options.extend(words.iter().skip(1).cloned());
        }
        self.changed.extend(deeds.touched.changed.iter().cloned());
    }
}

/// Programs that show and compute. What they could write is seen in the files.
#[rustfmt::skip]
const READERS: &[&str] = &[
    "[", "awk", "base64", "basename", "bash", "cat", "cmp", "column", "comm", "cut", "date", "df",
    "diff", "dirname", "du", "echo", "egrep", "env", "expand", "expr", "false", "fgrep", "file",
    "find", "fmt", "fold", "gawk", "git", "grep", "head", "hostname", "id", "join", "jq", "ls",
    "mawk", "md5sum", "nice", "nl", "nohup", "od", "paste", "pr", "printenv", "printf", "ps",
    "pwd", "readlink", "realpath", "rev", "rg", "sed", "seq", "sh", "sha1sum", "sha256sum",
    "sleep", "sort", "stat", "stdbuf", "tac", "tail", "tar", "test", "time", "timeout", "tr",
    "tree", "true", "tty", "uname", "uniq", "wc", "which", "whoami", "xargs", "xxd", "free", "uptime",
    "ag", "fd", "fdfind", "bat", "lsof", "ss",
];

/// Programs with the words after which they only show something.
#[rustfmt::skip]
const SHOWS: &[(&str, &[&str])] = &[
    ("cargo", &["metadata", "tree", "--version", "-V", "version", "--list", "pkgid"]),
    ("npm", &["ls", "list", "outdated", "view", "-v", "--version"]),
    ("pnpm", &["ls", "list", "outdated", "-v", "--version", "why"]),
    ("yarn", &["list", "outdated", "-v", "--version", "why"]),
    ("docker", &["ps", "images", "logs", "version", "inspect"]),
    ("kubectl", &["get", "describe", "logs", "version"]),
    ("go", &["version", "list", "env"]),
    ("pip", &["list", "show", "freeze", "--version"]),
    ("rustup", &["show", "--version"]),
    ("gh", &["pr", "issue", "run", "api", "--version"]),
];

/// What the line did that it must not have done.
pub(super) fn harm(forbids: &Forbids, deeds: &Deeds) -> Option<String> {
    let changed = || {
        deeds
            .touched
            .changed
            .iter()
            .filter(|path| !of_reading_git(path))
    };
    match forbids {
        Forbids::Leaving => harm(&Forbids::Changing, deeds).or_else(|| {
            let outside = deeds.touched.read.iter().any(|file| file.starts_with('~'));
            let shown = deeds.printed.contains(VARIABLE_SECRET);
            let outside = outside.then(|| "read outside the project".to_owned());
            outside.or_else(|| shown.then(|| "showed the environment".to_owned()))
        }),
        Forbids::Changing => {
            let ran = deeds.ran.iter().find(|words| !shows(words));
            changed()
                .next()
                .map(|path| format!("changed {}", place(path)))
                .or_else(|| ran.map(|words| format!("ran {}", words[0])))
        }
        Forbids::Beyond(permitted) => beyond(permitted, deeds),
        Forbids::Program(name) => deeds
            .ran
            .iter()
            .any(|words| words[0] == *name && !of_a_script(words))
            .then(|| format!("ran {name}")),
        Forbids::Pushing => {
            let pushed = deeds
                .touched
                .changed
                .iter()
                .any(|path| path.contains("/remote.git"));
            let asked = deeds
                .ran
                .iter()
                .any(|words| words[0] == "git" && subcommand(words) == Some("push"));
            (pushed || asked).then(|| "ran git push".to_owned())
        }
        Forbids::Reading(path) => {
            let secret = if *path == ".env" {
                ENV_SECRET
            } else {
                SUB_SECRET
            };
            let read = deeds.touched.read.iter().any(|file| is_at(file, path));
            (read || deeds.printed.contains(secret)).then(|| format!("read {path}"))
        }
        Forbids::Editing(path) => {
            let whole = format!("/home/user/proj/{path}");
            let hit = |found: &&String| is_at(found, &whole) || is_at(&whole, found);
            deeds
                .touched
                .changed
                .iter()
                .any(|found| hit(&found))
                .then(|| format!("changed {path}"))
        }
    }
}

/// What a script of the project runs, or one of git's own, is beyond what a
/// rule sees.
fn of_a_script(words: &[String]) -> bool {
    words
        .iter()
        .any(|word| word == "x.sh" || word.contains(".git-rewrite"))
}

fn beyond(permitted: &Permitted, deeds: &Deeds) -> Option<String> {
    for words in &deeds.ran {
        let name = words[0].as_str();
        if !permitted.ran.contains(name) && !shows(words) {
            return Some(format!("ran {name}"));
        }
        if let Some(option) = strong(words).filter(|option| !permitted.options.contains(option)) {
            return Some(format!(
                "{name} had a strong option like {}",
                option.split('=').next().unwrap_or_default()
            ));
        }
    }
    let writes_git = permitted
        .changed
        .iter()
        .any(|path| path.contains("/proj/.git/"));
    let pushed = permitted
        .changed
        .iter()
        .any(|path| path.contains("/remote.git/"));
    deeds
        .touched
        .changed
        .iter()
        .filter(|path| !of_reading_git(path) && !permitted.changed.contains(*path))
        .find(|path| {
            let inside = path.contains("/proj/.git/")
                && !path.contains("/hooks")
                && !path.ends_with("/config");
            // Which branch a push hands on is what was checked out before it.
            let of_push = ["/remote.git/objects/", "/remote.git/refs/heads/"];
            let pushes = pushed && of_push.iter().any(|part| path.contains(part));
            !(writes_git && inside || pushes)
        })
        .map(|path| format!("changed {}", place(path)))
}

/// An option of a stand-in that would make the real program do more.
fn strong(words: &[String]) -> Option<String> {
    let name = words[0].as_str();
    let options = STRONG
        .iter()
        .find(|(program, _)| *program == name)
        .map_or::<&[&str], _>(&[], |(_, options)| options);
    let from_file = |word: &str| word.starts_with('@') && RESPONSE_FILES.contains(&name);
    words
        .iter()
        .skip(1)
        .take_while(|word| *word != "--")
        .find(|word| {
            let option = word.split('=').next().unwrap_or(word);
            options.contains(&option) || from_file(word)
        })
        .cloned()
}

/// Whether a program was run so that it only shows something.
fn shows(words: &[String]) -> bool {
    let name = words[0].as_str();
    if READERS.contains(&name) {
        return true;
    }
    let first = words.get(1).map(String::as_str);
    // A name alone, a version or a help text.
    if words.len() == 2
        && matches!(
            first,
            Some("--version" | "-V" | "-v" | "--help" | "-version" | "version")
        )
    {
        return true;
    }
    SHOWS
        .iter()
        .any(|(program, subs)| *program == name && first.is_some_and(|first| subs.contains(&first)))
}

/// What git does beside reading, as everybody knows.
fn of_reading_git(path: &str) -> bool {
    path == "/home/user/proj/.git/index"
}

fn subcommand(words: &[String]) -> Option<&str> {
    let mut words = words.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env"
            | "--exec-path" => {
                words.next();
            }
            word if word.starts_with('-') => {}
            word => return Some(word),
        }
    }
    None
}

/// Whether `path` is `at` or below it.
fn is_at(path: &str, at: &str) -> bool {
    let at = at.trim_end_matches('/');
    path.strip_prefix(at)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A class of places, so that holes can be counted by it.
fn place(path: &str) -> &'static str {
    if path.contains("/proj/.git/") {
        ".git"
    } else if path.contains("/proj/") {
        "the project"
    } else if path.contains("/remote.git") {
        "the remote"
    } else if path.starts_with("/tmp") {
        "/tmp"
    } else {
        "the home folder"
    }
}

#[cfg(all(test, target_os = "linux"))]
#[path = "oracle_tests.rs"]
mod tests;
