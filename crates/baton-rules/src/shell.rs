//! Understanding a shell command well enough to judge it.
//!
//! The parser knows a strict subset of the shell's grammar and reads nothing
//! by guess: what lies outside the subset is [`Unparsed`], and what is not
//! parsed is asked. Reading order: `reader` (characters and words, with `zsh`),
//! `grammar` (lists, loops, redirections), `wrapper` (commands that run commands), `inside`
//! (texts that may be commands), then what is known of some programs: `known`
//! (those that only read, with their options), `git`, `jq`, `reading` (commands that
//! change nothing), `printing`, `searching`, `program`, `options` and `suggested`. Nothing here knows rules.

mod arguments;
mod assignment;
mod git;
mod grammar;
mod growing;
mod inside;
mod jq;
mod known;
mod options;
mod printing;
mod program;
mod reader;
mod reading;
mod searching;
mod suggested;
mod wrapper;
mod xargs;
mod zsh;

use baton_protocol::unseen::is_unseen;

use crate::glob::Token;

pub(crate) use arguments::Arguments;
pub(crate) use assignment::expands_later;
pub(crate) use git::{
    git_arguments, git_shows, is_git_command, is_reading_git, shows_git_settings,
};
pub(crate) use inside::{Inside, written_out};
pub(crate) use known::{Operands, follows, is_reader, operands};
pub(crate) use printing::only_prints;
pub(crate) use program::CHANGES_FOLDER;
pub(crate) use reading::{is_message, is_read_only, reads_only, runs_nothing};
pub(crate) use searching::{goes_deep, pattern_of, searched, searches_hidden};
pub(crate) use suggested::suggested;

/// The longest command that is looked at.
pub const MAX_COMMAND: usize = 8 * 1024;
/// How deep commands may lie in each other.
pub(crate) const MAX_DEPTH: usize = 64;
/// How many commands may be found in one, which bounds the work of judging.
const MAX_COMMANDS: usize = 512;
/// How many words all of them may have; wrappers around wrappers repeat theirs.
const MAX_WORDS: usize = 8 * 1024;

/// Why a command could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct Unparsed {
    why: String,
    /// A shell cannot read it either.
    broken: bool,
}

impl Unparsed {
    pub(crate) fn because(what: impl Into<String>) -> Self {
        Self {
            why: what.into(),
            broken: false,
        }
    }

    pub(crate) fn broken(what: impl Into<String>) -> Self {
        Self {
            why: what.into(),
            broken: true,
        }
    }
}

/// What can be known of a word before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// The word after quotes are removed.
    Known(String),
    /// A path below the home folder: what follows `~/`.
    Home(String),
    /// A pattern for names of files: plain characters and wildcards, no more.
    Wild(Vec<Token>),
    /// It depends on variables or other commands.
    Unknown {
        /// It may become several words, or none.
        splits: bool,
    },
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// The text as it was written.
    pub(crate) source: String,
    pub(crate) value: Value,
}

impl Word {
    pub(crate) fn unknown(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            value: Value::Unknown { splits: true },
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Known(text) => Some(text),
            Value::Home(_) | Value::Wild(_) | Value::Unknown { .. } => None,
        }
    }

    /// Whether what it becomes may begin with a dash, or hold a word that does.
    pub(crate) fn may_be_option(&self) -> bool {
        let plain = |c: char| c.is_alphanumeric() || "./_".contains(c);
        match &self.value {
            Value::Known(text) => text.starts_with('-'),
            Value::Home(_) => false,
            Value::Wild(tokens) => !matches!(tokens.first(), Some(Token::Char(c)) if plain(*c)),
            Value::Unknown { splits: true } => true,
            Value::Unknown { splits: false } => {
                !self.source.trim_start_matches('"').starts_with(plain)
            }
        }
    }

    /// One spelling for all ways to quote the same word, so that `'rm'` and
    /// `rm` compare equal while `'a b'` never looks like two words.
    pub(crate) fn render(&self) -> String {
        let Some(text) = self.text() else {
            return self.source.clone();
        };
        let plain = |c: char| c.is_alphanumeric() || "_-./:,@%+=".contains(c);
        if !text.is_empty() && text.chars().all(plain) {
            text.to_owned()
        } else {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
    }
}

/// Where a command's input or output is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Redirect {
    Read(Word),
    Write(Word),
}

/// A command with its arguments, as written or as found in another one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    /// `NAME=value` before the command, as written.
    pub(crate) assignments: Vec<String>,
    /// One of them may say what runs.
    pub(crate) unsure_assignment: bool,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    /// Another command reads what it prints.
    pub(crate) feeds: bool,
    /// It only passes its arguments on, so that the command inside is what counts.
    pub(crate) transparent: bool,
    /// It runs some of its arguments, but which ones is not known.
    pub(crate) runs_arguments: bool,
}

impl Simple {
    pub(crate) fn name(&self) -> Option<&str> {
        self.words.first().and_then(Word::text)
    }

    /// The name without the folder it is in.
    pub(crate) fn program(&self) -> Option<&str> {
        let name = self.name()?;
        Some(name.rsplit('/').next().unwrap_or(name))
    }

    pub(crate) fn render(&self) -> String {
        render(&self.words)
    }
}

pub(crate) fn render(words: &[Word]) -> String {
    let words: Vec<_> = words.iter().map(Word::render).collect();
    words.join(" ")
}

/// Everything that a command line would run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Script {
    /// Every command at every depth, those inside wrappers included.
    pub(crate) commands: Vec<Simple>,
    /// What only a rule for exactly this command line, or for every command, covers.
    pub(crate) special: Vec<String>,
    /// What hides a command from sight: no rule allows it.
    opaque: Vec<String>,
    /// Commands whose names are only known when they run, which hides them too.
    unnamed: Vec<String>,
    /// What runs or writes something of its own accord: a rule that denies or
    /// asks may be about it.
    pub(crate) unsure: Vec<String>,
    /// Texts that are handed to commands as their input.
    pub(crate) texts: Vec<String>,
    /// Those of them that the shell only makes when it runs.
    made: Vec<String>,
    /// What the shell fills in that is no word of a command, as it is written.
    pub(crate) filled: Vec<String>,
    /// Whether a command's output becomes part of another.
    pub(crate) substitutes: bool,
    /// Whether some commands may run more often than they are written.
    pub(crate) repeats: bool,
    /// What a shell would find in its texts.
    pub(crate) inside: Inside,
    /// How many words its commands have.
    words: usize,
}

impl Script {
    fn special(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.special.contains(&what) {
            self.special.push(what);
        }
    }

    /// The first thing in it that nobody can look into.
    pub(crate) fn hidden(&self) -> Option<&String> {
        self.obscure().next().or(self.unsure.first())
    }

    /// Everything that hides a command from sight.
    pub(crate) fn obscure(&self) -> impl Iterator<Item = &String> {
        self.unnamed.iter().chain(&self.opaque)
    }

    fn opaque(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.opaque.contains(&what) {
            self.opaque.push(what);
        }
    }
}

/// Reads a command line.
pub(crate) fn parse(command: &str) -> Result<Script, Unparsed> {
    parse_at(command, 0)
}

/// Reads a command line that lies in the texts of `depth` others.
fn parse_at(command: &str, depth: usize) -> Result<Script, Unparsed> {
    let mut script = Script::default();
    read_into(&mut script, command, 0)?;
    let alone = script.commands.len() <= 1;
    for index in 0..script.commands.len() {
        program::look_at(&mut script, index, alone);
    }
    script.inside = Inside::of(&script, depth);
    Ok(script)
}

/// The words of a text that is one command and nothing else.
pub(crate) fn single(text: &str) -> Option<Vec<Word>> {
    if text.len() > MAX_COMMAND {
        return None;
    }
    let read = grammar::read(text, 0).ok()?;
    let [simple] = read.commands.as_slice() else {
        return None;
    };
    let plain = simple.assignments.is_empty() && simple.redirects.is_empty() && !read.substitutes;
    (plain && read.special.is_empty()).then(|| simple.words.clone())
}

/// Reads `text` and everything inside its commands into `script`.
fn read_into(script: &mut Script, text: &str, depth: usize) -> Result<(), Unparsed> {
    if text.len() > MAX_COMMAND {
        return Err(Unparsed::because(format!(
            "the command is longer than {MAX_COMMAND} bytes"
        )));
    }
    let read = grammar::read(text, depth)?;
    script.substitutes |= read.substitutes;
    script.repeats |= read.repeats;
    script.texts.extend(read.texts);
    script.made.extend(read.made);
    script.filled.extend(read.filled);
    script.unsure.extend(read.unsure);
    for what in read.special {
        script.special(what);
    }
    for simple in read.commands {
        take(script, simple, depth)?;
    }
    Ok(())
}

/// Adds a command, and whatever it runs.
fn take(script: &mut Script, simple: Simple, depth: usize) -> Result<(), Unparsed> {
    if depth >= MAX_DEPTH {
        return Err(Unparsed::because("commands lie too deep in each other"));
    }
    script.words += simple.words.len();
    if script.commands.len() >= MAX_COMMANDS || script.words > MAX_WORDS {
        return Err(Unparsed::because("there are too many commands in it"));
    }
    let at = script.commands.len();
    script.commands.push(simple);
    wrapper::unwrap(script, at, depth + 1)
}

/// Characters that a person reading the command would not see, or would see
/// as something else.
pub(crate) fn hidden(text: &str) -> Option<char> {
    let hides = |c: &char| is_unseen(*c) || *c == '\n';
    text.chars().find(hides)
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod tests;
