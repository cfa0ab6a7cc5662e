//! A holder's beginning: detach, take the folder, start the agent, say so.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::ExitCode;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::setsid;
use serde::{Deserialize, Serialize};

use super::agent::Agent;
use super::agent_file;
use super::journal::Journal;
use super::options::{Arguments, Tie};
use super::serve::{Holder, Parts};
use super::signals::Signals;
use super::{MAX_SOCKET_PATH, SOCKET, lock_path, socket_path};
use crate::memory::give_back_the_start;
use crate::tree;

/// What the holder says on its standard output, once, to the one that started
/// it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Outcome {
    /// The agent runs and the socket accepts.
    Ready,
    /// The agent could not be started; the system's error number.
    Spawn(i32),
    /// The holder itself could not begin.
    Setup(String),
}

/// Runs a holder. The binary's hidden subcommand calls this with the arguments
/// that follow its own, before it starts a runtime, opens a file or parses
/// anything.
pub fn holder_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    tree::close_inherited();
    // It fails only for the leader of a group, which somebody made of us on
    // purpose.
    setsid().ok();
    let holder = match prepare(args) {
        Ok(holder) => holder,
        Err(outcome) => {
            tell(&outcome);
            return ExitCode::FAILURE;
        }
    };
    tell(&Outcome::Ready);
    give_back_the_start();
    match holder.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn prepare(args: impl IntoIterator<Item = OsString>) -> Result<Holder, Outcome> {
    let arguments = Arguments::parse(args.into_iter()).map_err(Outcome::Setup)?;
    let Arguments {
        dir,
        options,
        program,
        args,
    } = arguments;
    let setup = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| Outcome::Setup(format!("{what}: {error}"))
    };
    let lock = take(&dir).map_err(setup("folder cannot be taken"))?;
    let journal = Journal::create(&dir, options.limits.segment_bytes)
        .map_err(setup("journal cannot be made"))?;
    let listener = listen(&dir).map_err(setup("socket cannot be made"))?;
    let signals = Signals::catch().map_err(setup("signals cannot be caught"))?;
    tree::adopt_orphans().map_err(setup("orphans cannot be adopted"))?;
    let output = match options.tie {
        Tie::OwnerAlone => Some(lent_output().map_err(setup("output cannot be taken"))?),
        Tie::Free | Tie::Owner => None,
    };
    let agent = Agent::spawn(&program, &args, &dir, output)
        .map_err(|error| Outcome::Spawn(error.raw_os_error().unwrap_or(0)))?;
    // Without it the marker still finds the agent.
    agent_file::write(&dir, agent.pid).ok();
    Ok(Holder::new(Parts {
        dir,
        options,
        lock,
        listener,
        signals,
        journal,
        agent,
    }))
}

/// The pipe for the agent's output, which came as standard input. No copy of it
/// may stay: its reader waits until all are closed.
fn lent_output() -> io::Result<OwnedFd> {
    let output = fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(output)
}

fn take(dir: &Path) -> io::Result<File> {
    let lock = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(lock_path(dir))?;
    lock.try_lock()?;
    Ok(lock)
}

fn listen(dir: &Path) -> io::Result<UnixListener> {
    let path = socket_path(dir);
    let listener = if path.as_os_str().len() <= MAX_SOCKET_PATH {
        UnixListener::bind(&path)?
    } else {
        let open = File::open(dir)?;
        UnixListener::bind(tree::unix_path(dir, &open, SOCKET))?
    };
    fs::set_permissions(&path, Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Says how the beginning went and lets go of the pipe it is said on.
fn tell(outcome: &Outcome) {
    let text = serde_json::to_vec(outcome).unwrap_or_default();
    // Whoever started this may be gone already; the agent runs all the same.
    rustix::io::write(rustix::stdio::stdout(), &text).ok();
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        rustix::stdio::dup2_stdout(&null).ok();
    }
}
