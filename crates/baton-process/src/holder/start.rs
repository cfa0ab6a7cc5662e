//! Starting a holder, and clearing up after one.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::end::sweep;
use super::lent::LentOutput;
use super::main::Outcome;
use super::options::{AgentFile, HolderSpec, Tie};
use super::{MARKER, lock_path};
use crate::spec::{SpawnError, bare_command};

/// A holder says within this time how its beginning went.
const BEGIN: Duration = Duration::from_secs(30);

/// A folder that never gets empty is given up after so many tries.
const REMOVALS: usize = 100;

/// A holder whose exit was read is gone within this time.
const LEAVE: Duration = Duration::from_secs(5);

/// Its answer is a few bytes.
const MAX_OUTCOME: u64 = 64 * 1024;

/// A holder that has begun.
#[derive(Debug)]
pub struct Started {
    /// The holder's process, not the agent's.
    pub pid: u32,
    /// The agent's output, if its owner is to read it itself: for
    /// [`HolderReader::with_output`](super::HolderReader::with_output).
    pub output: Option<LentOutput>,
}

/// A holder could not be started or cleared up.
#[derive(Debug, thiserror::Error)]
pub enum HolderError {
    /// The agent could not be started; the holder has ended.
    #[error("agent could not be started")]
    Agent(#[from] SpawnError),
    #[error("holder folder {} is in use", .dir.display())]
    InUse { dir: PathBuf },
    #[error("holder folder {} cannot be prepared", .dir.display())]
    Folder {
        dir: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("holder program {} could not be started", .exe.display())]
    Exe {
        exe: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The holder began and failed; its own words, or what it left in its log.
    #[error("holder could not begin: {reason}")]
    Begin { reason: String },
    #[error("holder in {} still runs", .dir.display())]
    StillRunning { dir: PathBuf },
    /// Even a kill did not end it.
    #[error("process {pid} ({command}) cannot be ended")]
    Undying {
        dir: PathBuf,
        pid: i32,
        command: String,
    },
}

/// Starts a holder and its agent. `exe` with `leading_args` must end up in
/// [`holder_main`](super::holder_main).
///
/// It resolves when the agent runs and the holder's socket accepts. After an
/// error nothing runs and the folder is gone. Dropped halfway, the holder may
/// live, and its folder tells.
pub async fn start(
    exe: &Path,
    leading_args: &[OsString],
    spec: &HolderSpec,
) -> Result<Started, HolderError> {
    start_with(exe, leading_args, spec, &[]).await
}

/// The same, with files for the agent in the holder's folder.
pub async fn start_with(
    exe: &Path,
    leading_args: &[OsString],
    spec: &HolderSpec,
    files: &[AgentFile],
) -> Result<Started, HolderError> {
    let mut spec = spec.clone();
    spec.dir = make_folder(&spec.dir)?;
    let result = match put(&spec.dir, files) {
        Ok(()) => start_in(exe, leading_args, &spec).await,
        Err(source) => Err(HolderError::Folder {
            dir: spec.dir.clone(),
            source,
        }),
    };
    if result.is_err() {
        // Nothing of value is in it: the agent never ran.
        fs::remove_dir_all(&spec.dir).ok();
    }
    result
}

async fn start_in(
    exe: &Path,
    leading_args: &[OsString],
    spec: &HolderSpec,
) -> Result<Started, HolderError> {
    let folder = |source| HolderError::Folder {
        dir: spec.dir.clone(),
        source,
    };
    let log = log_path(&spec.dir);
    let log_file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(&log);
    let (output, stdin) = match spec.tie {
        Tie::OwnerAlone => {
            let (output, pipe) = LentOutput::new().map_err(folder)?;
            (Some(output), Stdio::from(pipe))
        }
        Tie::Free | Tie::Owner => (None, Stdio::null()),
    };
    let args = spec.to_args().map_err(|error| folder(error.into()))?;
    let exe = std::path::absolute(exe).map_err(folder)?;
    let mut command = bare_command(&exe);
    command
        .args(leading_args)
        .args(args)
        .env_clear()
        .envs(spec.agent.env.iter().map(|(name, value)| (name, value)))
        .env(MARKER, &spec.dir)
        .current_dir(&spec.agent.cwd)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(log_file.map_err(folder)?);
    // Dropped without a wait, the runtime reaps the holder when it ends.
    let mut holder = Command::from(command).spawn().map_err(|source| {
        if spec.agent.cwd.is_dir() {
            HolderError::Exe { exe, source }
        } else {
            SpawnError::NoDirectory {
                cwd: spec.agent.cwd.clone(),
            }
            .into()
        }
    })?;
    let begin = |reason: &str| HolderError::Begin {
        reason: reason.to_owned(),
    };
    let pid = holder.id().ok_or_else(|| begin("it has ended"))?;
    let stdout = holder
        .stdout
        .take()
        .ok_or_else(|| begin("its pipe is missing"))?;
    let mut text = Vec::new();
    let mut stdout = stdout.take(MAX_OUTCOME);
    match timeout(BEGIN, stdout.read_to_end(&mut text)).await {
        Ok(Ok(_)) => {}
        Ok(Err(_)) | Err(_) => {
            holder.start_kill().ok();
            let dir = spec.dir.clone();
            spawn_blocking(move || sweep(&dir)).await.ok();
            return Err(begin("it does not answer"));
        }
    }
    match serde_json::from_slice(&text) {
        Ok(Outcome::Ready) => Ok(Started { pid, output }),
        Ok(Outcome::Spawn(number)) => {
            let error = io::Error::from_raw_os_error(number);
            Err(SpawnError::explain(&spec.agent, error).into())
        }
        Ok(Outcome::Setup(reason)) => Err(HolderError::Begin { reason }),
        Err(_) => {
            let log = fs::read(log).unwrap_or_default();
            Err(begin(String::from_utf8_lossy(&log).trim()))
        }
    }
}

/// Whether the holder of this folder lives. One that has written its agent's
/// end to disk counts as gone.
pub fn is_alive(dir: &Path) -> bool {
    let Ok(lock) = File::open(lock_path(dir)) else {
        return false;
    };
    // Shared, so that two who look do not take each other for the holder.
    matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Whether this is the folder of a holder that has not come up: there is
/// nothing but what its starter made.
pub fn is_bare(dir: &Path) -> bool {
    let log = log_path(dir);
    let files = files_path(dir);
    let made = |path: PathBuf| path == log || path == files;
    fs::read_dir(dir)
        .is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|entry| made(entry.path()))))
}

/// Removes the folder of a holder that has ended, after its exit has been
/// committed. A folder that is not there is no error.
pub async fn remove(dir: &Path) -> Result<(), HolderError> {
    let gone = timeout(LEAVE, async {
        while is_alive(dir) {
            sleep(Duration::from_millis(5)).await;
        }
    });
    if gone.await.is_err() {
        return Err(HolderError::StillRunning {
            dir: dir.to_owned(),
        });
    }
    match fs::remove_dir_all(dir) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(HolderError::Folder {
            dir: dir.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Takes the folder from a holder that was started and has not come up: when
/// it does, it finds no folder and ends, as does one that comes up meanwhile.
pub async fn discard(dir: &Path) -> Result<(), HolderError> {
    let dir = dir.to_owned();
    let removed = spawn_blocking({
        let dir = dir.clone();
        move || {
            // It may be putting things into the folder just now.
            let mut removed = fs::remove_dir_all(&dir);
            for _ in 0..REMOVALS {
                match &removed {
                    Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                        removed = fs::remove_dir_all(&dir);
                    }
                    Ok(()) | Err(_) => break,
                }
            }
            removed
        }
    });
    match removed.await.unwrap_or(Ok(())) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(HolderError::Folder { dir, source })
        }
        _ => Ok(()),
    }
}

/// Where the agent's files are in a holder's folder.
pub fn files_path(dir: &Path) -> PathBuf {
    dir.join("files")
}

/// Writes the agent's files, each for this user alone.
fn put(dir: &Path, files: &[AgentFile]) -> io::Result<()> {
    for AgentFile {
        name,
        bytes,
        executable,
    } in files
    {
        let path = files_path(dir).join(name);
        if let Some(parent) = path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(parent)?;
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(if *executable { 0o700 } else { 0o600 })
            .open(path)?;
        file.write_all(bytes)?;
    }
    Ok(())
}

fn log_path(dir: &Path) -> PathBuf {
    dir.join("holder.log")
}

/// Makes the folder and gives its one true path, which is also its marker.
/// Whoever makes it owns it, so two starts cannot meet in one folder.
fn make_folder(dir: &Path) -> Result<PathBuf, HolderError> {
    let folder = |source| HolderError::Folder {
        dir: dir.to_owned(),
        source,
    };
    if let Some(parent) = dir.parent() {
        fs::create_dir_all(parent).map_err(folder)?;
    }
    match DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => dir.canonicalize().map_err(folder),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(HolderError::InUse {
            dir: dir.to_owned(),
        }),
        Err(error) => Err(folder(error)),
    }
}
