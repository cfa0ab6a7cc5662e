//! Writing for people: colours only where they are seen, nothing that an agent
//! says can move the cursor or paint the screen.

mod approval;
mod hidden;
mod input;
mod run_view;
mod spinner;
mod table;

pub(crate) use approval::{Decided, ask, brief, brief_lines};
pub(crate) use hidden::ask_hidden;
pub(crate) use input::Input;
pub(crate) use run_view::RunView;
pub(crate) use table::table;

use std::io::{IsTerminal, Write};

pub(crate) use baton_session::views::plain::{clean, decision_words, harmless};

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
}

impl Screen {
    pub(crate) fn stdout(colour: bool) -> Self {
        let out = std::io::stdout();
        let terminal = out.is_terminal();
        Self {
            colour: colour && terminal,
            terminal,
            out: Box::new(out),
        }
    }

    pub(crate) fn stderr(colour: bool) -> Self {
        let out = std::io::stderr();
        let terminal = out.is_terminal();
        Self {
            colour: colour && terminal,
            terminal,
            out: Box::new(out),
        }
    }

    pub(crate) const fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// How wide the terminal is; none if there is none.
    fn columns(&self) -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
        let columns = usize::from(size.ws_col);
        (self.terminal && columns > 0).then_some(columns)
    }

    /// Writes one line, whole, at once.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        self.text(&line)
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
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
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// Tells on standard error what went wrong: to a person, or as one JSON object.
pub(crate) fn say_failure(failure: &Failure, json: bool) {
    if failure.quiet {
        return;
    }
    let text = if json {
        failure.json().to_string()
    } else {
        failure.to_string()
    };
    Screen::stderr(false).line(&text).ok();
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

    #[test]
    fn colours_of_a_program_are_taken_off() {
        assert_eq!(without_colours("a \u{1b}[1;32mok\u{1b}[0m b"), "a ok b");
        assert_eq!(without_colours("cut \u{1b}[3"), "cut ");
    }
}
