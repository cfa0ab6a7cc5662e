//! The `baton` command.
//!
//! Two hidden uses of this program come before everything else, because they
//! must stay small: the holder of one agent, and the demo agent. Neither may
//! touch the argument parser or the async runtime.

mod cli;
mod commands;
mod config;
mod environment;
mod failure;
mod owner;
mod setup;
mod terminal;

use std::{ffi::OsString, process::ExitCode, time::Duration};

/// The hidden subcommands, as [`baton_session::agents::AgentHome`] names them.
pub(crate) const HOLDER: &str = "__holder";
pub(crate) const DEMO: &str = "__demo";

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    args.next();
    match args.next() {
        Some(first) if first == HOLDER => baton_process::holder::holder_main(args),
        Some(first) if first == DEMO => demo(args.next()),
        _ => cli::main(),
    }
}

fn demo(pace: Option<OsString>) -> ExitCode {
    let pace = pace.and_then(|pace| pace.to_str().and_then(|pace| pace.parse().ok()));
    let pace = Duration::from_millis(pace.unwrap_or(20));
    let stdin = std::io::BufReader::new(std::io::stdin());
    let here = std::env::current_dir().unwrap_or_default();
    match baton_session::agents::demo::run(stdin, std::io::stdout().lock(), &here, pace) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
