//! Writing for people: colours only where they are seen, and nothing that an
//! agent, a daemon or an argument says can move the cursor or paint the screen.
//! That is seen to where a line leaves, so that no command has to think of it.

mod approval;
mod beside;
mod hidden;
mod input;
mod prose;
mod run_view;
mod spinner;
mod table;
mod waits;

pub(crate) use approval::{Decided, ask, brief, brief_lines};
pub(crate) use hidden::ask_hidden;
pub(crate) use input::Stdin;
pub(crate) use run_view::RunView;
pub(crate) use table::table;

use std::{
    hash::{BuildHasher, RandomState},
    io::{IsTerminal, Write},
};

pub(crate) use baton_session::views::{
    decided::{decision_words, is_unattended},
    outputs::for_people,
    plain::{clean, harmless, is_unseen},
};

use crate::failure::Failure;

/// What a piece of text means, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Good,
    Warn,
    Bad,
    Dim,
    Bold,
}

/// One of the two standard outputs.
pub(crate) struct Screen {
    out: Box<dyn Write + Send>,
    colour: bool,
    terminal: bool,
    /// Stands before the colours of [`Screen::styled`]. It is made by chance, so
    /// that a text which comes from elsewhere cannot have it and is never painted.
    mark: String,
}

impl Screen {
    pub(crate) fn stdout(colour: bool) -> Self {
        let out = std::io::stdout();
        let terminal = out.is_terminal();
        Self::on(Box::new(out), terminal, colour)
    }

    pub(crate) fn stderr(colour: bool) -> Self {
        let out = std::io::stderr();
        let terminal = out.is_terminal();
        Self::on(Box::new(out), terminal, colour)
    }

    fn on(out: Box<dyn Write + Send>, terminal: bool, colour: bool) -> Self {
        let chance = RandomState::new().hash_one("mark");
        Self {
            out,
            colour: colour && terminal,
            terminal,
            mark: format!("\u{1b}{chance:016x}"),
        }
    }

    pub(crate) const fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// How wide the terminal is; none if there is none.
    pub(crate) fn columns(&self) -> Option<usize> {
        let of = |columns: u16| (self.terminal && columns > 0).then(|| usize::from(columns));
        let out = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
        let notes = || rustix::termios::tcgetwinsize(std::io::stderr()).ok();
        of(out.or_else(notes)?.ws_col)
    }

    /// Writes one line for a person, whole, at once.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        let mut line = self.shown(text);
        line.push('\n');
        self.exact(&line)
    }

    /// Writes text for a person.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        let shown = self.shown(text);
        self.exact(&shown)
    }

    /// Writes over the line that the cursor is in.
    fn over(&mut self, text: &str) -> Result<(), Failure> {
        let shown = self.shown(text);
        self.exact(&format!("\r\u{1b}[2K{shown}"))
    }

    /// Writes one line of JSON for a program, as it is. On a terminal what would
    /// not be seen is escaped as JSON does it, which changes no value.
    pub(crate) fn json(&mut self, text: &str) -> Result<(), Failure> {
        let mut line = if self.terminal {
            escaped(text)
        } else {
            text.to_owned()
        };
        line.push('\n');
        self.exact(&line)
    }

    /// Writes text for a program, byte by byte as it is.
    pub(crate) fn exact(&mut self, text: &str) -> Result<(), Failure> {
        let written = self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush());
        written.map_err(|error| Failure::output(&error))
    }

    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match style {
            Style::Good => "32",
            Style::Warn => "33",
            Style::Bad => "31",
            Style::Dim => "2",
            Style::Bold => "1",
        };
        let mark = &self.mark;
        format!("{mark}{code}m{text}{mark}0m")
    }

    /// A text without anything that moves the cursor or paints, except for the
    /// colours that this screen gave it.
    fn shown(&self, text: &str) -> String {
        let mut parts = text.split(&self.mark);
        let mut shown = parts.next().map(harmless).unwrap_or_default();
        for part in parts {
            let (code, rest) = part.split_once('m').unwrap_or(("0", part));
            shown.push_str(&format!("\u{1b}[{code}m{}", harmless(rest)));
        }
        shown
    }
}

/// JSON with what cannot be seen escaped: such characters occur in strings only.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_unseen(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Tells on standard error what went wrong: to a person, or as one JSON object.
pub(crate) fn say_failure(failure: &Failure, json: bool) {
    if failure.quiet {
        return;
    }
    let mut screen = Screen::stderr(false);
    if json {
        screen.json(&failure.json().to_string()).ok();
    } else {
        screen.prose(None, &failure.to_string()).ok();
    }
}

/// A path on one line, whatever its name has in it.
pub(crate) fn shown_path(path: &std::path::Path) -> String {
    clean(&path.display().to_string(), usize::MAX)
}

/// How wide the terminal of the notes is.
fn width() -> usize {
    rustix::termios::tcgetwinsize(std::io::stderr())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns > 0)
        .unwrap_or(80)
}

/// A program's output without the colours it painted.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let end = sequence.find(|c: char| ('@'..='~').contains(&c));
        rest = end.map_or("", |end| &sequence[end + 1..]);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(colour: bool) -> Screen {
        Screen::on(Box::new(std::io::sink()), true, colour)
    }

    #[test]
    fn only_a_screen_paints_and_no_text_from_elsewhere_does() {
        let screen = screen(true);
        let evil = "\u{1b}[31mred\u{7}\u{1b}[0m";
        let line = format!("{} {evil}", screen.styled(Style::Good, evil));
        let tame = "<U+001B>[31mred<U+0007><U+001B>[0m";
        assert_eq!(
            screen.shown(&line),
            format!("\u{1b}[32m{tame}\u{1b}[0m {tame}")
        );
    }

    #[test]
    fn without_colours_nothing_paints() {
        let screen = screen(false);
        assert_eq!(
            screen.shown(&screen.styled(Style::Bad, "a\u{9b}b")),
            "a<U+009B>b"
        );
    }

    #[test]
    fn json_on_a_terminal_is_the_same_value_and_can_be_seen() {
        let value = serde_json::json!({"text": "a\u{1b}\u{9b}\u{202e}\u{e0041}\u{7f}é 日"});
        let shown = escaped(&value.to_string());
        assert!(
            !shown.chars().any(|c| c.is_control() || is_unseen(c)),
            "{shown}"
        );
        assert!(shown.contains("é 日"));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&shown).unwrap(),
            value
        );
    }

    #[test]
    fn colours_of_a_program_are_taken_off() {
        assert_eq!(without_colours("a \u{1b}[1;32mok\u{1b}[0m b"), "a ok b");
        assert_eq!(without_colours("cut \u{1b}[3"), "cut ");
    }
}
