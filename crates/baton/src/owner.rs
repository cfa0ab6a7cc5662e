//! The data folder and its one owner.
//!
//! Whoever holds the lock on `DATA/lock` owns the folder: it alone writes the
//! log and speaks to agents. Becoming owner means taking over, first of all,
//! what an earlier owner left running. Anyone may look at the log meanwhile.

use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
    sync::Arc,
    time::Duration,
};

use baton_protocol::{RunnerId, words::SessionState};
use baton_server::{Spare, is_full};
use baton_session::{RealWorld, Settings, Supervisor, World};
use baton_store::{Beginning, OpenError, SessionFilter, Store, StoreOptions};
use rustix::{
    fs::OFlags,
    io::Errno,
    process::{Pid, test_kill_process},
};

use crate::{client::Client, failure::Failure, setup::Setup};

/// The folder is ours until this goes.
pub(crate) struct Owner {
    pub(crate) supervisor: Arc<Supervisor>,
    /// How many agents an earlier owner left behind.
    pub(crate) taken: usize,
    _lock: File,
}

/// Why the folder could not be owned.
pub(crate) enum Refused {
    /// Another process owns it; its number, if it said.
    Owned {
        by: Option<u32>,
    },
    Failed(Failure),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Refused {
    pub(crate) fn failure(self, data: &Path) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Owned { by } => {
                let who = by.map_or_else(
                    || "another baton".into(),
                    |pid| format!("another baton (process {pid})"),
                );
                Failure::new(
                    format!("{who} is using the data folder {}", data.display()),
                    "One process at a time owns a data folder. Wait until it has ended, give each its own with --data-dir, or speak to the daemon that owns it.",
                )
            }
        }
    }
}

impl Owner {
    /// Locks the folder, opens the log and takes over what an earlier owner
    /// left running.
    pub(crate) async fn become_owner(setup: &Setup, settings: Settings) -> Result<Self, Refused> {
        let Locked { store, lock } = Locked::open(setup).await?;
        let supervisor = Supervisor::new(
            store,
            Arc::new(RealWorld),
            setup.agents.clone(),
            setup.data.join("holders"),
            settings,
        )
        .await
        .map_err(Failure::from)?;
        let agents = supervisor.store().holders().await.map_err(Failure::from)?;
        supervisor.take_over().await.map_err(Failure::from)?;
        Ok(Self {
            supervisor: Arc::new(supervisor),
            taken: agents.len(),
            _lock: lock,
        })
    }
}

/// The folder locked and the log open, with agents left alone.
pub(crate) struct Locked {
    pub(crate) store: Store,
    lock: File,
}

impl Locked {
    pub(crate) async fn open(setup: &Setup) -> Result<Self, Refused> {
        make_folder(&setup.data)?;
        let lock = lock(&setup.data).await?;
        let options = StoreOptions {
            beginning: beginning(&setup.data),
            ..StoreOptions::new(RunnerId::from_uuid(RealWorld.id()))
        };
        let open = || Store::open(&database(&setup.data), &options);
        let store = match open() {
            // There is room that is kept for this.
            Err(OpenError::NoSpace { .. }) if Spare::of(&setup.data).give_up() => open(),
            opened => opened,
        };
        let store = store.map_err(Failure::from)?;
        remember_log(&setup.data, store.runner_id());
        Ok(Self { store, lock })
    }
}

/// Whether somebody owns the folder.
pub(crate) fn is_owned(data: &Path) -> bool {
    let Ok(file) = File::open(data.join("lock")) else {
        return false;
    };
    // Shared, so that two who look do not take each other for the owner.
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// The log, to look at. Only its owner writes it.
pub(crate) struct Log(Store);

impl Log {
    /// Opens the log; none if there is none yet. When agents were left without
    /// an owner, a daemon first takes up what they said.
    pub(crate) async fn open(setup: &Setup) -> Result<Option<Self>, Failure> {
        let Some(path) = existing(&setup.data)? else {
            return Ok(None);
        };
        let log = Self(Store::open_read_only(&path)?);
        if !is_owned(&setup.data) && log.is_unfinished().await? {
            Client::connect(setup, "baton").await?;
        }
        Ok(Some(log))
    }

    /// Opens the log for what people said in it, and starts nobody. One of an
    /// older format that nobody owns is brought to this one first.
    pub(crate) async fn look(setup: &Setup) -> Result<Option<Self>, Failure> {
        let Some(path) = existing(&setup.data)? else {
            return Ok(None);
        };
        match Store::open_read_only(&path) {
            Err(OpenError::NotALog { source: None, .. }) if !is_owned(&setup.data) => {
                let opened = Locked::open(setup).await;
                let opened = opened.map_err(|refused| refused.failure(&setup.data))?;
                opened.store.close().await;
            }
            opened => return Ok(Some(Self(opened?))),
        }
        Ok(Some(Self(Store::open_read_only(&path)?)))
    }

    /// Whether an owner that is gone left something to go on with.
    async fn is_unfinished(&self) -> Result<bool, Failure> {
        if !self.0.holders().await?.is_empty() {
            return Ok(true);
        }
        for state in [
            SessionState::Starting,
            SessionState::Processing,
            SessionState::Waiting,
        ] {
            let filter = SessionFilter {
                state: Some(state),
                ..SessionFilter::default()
            };
            if !self.0.sessions(filter, None, 1).await?.items.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) const fn store(&self) -> &Store {
        &self.0
    }

    pub(crate) async fn close(self) {
        self.0.close().await;
    }
}

/// The log, unless none has begun yet. One that is gone is not taken for that.
fn existing(data: &Path) -> Result<Option<std::path::PathBuf>, OpenError> {
    let path = database(data);
    if std::fs::metadata(&path).map_or(0, |log| log.len()) > 0 {
        return Ok(Some(path));
    }
    match beginning(data) {
        Beginning::MayBeNew => Ok(None),
        Beginning::NotNew { shown_by } => Err(OpenError::Lost { path, shown_by }),
    }
}

/// What is there once there was a log, and only then. The first is written for
/// this alone; the others are of folders from before it was.
const REMAINS: [&str; 4] = ["runner.id", "token", "daemon.json", "comments"];

/// Whether a log may begin in this folder, or what says that there was one.
fn beginning(data: &Path) -> Beginning {
    let holders = std::fs::read_dir(data.join("holders"));
    let agent = holders.into_iter().flatten().flatten().next();
    let agent = agent.map(|entry| entry.path());
    let remains = REMAINS.iter().map(|name| data.join(name));
    let mut remains = remains.filter(|path| path.exists()).chain(agent);
    match remains.next() {
        None => Beginning::MayBeNew,
        Some(path) => Beginning::NotNew {
            shown_by: format!("{} is there", path.display()),
        },
    }
}

/// Leaves a sign beside the log that there is one. Without room for it the
/// other remains have to do.
fn remember_log(data: &Path, runner: RunnerId) {
    let mut open = OpenOptions::new();
    let made = open.write(true).create_new(true).mode(0o600);
    if let Ok(mut file) = made.open(data.join(REMAINS[0])) {
        writeln!(file, "{runner}").ok();
    }
}

pub(crate) fn database(data: &Path) -> std::path::PathBuf {
    data.join("baton.db")
}

pub(crate) fn make_folder(data: &Path) -> Result<(), Failure> {
    let fail = |error: &std::io::Error| {
        Failure::new(
            format!("the data folder {} cannot be used: {error}", data.display()),
            "Check its permissions and the disk, or choose another with --data-dir.",
        )
    };
    let existed = data.exists();
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(data).map_err(|error| fail(&error))?;
    let meta = std::fs::metadata(data).map_err(|error| fail(&error))?;
    if meta.permissions().mode() & 0o077 != 0 {
        if existed && !is_ours(data).map_err(|error| fail(&error))? {
            return Err(Failure::new(
                format!(
                    "{} holds other things and others may read it, so it cannot be a data folder",
                    data.display()
                ),
                "Choose an empty or new folder with --data-dir, or make this one private with chmod 700.",
            ));
        }
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(data, private).map_err(|error| fail(&error))?;
    }
    builder
        .create(data.join("holders"))
        .map_err(|error| fail(&error))
}

/// Whether nobody but Baton can miss the folder's permissions.
fn is_ours(data: &Path) -> std::io::Result<bool> {
    Ok(database(data).exists() || std::fs::read_dir(data)?.next().is_none())
}

/// How often and how far apart a lock is tried that nobody who lives has for
/// good.
const TRIES: u32 = 200;
const BETWEEN: Duration = Duration::from_millis(10);

async fn lock(data: &Path) -> Result<File, Refused> {
    let path = data.join("lock");
    let fail = |error: std::io::Error| {
        Failure::new(
            format!("{} cannot be locked: {error}", path.display()),
            "Check the permissions of the data folder, or choose another with --data-dir.",
        )
    };
    let mut open = OpenOptions::new();
    open.read(true)
        .write(true)
        .create(true)
        .truncate(false)
        // The file is written, so it must not be a link to another one.
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .mode(0o600);
    let mut file = open.open(&path).map_err(fail)?;
    for left in (0..TRIES).rev() {
        match file.try_lock() {
            Ok(()) => {
                // Only told to whoever finds the folder owned.
                let written = file
                    .set_len(0)
                    .and_then(|()| file.rewind())
                    .and_then(|()| write!(file, "{}", std::process::id()));
                if let Err(error) = written
                    && !is_full(&error)
                {
                    return Err(fail(error).into());
                }
                return Ok(file);
            }
            Err(TryLockError::WouldBlock) => {
                let by = named(&mut file);
                if left == 0 || (is_held_alone(&file) && by.is_none_or(lives)) {
                    return Err(Refused::Owned { by });
                }
                tokio::time::sleep(BETWEEN).await;
            }
            Err(TryLockError::Error(error)) => return Err(fail(error).into()),
        }
    }
    Err(Refused::Owned { by: None })
}

/// The process that said it has the lock.
fn named(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Whether an owner has the lock, and not somebody who is [looking](is_owned)
/// for one, which lasts a moment.
fn is_held_alone(file: &File) -> bool {
    match file.try_lock_shared() {
        Ok(()) => {
            file.unlock().ok();
            false
        }
        Err(_) => true,
    }
}

/// Whether the process is there. One that was killed while it began a program
/// leaves its lock with the copy of it that becomes the program, for a moment.
fn lives(pid: u32) -> bool {
    pid.try_into()
        .ok()
        .and_then(Pid::from_raw)
        .is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

#[cfg(test)]
#[path = "owner_tests.rs"]
mod tests;
