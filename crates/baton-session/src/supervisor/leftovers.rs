//! Folders of processes that are over and in the log, left by an owner that
//! died before it could remove them.

use std::path::Path;

use baton_process::holder;
use baton_protocol::HolderId;
use baton_store::HolderRecord;

/// Removes every holder's folder that the log does not know. A holder is
/// recorded before its folder is made and forgotten after its end is recorded,
/// so nothing in them is news.
pub(super) async fn remove(folder: &Path, known: &[HolderRecord]) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let id = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let is_left = |id: HolderId| known.iter().all(|row| row.holder != id);
        if id.is_some_and(is_left)
            && let Err(error) = holder::discard(&entry.path()).await
        {
            tracing::warn!(%error, "a holder's folder could not be removed");
        }
    }
}
