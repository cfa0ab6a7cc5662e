//! Outputs that an agent kept in a file, because they are too long for its
//! model. They go to the log while they are there: the agent clears them away.

use std::path::Path;

use tokio::io::AsyncReadExt;

use crate::agents::{ToolResult, Whole};

/// The rest of a longer one stays where the agent has it.
const MOST: u64 = 16 * 1024 * 1024;

/// Takes the file's place. Without it what the agent said is all there is.
pub(super) async fn read(result: &mut ToolResult) {
    if let Whole::Kept(path) = &result.whole {
        result.whole = match bytes(path).await {
            Some(bytes) => Whole::Read(bytes),
            None => Whole::Said,
        };
    }
}

async fn bytes(path: &Path) -> Option<Vec<u8>> {
    // Nothing else than a file: a pipe would never end.
    let found = tokio::fs::symlink_metadata(path).await.ok()?;
    if !found.is_file() {
        return None;
    }
    let file = tokio::fs::File::open(path).await.ok()?;
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes).await.ok()?;
    Some(bytes)
}
