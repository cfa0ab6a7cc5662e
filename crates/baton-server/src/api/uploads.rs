//! Files that were sent ahead of the message they go with.
//!
//! They lie in a folder of their own, each as its bytes, its name and type in
//! the id's file name's neighbour. Whoever knows the id may attach it; ids are
//! random. Each goes after [`LIFE`], attached or not.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use baton_protocol::{
    Timestamp,
    api::{Problem, ProblemCode},
};
use baton_session::attachments::MAX_FILE;
use serde::{Deserialize, Serialize};
use tokio::{fs, io::AsyncWriteExt as _, sync::Semaphore};
use uuid::Uuid;

/// How long a file waits for its message.
const LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// Files that may wait at once. One more is refused.
const MOST: usize = 200;
/// What they may take in all, each that still comes counted as the longest.
const MOST_BYTES: u64 = 1 << 30;

/// The longest file, in bytes.
pub(crate) const MAX_UPLOAD: usize = MAX_FILE;

/// The folder of files that wait.
#[derive(Debug)]
pub struct Uploads {
    folder: PathBuf,
    /// One file begins at a time, so that no two take the same last place.
    one: Semaphore,
}

/// What waits.
#[derive(Debug, Clone, Copy, Default)]
struct Waiting {
    files: usize,
    bytes: u64,
}

/// What the sender says of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Label {
    pub(crate) name: String,
    pub(crate) media_type: Option<String>,
    at: Timestamp,
}

/// A file on its way in.
pub(crate) struct Receiving {
    id: Uuid,
    file: fs::File,
    path: PathBuf,
    label: Label,
    bytes: u64,
    kept: bool,
}

impl Drop for Receiving {
    fn drop(&mut self) {
        if !self.kept {
            std::fs::remove_file(&self.path).ok();
        }
    }
}

impl Uploads {
    /// Uses a folder, which is made when the first file comes.
    pub const fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            one: Semaphore::const_new(1),
        }
    }

    /// Begins a file.
    pub(crate) async fn receive(
        &self,
        id: Uuid,
        name: String,
        media_type: Option<String>,
        now: Timestamp,
    ) -> Result<Receiving, Problem> {
        let _one = self.one.acquire().await;
        let waiting = self.sweep(now).await.map_err(|error| failed(&error))?;
        if waiting.files >= MOST || waiting.bytes + MAX_UPLOAD as u64 > MOST_BYTES {
            let detail = format!(
                "{} files wait for their messages already; each goes after a day",
                waiting.files
            );
            return Err(Problem::new(ProblemCode::TooMany, detail));
        }
        let path = self.folder.join(id.simple().to_string());
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = options.open(&path).await.map_err(|error| failed(&error))?;
        Ok(Receiving {
            id,
            file,
            path,
            label: Label {
                name,
                media_type,
                at: now,
            },
            bytes: 0,
            kept: false,
        })
    }

    /// A file by its id, which stays until it is old. It is at most as long as
    /// [`length`](Self::length) said.
    pub(crate) async fn read(&self, id: &str) -> Result<(Label, Vec<u8>), Problem> {
        let path = self.path(id)?;
        let label = fs::read(label_path(&path)).await.map_err(|_| none())?;
        let label = serde_json::from_slice(&label).map_err(|_| none())?;
        let bytes = fs::read(&path).await.map_err(|_| none())?;
        Ok((label, bytes))
    }

    /// How long a file is, before it is read.
    pub(crate) async fn length(&self, id: &str) -> Result<u64, Problem> {
        let file = fs::metadata(self.path(id)?).await;
        file.map(|file| file.len()).map_err(|_| none())
    }

    fn path(&self, id: &str) -> Result<PathBuf, Problem> {
        // Parsed, so that it cannot be a path.
        let id = id
            .strip_prefix("upl_")
            .and_then(|id| id.parse::<Uuid>().ok());
        let name = id.ok_or_else(none)?.simple().to_string();
        Ok(self.folder.join(name))
    }

    /// Removes what is old, also where nobody uploads any more.
    pub(super) async fn collect(&self, now: Timestamp) -> io::Result<()> {
        if fs::try_exists(&self.folder).await? {
            self.sweep(now).await?;
        }
        Ok(())
    }

    /// Removes what is old; says what is left.
    async fn sweep(&self, now: Timestamp) -> io::Result<Waiting> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&self.folder).await?;
        let mut left = Waiting::default();
        let mut entries = fs::read_dir(&self.folder).await?;
        while let Some(entry) = entries.next_entry().await? {
            let path = entry.path();
            if path.extension().is_some() {
                continue;
            }
            let label = fs::read(label_path(&path)).await.unwrap_or_default();
            let label: Option<Label> = serde_json::from_slice(&label).ok();
            // Without a label it is being written, or its writer died.
            let (at, bytes) = match label {
                Some(label) => (
                    label.at,
                    entry.metadata().await.map_or(0, |file| file.len()),
                ),
                None => (modified(&entry).await.unwrap_or(now), MAX_UPLOAD as u64),
            };
            if now.since(at) < LIFE {
                left.files += 1;
                left.bytes += bytes;
                continue;
            }
            fs::remove_file(label_path(&path)).await.ok();
            fs::remove_file(&path).await.ok();
        }
        Ok(left)
    }
}

fn none() -> Problem {
    let message = "there is no such upload; it may have expired";
    Problem::invalid("uploadId", message)
}

async fn modified(entry: &fs::DirEntry) -> Option<Timestamp> {
    let time = entry.metadata().await.ok()?.modified().ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(
        i64::try_from(since.as_millis()).ok()?,
    ))
}

impl Receiving {
    pub(crate) async fn write(&mut self, chunk: &[u8]) -> Result<(), Problem> {
        self.bytes += chunk.len() as u64;
        let written = self.file.write_all(chunk).await;
        written.map_err(|error| failed(&error))
    }

    /// Ends the file; its id and length.
    pub(crate) async fn finish(mut self) -> Result<(String, u64), Problem> {
        let finish = async {
            self.file.flush().await?;
            let label = serde_json::to_vec(&self.label).map_err(io::Error::other)?;
            let mut options = fs::OpenOptions::new();
            options.write(true).create_new(true).mode(0o600);
            let mut file = options.open(label_path(&self.path)).await?;
            file.write_all(&label).await?;
            file.flush().await
        };
        finish.await.map_err(|error| failed(&error))?;
        self.kept = true;
        Ok((format!("upl_{}", self.id.simple()), self.bytes))
    }
}

fn label_path(path: &Path) -> PathBuf {
    path.with_extension("json")
}

fn failed(error: &io::Error) -> Problem {
    let code = if error.kind() == io::ErrorKind::StorageFull {
        ProblemCode::StorageFull
    } else {
        ProblemCode::Storage
    };
    Problem::new(code, format!("the file cannot be kept: {error}"))
}
