//! The scripted model server as a program, for trying Baton by hand and for
//! tests in other languages. Prompts carry the script: see the table in
//! `baton_testkit::directive`.
//!
//! ```text
//! scripted-model [--port N] [--idle-exit SECONDS]
//! ```
//!
//! Prints one JSON line `{"url":"http://127.0.0.1:PORT","pid":N}` once it
//! listens. Ends when stdin closes, or after `--idle-exit` seconds without a
//! request.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::{Context as _, bail};
use baton_testkit::model::{ModelServer, Script};
use serde_json::json;

/// How often idleness is looked at; only its precision depends on it.
const TICK: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to report to when stderr is gone.
            drop(writeln!(std::io::stderr(), "scripted-model: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let options = Options::parse(std::env::args().skip(1))?;
    let server = ModelServer::start_on(options.port, Script::directed())
        .with_context(|| format!("cannot listen on loopback port {}", options.port))?;
    let ready = json!({"url": server.url(), "pid": std::process::id()});
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{ready}")?;
    stdout.flush()?;

    // One slot: closing is all that is ever said.
    let (closed, stdin_closed) = sync_channel::<()>(1);
    std::thread::Builder::new().spawn(move || {
        let mut buffer = [0; 4096];
        while matches!(std::io::stdin().read(&mut buffer), Ok(count) if count > 0) {}
        drop(closed);
    })?;
    loop {
        match stdin_closed.recv_timeout(TICK) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if options
            .idle_exit
            .is_some_and(|limit| server.idle_for() >= limit)
        {
            return Ok(());
        }
    }
}

struct Options {
    port: u16,
    idle_exit: Option<Duration>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self {
            port: 0,
            idle_exit: None,
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--port" => options.port = value()?.parse().context("--port needs a number")?,
                "--idle-exit" => {
                    let seconds = value()?.parse().context("--idle-exit needs seconds")?;
                    options.idle_exit = Some(Duration::from_secs(seconds));
                }
                _ => bail!(
                    "unknown option {arg}; usage: scripted-model [--port N] [--idle-exit SECONDS]"
                ),
            }
        }
        Ok(options)
    }
}
