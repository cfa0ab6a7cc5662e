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

use baton_protocol::{
    event::ApprovalResolved,
    words::{DecidedBy, Decision},
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

/// How an approval ended.
pub(crate) const fn decision_words(resolved: &ApprovalResolved) -> &'static str {
    match (resolved.decision, resolved.by) {
        (_, DecidedBy::Cancelled) => "withdrawn",
        (Decision::Allow, DecidedBy::User) => "allowed by you",
        (Decision::Deny, DecidedBy::User) => "denied by you",
        (Decision::Allow, DecidedBy::Rule) => "allowed by a rule",
        (Decision::Deny, DecidedBy::Rule) => "denied by a rule",
        (Decision::Allow, DecidedBy::Mode | DecidedBy::Timeout) => "allowed by the permission mode",
        (Decision::Deny, DecidedBy::Mode) if resolved.client.is_some() => {
            "denied, because nobody could be asked"
        }
        (Decision::Deny, DecidedBy::Mode) => "denied by the permission mode or tool limit",
        (Decision::Deny, DecidedBy::Timeout) => "denied, because nobody answered in time",
    }
}

/// Text of an agent, made harmless and honest: lines and tabs stay, and what
/// would move the cursor or not be seen is shown by its number.
pub(crate) fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            c if c.is_control() || is_unseen(c) => {
                shown.push_str(&format!("<U+{:04X}>", u32::from(c)));
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Characters that take no place, turn the direction of writing, or break
/// lines: Unicode's format characters and separators, and fillers.
fn is_unseen(c: char) -> bool {
    matches!(
        u32::from(c),
        0xad | 0x34f
            | 0x600..=0x605
            | 0x61c
            | 0x6dd
            | 0x70f
            | 0x890..=0x891
            | 0x8e2
            | 0x115f..=0x1160
            | 0x17b4..=0x17b5
            | 0x180e
            | 0x200b..=0x200f
            | 0x2028..=0x202e
            | 0x2060..=0x206f
            | 0x3164
            | 0xfeff
            | 0xffa0
            | 0xfff9..=0xfffb
            | 0x1_10bd
            | 0x1_10cd
            | 0x1_3430..=0x1_343f
            | 0x1_bca0..=0x1_bca3
            | 0x1_d173..=0x1_d17a
            | 0xe_0000..=0xe_0fff
    )
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
        assert_eq!(
            harmless("a\u{1b}[2Jb\rc\u{9b}d\r\n\te"),
            "a<U+001B>[2Jb<U+000D>c<U+009B>d\n\te"
        );
        assert_eq!(clean("one\ntwo", 80), "one two");
        assert_eq!(clean("abcdef", 4), "abc…");
    }

    #[test]
    fn colours_of_a_program_are_taken_off() {
        assert_eq!(without_colours("a \u{1b}[1;32mok\u{1b}[0m b"), "a ok b");
        assert_eq!(without_colours("cut \u{1b}[3"), "cut ");
    }

    #[test]
    fn what_cannot_be_seen_is_shown_by_its_number() {
        assert_eq!(
            harmless("rm\u{202e}x\u{200b}\u{feff}\u{2066}\u{e0041}é 日本"),
            "rm<U+202E>x<U+200B><U+FEFF><U+2066><U+E0041>é 日本"
        );
    }
}
