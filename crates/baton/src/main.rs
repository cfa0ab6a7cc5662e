//! The `baton` command.
//!
//! Hidden uses of this program come before everything else. The holder of one
//! agent and the demo agent must stay small: neither may touch the argument
//! parser or the async runtime. A daemon in the background leaves its starter's
//! terminal before it opens anything.

mod cli;
mod client;
mod commands;
mod config;
mod daemon;
mod environment;
mod failure;
mod host;
mod owner;
mod running;
mod settings;
mod setup;
mod sign_in;
mod signals;
mod terminal;

use std::{ffi::OsString, process::ExitCode, time::Duration};

/// The hidden subcommands, as [`baton_session::agents::AgentHome`] names them.
pub(crate) const HOLDER: &str = "__holder";
pub(crate) const DEMO: &str = "__demo";
/// Comes before the arguments of a daemon that is started in the background.
pub(crate) const DETACHED: &str = "__detached";

fn main() -> ExitCode {
    baton_process::give_back_large_blocks();
    let mut args = std::env::args_os();
    args.next();
    match args.next() {
        Some(first) if first == HOLDER => baton_process::holder::holder_main(args),
        Some(first) if first == DEMO => demo(args.next()),
        Some(first) if first == DETACHED => {
            baton_process::detach();
            cli::main(args)
        }
        _ => cli::main(std::env::args_os().skip(1)),
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
