//! `baton completions`: what a shell needs to complete this program's arguments.

use crate::{
    cli::{CompletionsArgs, Shell, command_line},
    failure::{Exit, Failure},
    terminal::Screen,
};

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_line(), "baton", &mut script);
    Screen::stdout(false).exact(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}
