//! A process that outlives whoever started it and the terminal it was started from.
//!
//! The starter calls [`start_detached`], the started one [`detach`] before
//! anything else. It says once, on its standard output, how its beginning
//! went; the starter reads until that is closed.

use std::fs::{File, OpenOptions};
use std::io;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::setsid;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;

use crate::spec::{SpawnError, Spec};
use crate::tree;

/// What it says of its beginning is short.
const MAX_WORDS: u64 = 64 * 1024;

/// Leaves the terminal, the session and every descriptor of the starter's but
/// the standard ones. Only for a process that has just begun and has opened
/// nothing itself.
pub fn detach() {
    tree::close_inherited();
    // It fails only for the leader of a group, which somebody made of us on
    // purpose.
    setsid().ok();
}

/// Says how the beginning went, and lets go of standard output. Whoever waits
/// for it may be gone; that changes nothing.
pub fn tell_starter(words: &[u8]) {
    rustix::io::write(rustix::stdio::stdout(), words).ok();
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        rustix::stdio::dup2_stdout(&null).ok();
    }
}

/// Makes `file` the standard error of this process.
pub fn redirect_stderr(file: &File) -> io::Result<()> {
    Ok(rustix::stdio::dup2_stderr(file)?)
}

/// Starts a process that calls [`detach`], with `log` as its standard error,
/// and gives what it said with [`tell_starter`]: nothing if it ended first, or
/// `None` if it said nothing within `limit` and goes on.
pub async fn start_detached(
    spec: &Spec,
    log: File,
    limit: Duration,
) -> Result<Option<Vec<u8>>, SpawnError> {
    let mut command = Command::from(spec.command_in_group());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log);
    let mut started = command
        .spawn()
        .map_err(|error| SpawnError::explain(spec, error))?;
    let Some(stdout) = started.stdout.take() else {
        return Ok(Some(Vec::new()));
    };
    let mut words = Vec::new();
    let mut stdout = stdout.take(MAX_WORDS);
    // Dropped without a wait, the runtime reaps it should it end first.
    match timeout(limit, stdout.read_to_end(&mut words)).await {
        Ok(_) => Ok(Some(words)),
        Err(_) => Ok(None),
    }
}
