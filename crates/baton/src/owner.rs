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

use baton_protocol::{RunnerId, SessionId, words::SessionState};
use baton_session::{RealWorld, SessionHandle, Settings, Supervisor, World};
use baton_store::{Store, StoreOptions};
use rustix::fs::OFlags;

use crate::{failure::Failure, setup::Setup};

/// How long a command waits for agents that are not its own to take what they are owed.
const SETTLE: Duration = Duration::from_secs(5);

/// The folder is ours until this goes.
pub(crate) struct Owner {
    pub(crate) supervisor: Supervisor,
    /// Sessions whose agents an earlier owner left behind.
    pub(crate) taken: Vec<SessionHandle>,
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
                    "Wait until it has ended, or use another folder with --data-dir.",
                )
            }
        }
    }
}

impl Owner {
    pub(crate) async fn become_owner(setup: &Setup) -> Result<Self, Refused> {
        make_folder(&setup.data)?;
        let lock = lock(&setup.data)?;
        let world = RealWorld;
        let options = StoreOptions::new(RunnerId::from_uuid(world.id()));
        let store = Store::open(&database(&setup.data), &options).map_err(Failure::from)?;
        let supervisor = Supervisor::new(
            store,
            Arc::new(world),
            setup.agents.clone(),
            setup.data.join("holders"),
            Settings::default(),
        )
        .await
        .map_err(Failure::from)?;
        let taken = supervisor.take_over().await.map_err(Failure::from)?;
        Ok(Self {
            supervisor,
            taken,
            _lock: lock,
        })
    }

    /// Tells agents what an earlier owner could not tell them any more, so that
    /// they go on while nobody is here, and lets those go that have nothing
    /// left to do. The session that is `wanted` is left to its user.
    pub(crate) async fn settle(&self, wanted: Option<SessionId>) {
        let left = || self.taken.iter().filter(|one| Some(one.id()) != wanted);
        let told = async {
            for session in left() {
                session.wait_for(|progress| !progress.owes).await;
                session.close().await.ok();
            }
        };
        tokio::time::timeout(SETTLE, told).await.ok();
        let gone = async {
            for session in left() {
                session.wait_for(|progress| !progress.closing).await;
            }
        };
        tokio::time::timeout(SETTLE, gone).await.ok();
    }

    /// The sessions taken over whose agents have not finished.
    pub(crate) async fn at_work(&self) -> Result<Vec<SessionId>, Failure> {
        let mut at_work = Vec::new();
        for session in &self.taken {
            let row = self.supervisor.store().session_row(session.id()).await?;
            let state = row.map(|row| row.state);
            if matches!(
                state,
                Some(SessionState::Starting | SessionState::Processing | SessionState::Waiting)
            ) {
                at_work.push(session.id());
            }
        }
        Ok(at_work)
    }

    /// Lets agents go on under their holders, and the folder go.
    pub(crate) async fn release(self) {
        self.supervisor.detach().await;
    }
}

/// The log, as owner if nobody else is, else for reading only.
pub(crate) enum Log {
    Owned(Box<Owner>),
    Reading(Store),
}

impl Log {
    pub(crate) async fn open(setup: &Setup) -> Result<Self, Failure> {
        match Owner::become_owner(setup).await {
            Ok(owner) => {
                owner.settle(None).await;
                Ok(Self::Owned(Box::new(owner)))
            }
            Err(Refused::Owned { .. }) => Ok(Self::Reading(Store::open_read_only(&database(
                &setup.data,
            ))?)),
            Err(refused) => Err(refused.failure(&setup.data)),
        }
    }

    pub(crate) const fn store(&self) -> &Store {
        match self {
            Self::Owned(owner) => owner.supervisor.store(),
            Self::Reading(store) => store,
        }
    }

    pub(crate) async fn close(self) {
        match self {
            Self::Owned(owner) => owner.release().await,
            Self::Reading(store) => store.close().await,
        }
    }
}

pub(crate) fn database(data: &Path) -> std::path::PathBuf {
    data.join("baton.db")
}

fn make_folder(data: &Path) -> Result<(), Failure> {
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

fn lock(data: &Path) -> Result<File, Refused> {
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
    match file.try_lock() {
        Ok(()) => {
            // Only told to whoever finds the folder owned.
            let written = file
                .set_len(0)
                .and_then(|()| write!(file, "{}", std::process::id()));
            written.map_err(fail)?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            file.rewind()
                .and_then(|()| file.read_to_string(&mut text))
                .ok();
            Err(Refused::Owned {
                by: text.trim().parse().ok(),
            })
        }
        Err(TryLockError::Error(error)) => Err(fail(error).into()),
    }
}
