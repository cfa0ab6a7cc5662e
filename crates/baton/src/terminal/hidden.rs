//! A secret that a person types, not shown while it is typed.

use std::io::IsTerminal;

use baton_protocol::api::Secret;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use super::{Screen, Stdin};
use crate::failure::Failure;

/// Asks on a terminal; elsewhere the first line of the input is the answer.
pub(crate) async fn ask_hidden(input: &Stdin, question: &str) -> Result<Option<Secret>, Failure> {
    let mut screen = Screen::stderr(false);
    let on_terminal = std::io::stdin().is_terminal();
    if on_terminal {
        screen.text(question)?;
    }
    let silence = Silence::begin();
    let line = tokio::select! {
        line = input.line() => line,
        // The terminal gets its echo back before the program ends.
        _ = tokio::signal::ctrl_c() => None,
    };
    drop(silence);
    if on_terminal {
        screen.line("")?;
    }
    Ok(line.map(|line| Secret::from(line.trim())))
}

/// No echo until this goes; nothing where the input is no terminal.
struct Silence(Option<Termios>);

impl Silence {
    fn begin() -> Self {
        let Ok(before) = tcgetattr(std::io::stdin()) else {
            return Self(None);
        };
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        let set = tcsetattr(std::io::stdin(), OptionalActions::Flush, &quiet);
        Self(set.is_ok().then_some(before))
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            tcsetattr(std::io::stdin(), OptionalActions::Flush, before).ok();
        }
    }
}
