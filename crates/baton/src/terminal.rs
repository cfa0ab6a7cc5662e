//! Writing for people: colours only where they are seen, nothing that an agent
//! says can move the cursor or paint the screen.

mod approval;
mod input;
mod run_view;
mod spinner;

pub(crate) use approval::ask;
pub(crate) use input::Input;
pub(crate) use run_view::RunView;

use std::io::{IsTerminal, Write};

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
        written.map_err(|error| {
            Failure::new(
                format!("the output cannot be written: {error}"),
                "Whatever was stored is kept; `baton export` shows it.",
            )
        })
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

pub(crate) fn say_failure(failure: &Failure) {
    Screen::stderr(false).line(&failure.to_string()).ok();
}

/// Text of an agent, made harmless: control characters go, lines and tabs stay.
pub(crate) fn harmless(text: &str) -> String {
    let keep = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(keep).collect()
}

/// One line of at most `max` characters.
pub(crate) fn clean(text: &str, max: usize) -> String {
    let line = harmless(text).replace(['\n', '\t'], " ");
    if line.chars().count() <= max {
        return line;
    }
    let mut short: String = line.chars().take(max.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_cannot_paint_the_screen() {
        assert_eq!(harmless("a\u{1b}[2Jb\rc\u{9b}d\n\te"), "a[2Jbcd\n\te");
        assert_eq!(clean("one\ntwo", 80), "one two");
        assert_eq!(clean("abcdef", 4), "abc…");
    }
}
