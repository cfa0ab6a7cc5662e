//! Review comments: remarks on a workspace's files, kept as lines of a file.
//!
//! A file and not the event log, because they belong to a folder and not to a
//! session, and because several programs write them: an embedded agent, another
//! agent's `baton mcp`, and whoever shows them. A line is written at once, under
//! a lock, and never changed.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use baton_protocol::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most that one workspace's comments may take.
const MAX_BYTES: u64 = 16 << 20;

/// One remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    pub id: String,
    /// From the workspace's folder.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    pub severity: Severity,
    pub body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    pub created_at: Timestamp,
}

/// How much a remark matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    Note,
    #[default]
    Suggestion,
    Problem,
}

/// How many remarks a file has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileCount {
    pub path: String,
    pub comments: u32,
}

/// The comments of one workspace.
#[derive(Debug, Clone)]
pub struct Comments {
    file: PathBuf,
}

impl Comments {
    /// Kept in this file, which need not be there yet.
    pub fn at(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
        }
    }

    /// Keeps a comment for good.
    pub fn add(&self, comment: &Comment) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            let mut make = fs::DirBuilder::new();
            make.recursive(true).mode(0o700).create(folder)?;
        }
        let mut open = File::options();
        let mut file = open
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&self.file)?;
        file.lock()?;
        let length = file.metadata()?.len();
        if length > MAX_BYTES {
            return Err(io::Error::other("there are too many comments already"));
        }
        let mut line = Vec::new();
        // A line that was cut off by a crash must not take this one with it.
        if length > 0 && !ends_with_newline(&file, length)? {
            line.push(b'\n');
        }
        line.extend(serde_json::to_vec(comment)?);
        line.push(b'\n');
        file.write_all(&line)?;
        file.sync_data()
    }

    /// Every comment, the oldest first.
    pub fn all(&self) -> io::Result<Vec<Comment>> {
        let file = match File::open(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        file.lock_shared()?;
        let mut text = Vec::new();
        file.take(MAX_BYTES * 2).read_to_end(&mut text)?;
        let lines = text.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        Ok(lines
            .filter_map(|line| match serde_json::from_slice(line) {
                Ok(comment) => Some(comment),
                Err(error) => {
                    tracing::warn!(%error, "a review comment cannot be read");
                    None
                }
            })
            .collect())
    }

    /// How many there are of each file.
    pub fn counts(&self) -> io::Result<Vec<FileCount>> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for comment in self.all()? {
            *counts.entry(comment.path).or_default() += 1;
        }
        let counts = counts.into_iter();
        Ok(counts
            .map(|(path, comments)| FileCount { path, comments })
            .collect())
    }
}

fn ends_with_newline(file: &File, length: u64) -> io::Result<bool> {
    use std::os::unix::fs::FileExt;
    let mut last = [0];
    file.read_exact_at(&mut last, length - 1)?;
    Ok(last == *b"\n")
}
