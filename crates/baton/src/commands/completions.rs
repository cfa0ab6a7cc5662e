//! `baton completions`: what a shell needs to complete this program's arguments.
//!
//! What clap makes knows commands and options. Sessions and projects are known
//! to the data folder only, so the scripts ask for them, by a hidden command that
//! reads the log and starts nobody.

mod scripts;

use baton_store::SessionFilter;

use crate::{
    cli::{CompletionsArgs, Known, KnownArgs, Shell, command_line},
    failure::{Exit, Failure},
    owner::Log,
    setup::Setup,
    terminal::{Screen, clean},
};

/// More would not be read.
const MOST: usize = 100;

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command_line(), "baton", &mut script);
    let script = String::from_utf8_lossy(&script);
    let script = scripts::knowing(args.shell, &script, &scripts::places(&command_line()));
    Screen::stdout(false).exact(&script)?;
    Ok(Exit::Success)
}

/// One name per line, with a tab and what it is called.
pub(crate) async fn known(setup: &Setup, args: &KnownArgs) -> Result<Exit, Failure> {
    let Some(log) = Log::look(setup).await? else {
        return Ok(Exit::Success);
    };
    let names: Vec<(String, String)> = match args.what {
        Known::Sessions => {
            let all = SessionFilter::default();
            let page = log.store().sessions(all, None, MOST).await?;
            let rows = page.items.into_iter();
            rows.map(|row| (row.id.to_string(), row.title.unwrap_or_default()))
                .collect()
        }
        Known::Projects => {
            let listed = log.store().project_list().await?.into_iter();
            listed.map(|entry| (entry.slug, entry.path)).collect()
        }
    };
    let mut screen = Screen::stdout(false);
    for (name, called) in names {
        screen.line(&format!("{name}\t{}", clean(&called, 60)))?;
    }
    log.close().await;
    Ok(Exit::Success)
}
