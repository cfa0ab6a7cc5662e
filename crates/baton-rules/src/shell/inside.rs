//! Commands in texts that another shell may read: a command's input, its
//! arguments, the variables that it sets.
//!
//! Which program runs which of its texts is not known for all programs there
//! are, so every text that is handed to one that may run it is read as a shell
//! would read it. What is found counts only against a command: rules that deny
//! or ask take it as "may be".

use super::assignment::assigns;
use super::{Redirect, Script, Simple, Word, is_message, parse_at, reads_only, runs_nothing};

/// How deep texts may lie in each other.
const MAX_DEPTH: usize = 8;
/// How many alternatives of braces are written out.
const MAX_ALTERNATIVES: usize = 256;

/// Programs that read their texts in a language of their own.
const OTHER_LANGUAGES: &[&str] = &[
    "curl",
    "deno",
    "jq",
    "julia",
    "lua",
    "mongosh",
    "mysql",
    "node",
    "patch",
    "perl",
    "php",
    "psql",
    "pypy",
    "python",
    "python2",
    "python3",
    "redis-cli",
    "Rscript",
    "ruby",
    "sqlite3",
    "wget",
    "yq",
];

/// What a shell would find in the texts of a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) commands: Vec<Simple>,
    /// What nobody can look into.
    pub(crate) hidden: Option<String>,
    /// A text that the shell itself only makes when it runs.
    pub(crate) made: Option<String>,
}

impl Inside {
    pub(super) fn of(script: &Script, depth: usize) -> Self {
        let mut found = Self::default();
        let running: Vec<&Simple> = script.commands.iter().filter(|one| may_run(one)).collect();
        if running.is_empty() {
            return found;
        }
        found.made = script.made.first().cloned();
        for text in &script.texts {
            found.text(text, depth);
        }
        let printing = script
            .commands
            .iter()
            .filter(|one| prints_for_later(one, script));
        for word in printing.flat_map(|simple| simple.words.iter().skip(1)) {
            found.text(&said(word).replace("\\n", "\n"), depth);
        }
        for simple in running {
            for assignment in &simple.assignments {
                found.text(&bare(assignment), depth);
            }
            let arguments = simple.words.iter().enumerate().skip(1);
            for (_, word) in arguments.filter(|(at, _)| !is_message(&simple.words, *at)) {
                found.text(&said(word), depth);
            }
        }
        found
    }

    fn text(&mut self, text: &str, depth: usize) {
        if !text.contains(is_active) {
            return;
        }
        if depth >= MAX_DEPTH {
            self.hidden = Some("texts lie too deep in each other".to_owned());
            return;
        }
        // `--run='…'`, `NAME=…` and `key.name=…` have the text behind the sign; a
        // function that is handed on begins with `()`, an alias of git with `!`.
        let value = text.split_once('=').map(|(_, value)| value);
        let body = value.and_then(|value| value.trim_start().strip_prefix("()"));
        let whole = Some(text).filter(|text| value.is_none() || !assigns(text));
        let alias = value.unwrap_or(text).trim_start().strip_prefix('!');
        let texts = [whole, value, body, alias];
        for text in texts.into_iter().flatten() {
            match parse_at(text, depth + 1) {
                Ok(script) => self.take(script),
                Err(error) if !error.broken => {
                    self.hidden.get_or_insert_with(|| error.to_string());
                }
                // A shell runs what comes before the line that it cannot read.
                Err(_) => {
                    let lines = text.lines().filter(|line| *line != text);
                    for script in lines.filter_map(|line| parse_at(line, depth + 1).ok()) {
                        self.take(script);
                    }
                }
            }
        }
    }

    fn take(&mut self, script: Script) {
        // A command without a name is looked at by what the name may become.
        let hidden = script.opaque.first().or(script.unsure.first()).cloned();
        let hidden = hidden.or(script.inside.hidden).or(script.inside.made);
        self.hidden = self.hidden.take().or(hidden);
        self.commands.extend(script.commands);
        self.commands.extend(script.inside.commands);
        if self.commands.len() > super::MAX_COMMANDS {
            self.commands.truncate(super::MAX_COMMANDS);
            self.hidden = Some("there are too many commands in it".to_owned());
        }
    }
}

/// Whether a program may run a text that it is given.
pub(super) fn may_run(simple: &Simple) -> bool {
    let other = |program| OTHER_LANGUAGES.contains(&program);
    !(reads_only(simple) || runs_nothing(simple) || simple.program().is_some_and(other))
}

/// Whether a text is printed to where another command may find it.
fn prints_for_later(simple: &Simple, script: &Script) -> bool {
    let writes = |simple: &Simple| {
        let mut redirects = simple.redirects.iter();
        redirects.any(|redirect| matches!(redirect, Redirect::Write(_)))
    };
    // What a whole group of commands prints may be written, too.
    let group = |simple: &Simple| simple.words.is_empty() && writes(simple);
    matches!(simple.program(), Some("echo" | "print" | "printf"))
        && (simple.feeds || writes(simple) || script.commands.iter().any(group))
}

/// Whether a character can make a text more than one plain word.
fn is_active(c: char) -> bool {
    c.is_whitespace() || "{*?[$`;|&<>(~\\'\"".contains(c)
}

/// The text of a word, as far as it is known.
fn said(word: &Word) -> String {
    word.text()
        .map_or_else(|| bare(&word.source), str::to_owned)
}

fn bare(source: &str) -> String {
    source.replace(['\'', '"'], "")
}

/// What a shell may make of a word that depends on more than its braces is
/// `None`; else all that it makes of it.
pub(crate) fn written_out(word: &Word) -> Option<Vec<String>> {
    let source = bare(&word.source);
    if source.contains(['$', '`', '*', '?', '[']) {
        return None;
    }
    alternatives(&source)
}

/// What a shell makes of `a{b,c}` and `{x..z}`; `None` where that is too much.
fn alternatives(text: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        if done.len() + open.len() > MAX_ALTERNATIVES {
            return None;
        }
        // The innermost braces first: what is in them has none.
        let mut ends = text.match_indices('}');
        let pair = ends.find_map(|(end, _)| Some((text[..end].rfind('{')?, end)));
        let Some((start, end)) = pair else {
            done.push(text);
            continue;
        };
        let (before, after) = (&text[..start], &text[end + 1..]);
        let inner = &text[start + 1..end];
        let choices: Vec<String> = match inner.split_once("..") {
            Some((from, to)) if !inner.contains(',') => range(from, to)?,
            Some(_) | None => inner.split(',').map(str::to_owned).collect(),
        };
        open.extend(
            choices
                .iter()
                .map(|choice| format!("{before}{choice}{after}")),
        );
    }
    Some(done)
}

/// `a..e`; numbers make no names of commands.
fn range(from: &str, to: &str) -> Option<Vec<String>> {
    let to = to.split("..").next()?;
    let mut ends = from.chars().chain(to.chars());
    let (first, last) = (ends.next()?, ends.next()?);
    if ends.next().is_some() || !first.is_ascii_alphabetic() || !last.is_ascii_alphabetic() {
        return Some(vec![from.to_owned(), to.to_owned()]);
    }
    let (low, high) = (first.min(last), first.max(last));
    Some((low..=high).map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use super::alternatives;

    #[test]
    fn braces_are_written_out() {
        let of = |text| {
            let mut found = alternatives(text).unwrap_or_default();
            found.sort();
            found.dedup();
            found.join(" ")
        };
        assert_eq!(of("gi{t..t}"), "git");
        assert_eq!(of("{r,x}{m,y}"), "rm ry xm xy");
        assert_eq!(of("a{b,c{d,e}}"), "ab acd ace");
        assert_eq!(of("{a:1,b:2}"), "a:1 b:2");
        assert_eq!(of("a}r{m,x}"), "a}rm a}rx");
        assert_eq!(of("{rm,x..y}"), "rm x..y");
        assert_eq!(alternatives("{a..z}{a..z}{a..z}"), None);
    }
}
