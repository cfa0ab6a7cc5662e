//! The words of a command as a shell would make them, as far as that can be told
//! beforehand: quotes are taken away, known variables put in, and what is only
//! known later stands as a hole.

use std::{collections::BTreeMap, path::Path};

/// Stands for what is not known beforehand.
pub(super) const HOLE: char = '\u{1}';
/// Stands for what a pattern may be: `*`, `?`, `[a-z]`, `{a,b}`.
pub(super) const ANY: char = '\u{2}';

/// The most words of one command, and how deep commands lie in each other.
const MOST: usize = 1_000;
const DEEP: usize = 4;

/// Programs that run the file that they are given, or the text.
const INTERPRETERS: &[&str] = &[
    ".",
    "ash",
    "awk",
    "bash",
    "bun",
    "cmd",
    "dash",
    "deno",
    "eval",
    "exec",
    "fish",
    "gawk",
    "ksh",
    "lua",
    "node",
    "osascript",
    "perl",
    "php",
    "pwsh",
    "python",
    "python2",
    "python3",
    "ruby",
    "sh",
    "source",
    "ts-node",
    "tsx",
    "zsh",
];

/// Words of a shell's own after which a command begins.
const BEFORE: &[&str] = &[
    "!", "do", "else", "env", "if", "nohup", "then", "time", "while", "{",
];

/// What is known of variables.
pub(super) struct Known<'a> {
    pub(super) base: &'a Path,
    pub(super) home: &'a Path,
    /// Those that the settings set.
    pub(super) set: &'a BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// It is run: as a program, or by an interpreter.
    pub(super) runs: bool,
    /// It is the value of an option, as far as that can be told.
    pub(super) option: bool,
}

pub(super) struct Words {
    pub(super) all: Vec<Word>,
    /// Something that is run cannot be told.
    pub(super) untold: bool,
}

pub(super) fn words(text: &str, known: &Known<'_>) -> Words {
    let mut lexer = Lexer {
        known,
        vars: BTreeMap::new(),
        found: Vec::new(),
        untold: false,
    };
    lexer.command(text, 0);
    Words {
        all: lexer.found,
        untold: lexer.untold,
    }
}

struct Lexer<'a> {
    known: &'a Known<'a>,
    /// Variables that the command sets.
    vars: BTreeMap<String, String>,
    found: Vec<Word>,
    untold: bool,
}

/// One command while it is read.
#[derive(Default)]
struct Line {
    word: Option<String>,
    quoted: bool,
    /// The last word of this command that is no option.
    last: Option<String>,
    /// The last word was an option.
    option: bool,
    /// `for NAME in`: the name, and what it goes through.
    looped: Option<(String, Vec<String>)>,
}

impl Line {
    fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }
}

impl Lexer<'_> {
    fn command(&mut self, text: &str, depth: usize) {
        if depth > DEEP {
            return;
        }
        let signs: Vec<char> = text.chars().collect();
        let mut line = Line::default();
        let (mut at, mut double) = (0, false);
        while let Some(&sign) = signs.get(at) {
            at += 1;
            match sign {
                '\\' => {
                    if let Some(next) = signs.get(at).filter(|next| **next != '\n') {
                        line.push(&next.to_string());
                    }
                    at += 1;
                }
                '\'' if !double => {
                    let end = find(&signs, at, '\'');
                    line.push(&collect(&signs[at..end]));
                    line.quoted = true;
                    at = end + 1;
                }
                '"' => {
                    double = !double;
                    line.quoted = true;
                    line.push("");
                }
                '`' => {
                    let end = find(&signs, at, '`');
                    let made = self.substituted(&collect(&signs[at..end]), depth);
                    line.push(&made);
                    at = end + 1;
                }
                '$' => {
                    let (value, end) = self.variable(&signs, at, depth);
                    line.push(&value);
                    at = end;
                }
                _ if double => line.push(&sign.to_string()),
                '~' if begins(&line) && matches!(signs.get(at), None | Some('/' | ':' | ' ')) => {
                    line.push(&self.known.home.to_string_lossy());
                }
                '*' | '?' => line.push(&ANY.to_string()),
                '[' | '{' => match expansion(&signs, at, sign, line.word.is_some()) {
                    Some(end) => {
                        line.push(&ANY.to_string());
                        at = end;
                    }
                    None => self.end(&mut line, depth, false),
                },
                ']' | '}' => self.end(&mut line, depth, false),
                ';' | '&' | '|' | '(' | ')' | '\n' => self.end(&mut line, depth, true),
                '<' | '>' => self.end(&mut line, depth, false),
                _ if sign.is_whitespace() => self.end(&mut line, depth, false),
                _ => line.push(&sign.to_string()),
            }
        }
        self.end(&mut line, depth, true);
    }

    /// A word ends, and perhaps its command.
    fn end(&mut self, line: &mut Line, depth: usize, ends: bool) {
        if let Some(word) = line.word.take() {
            self.word(line, word, depth);
        }
        line.quoted = false;
        if ends {
            if let Some((name, through)) = line.looped.take() {
                let value = match through.as_slice() {
                    [one] => one.clone(),
                    _ => HOLE.to_string(),
                };
                self.vars.insert(name, value);
            }
            *line = Line::default();
        }
    }

    fn word(&mut self, line: &mut Line, word: String, depth: usize) {
        if self.found.len() >= MOST {
            self.untold = true;
            return;
        }
        if line.quoted && word.contains(|c: char| c.is_whitespace() || ";&|()".contains(c)) {
            // It may be a command itself.
            self.command(&word, depth + 1);
        }
        let set = word.split_once('=').filter(|(name, _)| is_name(name));
        if let (Some((name, value)), None) = (set, &line.last) {
            self.vars.insert(name.to_owned(), value.to_owned());
            let text = value.to_owned();
            self.found.push(Word {
                text,
                runs: false,
                option: true,
            });
            return;
        }
        match (&mut line.looped, line.last.as_deref()) {
            (Some((_, through)), _) if word != "in" => through.push(word.clone()),
            (None, Some("for")) => line.looped = Some((word.clone(), Vec::new())),
            _ => {}
        }
        let is_option = word.starts_with('-') && word.len() > 1;
        let first = line
            .last
            .as_deref()
            .is_none_or(|last| BEFORE.contains(&last));
        let interpreted = line.last.as_deref().is_some_and(is_interpreter) && !is_option;
        // What is only known later is run.
        let untold = word.chars().all(|c| c == HOLE) && !word.is_empty();
        self.untold |= untold && (first || interpreted);
        self.found.push(Word {
            runs: (first && word.contains('/')) || interpreted,
            option: std::mem::replace(&mut line.option, is_option),
            text: word.clone(),
        });
        if !is_option {
            line.last = Some(word);
        }
    }

    /// What stands behind a `$` at `at`, and where that ends.
    fn variable(&mut self, signs: &[char], at: usize, depth: usize) -> (String, usize) {
        match signs.get(at) {
            Some('(') => {
                let end = closing(signs, at + 1, '(', ')');
                let inner = collect(&signs[at + 1..end]);
                (self.substituted(&inner, depth), end + 1)
            }
            Some('{') => {
                let end = closing(signs, at + 1, '{', '}');
                let inner = collect(&signs[at + 1..end]);
                let named = inner
                    .find(|c: char| !is_name_sign(c))
                    .unwrap_or(inner.len());
                let (name, rest) = inner.split_at(named);
                let value = self.value(name);
                let default = rest.trim_start_matches([':', '-', '=', '+']);
                let value = match (value, rest) {
                    (Some(value), "" | "%/") => value,
                    (Some(value), _) if rest.starts_with([':', '-']) => value,
                    (None, _) if rest.starts_with([':', '-']) && !default.contains('$') => {
                        self.found.push(Word {
                            text: default.to_owned(),
                            runs: false,
                            option: true,
                        });
                        HOLE.to_string()
                    }
                    _ => HOLE.to_string(),
                };
                (value, end + 1)
            }
            Some('\'' | '"') => (String::new(), at),
            Some(c) if is_name_sign(*c) => {
                let rest = signs[at..].iter();
                let length = rest.take_while(|c| is_name_sign(**c)).count();
                let name = collect(&signs[at..at + length]);
                let value = self.value(&name).unwrap_or_else(|| HOLE.to_string());
                (value, at + length)
            }
            Some('@' | '*' | '#' | '?' | '!' | '$' | '-') => (HOLE.to_string(), at + 1),
            _ => ("$".to_owned(), at),
        }
    }

    fn value(&self, name: &str) -> Option<String> {
        match name {
            "CLAUDE_PROJECT_DIR" | "PWD" => Some(self.known.base.to_string_lossy().into_owned()),
            "HOME" => Some(self.known.home.to_string_lossy().into_owned()),
            _ => self
                .vars
                .get(name)
                .or_else(|| self.known.set.get(name))
                .cloned(),
        }
    }

    fn substituted(&mut self, command: &str, depth: usize) -> String {
        if matches!(command.trim(), "pwd" | "git rev-parse --show-toplevel") {
            return self.known.base.to_string_lossy().into_owned();
        }
        self.command(command, depth + 1);
        HOLE.to_string()
    }
}

pub(super) fn is_interpreter(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    INTERPRETERS.contains(&name)
}

fn begins(line: &Line) -> bool {
    let word = line.word.as_deref();
    word.is_none_or(|word| word.ends_with(['=', ':']))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_sign)
}

const fn is_name_sign(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

fn collect(signs: &[char]) -> String {
    signs.iter().collect()
}

fn find(signs: &[char], from: usize, wanted: char) -> usize {
    let found = signs.iter().skip(from).position(|sign| *sign == wanted);
    found.map_or(signs.len(), |found| from + found)
}

/// Where what was opened before `from` is closed, or the end.
fn closing(signs: &[char], from: usize, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    for (at, sign) in signs.iter().enumerate().skip(from) {
        if *sign == open {
            depth += 1;
        } else if *sign == close {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        }
    }
    signs.len()
}

/// Where brackets end that stand for one of several texts. Others are those of
/// JSON or of a group of commands.
fn expansion(signs: &[char], from: usize, open: char, inside: bool) -> Option<usize> {
    let close = if open == '[' { ']' } else { '}' };
    let end = closing(signs, from, open, close);
    let plain = |sign: &char| !sign.is_whitespace() && !matches!(sign, '"' | '\'' | ':');
    let whole = end < signs.len() && signs[from..end].iter().all(plain);
    let goes_on = signs.get(end + 1).is_some_and(|sign| {
        !sign.is_whitespace() && !matches!(sign, ']' | '}' | ',' | ';' | '&' | '|' | ')')
    });
    (whole && (inside || goes_on)).then_some(end + 1)
}
