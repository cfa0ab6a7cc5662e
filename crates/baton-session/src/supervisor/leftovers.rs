//! Folders and processes that the log does not know: left by an owner that died
//! before it could remove them, or of a log that is not this one.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use baton_process::holder;
use baton_protocol::HolderId;
use baton_store::HolderRecord;

const IN_PEACE: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Removes every holder's folder that the log does not know, after everything
/// that runs in its name was ended. A holder is recorded before its folder is
/// made and forgotten after its end is recorded, so nothing in them is news;
/// but a log that was restored or moved here knows nothing of what runs.
pub(super) async fn remove(folder: &Path, known: &[HolderRecord]) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: BTreeSet<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.extend(holder::marked_below(folder).await);
    let is_left = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let id: Option<HolderId> = name.and_then(|name| name.parse().ok());
        id.is_some_and(|id| known.iter().all(|row| row.holder != id))
    };
    let left: Vec<PathBuf> = found.into_iter().filter(is_left).collect();
    // One that waited for its first message ends with its owner, in peace: its
    // agent then removes what it has put into files.
    let in_peace = async {
        while left.iter().any(|dir| holder::is_alive(dir)) {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    tokio::time::timeout(IN_PEACE, in_peace).await.ok();
    for dir in left {
        match holder::end(&dir).await {
            Ok(ended) => {
                for one in ended {
                    tracing::warn!(pid = one.pid, command = %one.command, "ended a process that the log does not know");
                }
            }
            Err(error) => tracing::error!(%error, "a process that the log does not know goes on"),
        }
        if let Err(error) = holder::discard(&dir).await {
            tracing::warn!(%error, "a holder's folder could not be removed");
        }
    }
}
