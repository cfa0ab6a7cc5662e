//! Where a conversation keeps its things: a data folder, or memory and a
//! folder of its own that goes with it.

use std::{
    fs::{self, DirBuilder, File},
    io::Write,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_protocol::{RunnerId, words::Json};
use baton_session::{RealWorld, Settings, Supervisor, World};
use baton_store::{Store, StoreOptions};
use serde_json::{Map, Value};
use tokio::task::JoinSet;

use super::{path_option, users::UsersWord};
use crate::{failure::Failure, owner::Owner, setup::Setup};

/// Folders of conversations are named so.
const PREFIX: &str = "baton-stdio-";

/// Where a conversation's log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogPlace {
    /// In the data folder that was named.
    Named,
    Memory,
}

/// Where a conversation is to be.
pub(super) struct At<'a> {
    pub(super) log: LogPlace,
    /// The folder that is worked in.
    pub(super) folder: &'a str,
    /// That of its project, where that is around it.
    pub(super) project: Option<&'a str>,
}

pub(super) struct Engine {
    pub(super) supervisor: Arc<Supervisor>,
    /// Holds what ends with the process.
    folder: PathBuf,
    _owner: Option<Owner>,
    /// Follows what the user says elsewhere.
    tasks: JoinSet<()>,
    _lock: File,
}

impl Engine {
    /// Opens the data folder if one was named, else makes a place that ends
    /// with the conversation.
    pub(super) async fn open(
        setup: &Setup,
        at: &At<'_>,
        settings: Settings,
        world: Arc<dyn World>,
    ) -> Result<Self, Failure> {
        let name = format!("{PREFIX}{}", RealWorld.random_id().simple());
        if at.log == LogPlace::Named {
            let owner = Owner::become_owner(setup, settings).await;
            let owner = owner.map_err(|refused| refused.failure(&setup.data))?;
            sweep(&setup.data);
            let folder = setup.data.join(name);
            make(&folder)?;
            let lock = lock(&folder).map_err(|error| unusable(&folder, &error))?;
            return Ok(Self {
                supervisor: Arc::clone(&owner.supervisor),
                folder,
                _owner: Some(owner),
                tasks: JoinSet::new(),
                _lock: lock,
            });
        }
        let temporary = std::env::temp_dir();
        sweep(&temporary);
        let folder = temporary.join(name);
        make(&folder)?;
        let lock = lock(&folder).map_err(|error| unusable(&folder, &error))?;
        let holders = folder.join("holders");
        make(&holders)?;
        let options = StoreOptions::new(RunnerId::from_uuid(RealWorld.id()));
        let store = Store::in_memory(&options)?;
        let word = UsersWord::take_over(setup, at, &store).await?;
        let supervisor =
            Supervisor::new(store, world, setup.agents.clone(), holders, settings).await?;
        let supervisor = Arc::new(supervisor);
        let mut tasks = JoinSet::new();
        tasks.spawn(word.follow(Arc::clone(&supervisor)));
        Ok(Self {
            supervisor,
            folder,
            _owner: None,
            tasks,
            _lock: lock,
        })
    }

    /// What is here ends with the process, and is the user's alone.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes servers where nobody else can read them: they may hold secrets,
    /// and a command line is public.
    pub(super) fn servers_file(
        &self,
        servers: &Map<String, Value>,
    ) -> Result<Option<Json>, Failure> {
        if servers.is_empty() {
            return Ok(None);
        }
        let path = self.folder.join("mcp.json");
        let text = serde_json::json!({"mcpServers": servers}).to_string();
        let mut open = File::options();
        open.write(true).create_new(true).mode(0o600);
        open.open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| unusable(&path, &error))?;
        Ok(Some(path_option(&path)))
    }

    /// Ends the tasks and removes what ends with the process.
    pub(super) async fn close(mut self) {
        self.tasks.shutdown().await;
        self.supervisor.detach().await;
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, "{} cannot be removed", self.folder.display());
        }
    }
}

fn make(folder: &Path) -> Result<(), Failure> {
    // One that is there already is somebody else's.
    let made = DirBuilder::new().mode(0o700).create(folder);
    made.map_err(|error| unusable(folder, &error))
}

fn lock(folder: &Path) -> std::io::Result<File> {
    let new = folder.join("lock.new");
    let mut open = File::options();
    let lock = open.write(true).create_new(true).mode(0o600).open(&new)?;
    lock.try_lock()?;
    // Whoever finds it under its own name finds it locked.
    fs::rename(&new, folder.join("lock"))?;
    Ok(lock)
}

/// Removes the folders of conversations that were killed.
fn sweep(temporary: &Path) {
    let Ok(entries) = fs::read_dir(temporary) else {
        return;
    };
    for entry in entries.flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let folder = entry.path();
        // In a folder that everybody may write to, somebody else's is left alone.
        let mine = |meta: fs::Metadata| meta.uid() == rustix::process::geteuid().as_raw();
        let ours = || {
            entry
                .metadata()
                .is_ok_and(|meta| meta.is_dir() && mine(meta))
        };
        // One without a lock is being made. What is no file is not even opened:
        // a pipe could take for ever.
        let is_left = || {
            let lock = folder.join("lock");
            lock.symlink_metadata().ok()?.is_file().then_some(())?;
            File::open(lock).ok()?.try_lock().ok()
        };
        if named && ours() && is_left().is_some() {
            fs::remove_dir_all(&folder).ok();
        }
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        format!("{} cannot be used: {error}", path.display()),
        "Check the folder for temporary files and the disk, or name a folder with --data-dir.",
    )
}
