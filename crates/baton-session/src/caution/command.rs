//! What a person should notice in a shell command.
//!
//! It reads leniently and decides nothing: a command that no grammar fits is
//! looked at as well, and a warning too many costs a glance. What may run is
//! the matter of `baton_rules`, which is strict.

use std::path::Path;

use super::{
    grave::{Grave, grave},
    inside::lexically_inside,
    secret,
    tokens::{Token, Word, read},
};

/// How deep commands are looked for in commands.
const MAX_DEPTH: usize = 8;
/// How many places a warning names.
const MOST_NAMED: usize = 3;

/// Run a program with other rights than the agent's.
const PRIVILEGED: &[&str] = &["sudo", "doas", "su", "pkexec", "run0"];
/// Run the command that follows, as it is.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "pkexec", "run0", "env", "nohup", "time", "exec", "command", "builtin", "nice",
    "ionice", "stdbuf", "setsid", "timeout", "xargs", "then", "do", "else", "if", "elif", "while",
    "until", "!", "{", "export",
];
/// Options of theirs that take the next word.
const WITH_VALUE: &[&str] = &["-u", "-g", "-n", "-k", "-s", "-I", "-P", "-C", "-p", "-h"];
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "pwsh"];
const INTERPRETERS: &[&str] = &[
    "python", "python2", "python3", "perl", "ruby", "node", "php", "lua", "deno", "bun",
];
/// Their first argument is a pattern and no path.
const PATTERN_FIRST: &[&str] = &["sed", "awk", "gawk", "grep", "egrep", "rg", "jq", "perl"];
/// Programs live here; to run one says nothing.
const PROGRAMS: &[&str] = &[
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/opt/homebrew/bin/",
];
/// Everybody's, and nobody's data.
const HARMLESS: &[&str] = &[
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
    "/dev/urandom",
];

/// A warning's kind and words.
pub(super) type Notice = (&'static str, String);

#[derive(Default)]
struct Seen {
    /// Shells that run what comes through a pipe or out of another command.
    fed: Vec<String>,
    privileged: Vec<String>,
    outside: Vec<String>,
    grave: Vec<(Grave, String)>,
}

pub(super) fn notices(command: &str, cwd: &Path) -> Vec<Notice> {
    let mut seen = Seen::default();
    look(command, cwd, 0, &mut seen);
    let mut found = Vec::new();
    if let Some(shell) = seen.fed.first() {
        let words = format!("runs what another command prints, unread, in {shell}");
        found.push(("pipe_to_shell", words));
    }
    if let Some(program) = seen.privileged.first() {
        let words = format!("runs with the rights of another user ({program})");
        found.push(("privilege", words));
    }
    for (grave, what) in seen.grave.iter().take(MOST_NAMED) {
        found.push(grave.notice(what));
    }
    if !seen.outside.is_empty() {
        let places = named(&seen.outside);
        found.push(("outside", format!("reaches outside the project: {places}")));
    }
    if let Some(words) = secret::words(&secret::hints(command)) {
        found.push(("secret", words));
    }
    found
}

fn named(all: &[String]) -> String {
    let shown = all.get(..MOST_NAMED).unwrap_or(all).join(", ");
    match all.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn note(list: &mut Vec<String>, what: &str) {
    if !list.iter().any(|one| one == what) {
        list.push(what.to_owned());
    }
}

fn look(text: &str, cwd: &Path, depth: usize, seen: &mut Seen) {
    if depth > MAX_DEPTH {
        return;
    }
    let (tokens, inner) = read(text);
    let mut current = ShellCommand::default();
    let mut redirected = false;
    for token in tokens {
        match token {
            Token::Word(word) if redirected => {
                current.targets.push(word);
                redirected = false;
            }
            Token::Word(word) => current.words.push(word),
            Token::Redirect => redirected = true,
            Token::Pipe | Token::End => {
                let next = ShellCommand {
                    piped: matches!(token, Token::Pipe),
                    ..ShellCommand::default()
                };
                std::mem::replace(&mut current, next).look(cwd, depth, seen);
                redirected = false;
            }
        }
    }
    current.look(cwd, depth, seen);
    for command in inner {
        look(&command, cwd, depth + 1, seen);
    }
}

/// One command with its arguments.
#[derive(Default)]
struct ShellCommand {
    words: Vec<Word>,
    targets: Vec<Word>,
    /// What the command before it prints is its input.
    piped: bool,
}

impl ShellCommand {
    fn look(&self, cwd: &Path, depth: usize, seen: &mut Seen) {
        let at = self.program(seen);
        let program = self.words.get(at).map_or("", |word| base(&word.text));
        let arguments = self.words.get(at + 1..).unwrap_or_default();
        self.feeds(program, arguments, depth, cwd, seen);
        if let Some((grave, what)) = grave(program, arguments)
            && !seen.grave.iter().any(|(_, known)| *known == what)
        {
            seen.grave.push((grave, what));
        }
        let first = self.words.get(at).filter(|word| is_odd_place(&word.text));
        let skipped = PATTERN_FIRST.contains(&program);
        let pattern = arguments
            .iter()
            .position(|word| skipped && !word.text.starts_with('-'));
        let places = arguments
            .iter()
            .enumerate()
            .filter(|(index, _)| Some(*index) != pattern)
            .map(|(_, word)| word);
        for word in first.into_iter().chain(places).chain(&self.targets) {
            if let Some(place) = outside(&word.text, cwd) {
                note(&mut seen.outside, place);
            }
        }
    }

    /// Where the program's name is, behind what only passes it on.
    fn program(&self, seen: &mut Seen) -> usize {
        let mut at = 0;
        let mut wrapped = false;
        while let Some(word) = self.words.get(at) {
            let name = base(&word.text);
            if PRIVILEGED.contains(&name) {
                note(&mut seen.privileged, name);
            }
            if WRAPPERS.contains(&name) {
                wrapped = true;
                at += 1;
            } else if is_assignment(&word.text) || (wrapped && is_duration(&word.text)) {
                at += 1;
            } else if wrapped && word.text.starts_with('-') {
                at += 1 + usize::from(WITH_VALUE.contains(&word.text.as_str()));
            } else {
                break;
            }
        }
        at
    }

    /// Whether what runs is written by another command.
    fn feeds(&self, program: &str, arguments: &[Word], depth: usize, cwd: &Path, seen: &mut Seen) {
        let shell = SHELLS.contains(&program);
        let made = |word: &Word| word.made;
        if shell || INTERPRETERS.contains(&program) {
            let told = arguments.iter().any(|word| shell && word.text == "-s");
            let from_input = told
                || arguments
                    .iter()
                    .all(|word| is_option_of_none(&word.text, shell) || word.text == "/dev/stdin");
            let code = arguments
                .iter()
                .position(|word| is_code_option(&word.text, shell))
                .and_then(|at| arguments.get(at + 1));
            let process = arguments
                .iter()
                .chain(&self.targets)
                .any(|word| word.process);
            if (self.piped && from_input) || process || code.is_some_and(made) {
                note(&mut seen.fed, program);
            }
            if let Some(code) = code.filter(|_| shell) {
                look(&code.text, cwd, depth + 1, seen);
            }
        } else if program == "eval" || program == "source" || program == "." {
            if arguments.iter().any(made) {
                note(&mut seen.fed, program);
            }
            if program == "eval" {
                let all: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
                look(&all.join(" "), cwd, depth + 1, seen);
            }
        }
    }
}

fn base(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn is_duration(text: &str) -> bool {
    let number = text.trim_end_matches(['s', 'm', 'h', 'd']);
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// With nothing but these a shell reads its input, and so does an interpreter.
fn is_option_of_none(text: &str, shell: bool) -> bool {
    text == "-" || (shell && text.starts_with('-') && !is_code_option(text, true))
}

/// `-c`, also among others as in `-lc`; some interpreters say `-e`.
fn is_code_option(text: &str, shell: bool) -> bool {
    let ends = text.ends_with('c') || (!shell && text.ends_with('e'));
    text.starts_with('-') && !text.starts_with("--") && ends
}

/// A program that is run from where programs are not.
fn is_odd_place(text: &str) -> bool {
    text.contains('/') && !PROGRAMS.iter().any(|folder| text.starts_with(folder))
}

/// The path in a word, if it leads out of the project.
fn outside<'a>(word: &'a str, cwd: &Path) -> Option<&'a str> {
    let value = word.split_once('=').map(|(_, value)| value);
    [Some(word), value]
        .into_iter()
        .flatten()
        .find(|text| leads_out(text, cwd))
}

fn leads_out(text: &str, cwd: &Path) -> bool {
    if text.starts_with('~') || text.starts_with("$HOME") || text.starts_with("${HOME}") {
        return true;
    }
    let absolute = text.starts_with('/') && !text.starts_with("//") && text.len() > 1;
    let upwards = text == ".." || text.starts_with("../") || text.contains("/../");
    let root = text == "/";
    if text.contains("://") || HARMLESS.contains(&text) || text.starts_with("/dev/fd/") {
        return false;
    }
    root || ((absolute || upwards) && !lexically_inside(Path::new(text), cwd))
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
