//! Review comments: remarks on a workspace's files, kept as lines of a file.
//!
//! A file and not the event log, because they belong to a folder and not to a
//! session, and because several programs write them: an embedded agent, another
//! agent's `baton mcp`, and whoever shows them. A line is written at once, under
//! a lock, and never changed; what becomes of a remark is a further line. What a remark is about moves with every edit, so
//! `anchor` looks for it anew whenever remarks are shown.

mod anchor;
mod change;
mod follow;

pub use anchor::{anchored, found_again};
pub use change::{Change, What};

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Component, Path, PathBuf},
};

use baton_protocol::{
    Timestamp,
    api::{FileComments, ReviewComment, ReviewComments, Severity},
};

/// The most that one workspace's comments may take.
const MAX_BYTES: u64 = 16 << 20;

const MAX_BODY: usize = 10_000;
const MAX_PATH: usize = 1000;
const MAX_AUTHOR: usize = 100;

/// So many are listed at most.
pub const MAX_LISTED: usize = 200;

/// Why a comment or a list of them makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {why}")]
pub struct BadComment {
    pub field: &'static str,
    pub why: String,
}

/// A remark before it has its name and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub path: String,
    pub body: String,
    pub line: Option<u32>,
    pub end_line: Option<u32>,
    pub severity: Severity,
    pub author: Option<String>,
}

impl Draft {
    /// The comment, if all of it makes sense.
    pub fn checked(self, id: String, created_at: Timestamp) -> Result<ReviewComment, BadComment> {
        let path = inside(&self.path)?;
        let body = self.body.trim();
        if body.is_empty() || body.chars().count() > MAX_BODY {
            return Err(bad("body", format!("has 1 to {MAX_BODY} characters")));
        }
        if self.line == Some(0) {
            return Err(bad("line", "counts from 1"));
        }
        if let Some(end) = self.end_line
            && self.line.is_none_or(|line| end < line)
        {
            return Err(bad("endLine", "is not before `line`, which it needs"));
        }
        let author = self
            .author
            .map(|name| name.chars().take(MAX_AUTHOR).collect());
        Ok(ReviewComment {
            id,
            path,
            line: self.line,
            end_line: self.end_line,
            severity: self.severity,
            body: body.to_owned(),
            author,
            created_at,
            quote: None,
            outdated: None,
            resolved: None,
        })
    }
}

fn bad(field: &'static str, why: impl Into<String>) -> BadComment {
    let why = why.into();
    BadComment { field, why }
}

/// A path in one form, which leads nowhere else.
fn inside(path: &str) -> Result<String, BadComment> {
    let mut parts = Vec::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => parts.extend(part.to_str()),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                let why = "is given from the workspace's folder and stays in it";
                return Err(bad("path", why));
            }
        }
    }
    let path = parts.join("/");
    if path.is_empty() {
        return Err(bad("path", "names a file"));
    }
    if path.len() > MAX_PATH || path.contains(char::is_control) {
        let why = format!("has at most {MAX_PATH} bytes, none of them a control character");
        return Err(bad("path", why));
    }
    Ok(path)
}

/// The comments of one workspace.
#[derive(Debug, Clone)]
pub struct Comments {
    file: PathBuf,
    renamed: follow::Renamed,
}

impl Comments {
    /// Kept in this file, which need not be there yet.
    pub fn at(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            renamed: BTreeMap::new(),
        }
    }

    /// Keeps a comment for good.
    pub fn add(&self, comment: &ReviewComment) -> io::Result<()> {
        self.append(&serde_json::to_vec(comment)?)
    }

    /// Keeps what became of a comment. Says how it is now; none if it is not
    /// there.
    pub fn change(&self, change: &Change) -> io::Result<Option<ReviewComment>> {
        let mut all = self.all()?;
        let Some(at) = all.iter().position(|one| one.id == change.comment) else {
            return Ok(None);
        };
        self.append(&serde_json::to_vec(change)?)?;
        let mut comment = all.swap_remove(at);
        change.apply(&mut comment);
        Ok(Some(comment))
    }

    /// Takes in all that another file has, which is gone then. Doing so again
    /// after a crash adds nothing twice.
    pub fn take_over(&self, other: &Self) -> io::Result<()> {
        let file = match File::open(&other.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        file.lock()?;
        let mut theirs = Vec::new();
        (&file).take(MAX_BYTES * 2).read_to_end(&mut theirs)?;
        let ours = match fs::read(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read?,
        };
        let ours: BTreeSet<&[u8]> = ours.split(|byte| *byte == b'\n').collect();
        let new = theirs.split(|byte| *byte == b'\n');
        let new: Vec<_> = new
            .filter(|line| !line.is_empty() && !ours.contains(line))
            .collect();
        if !new.is_empty() {
            self.append(&new.join(&b'\n'))?;
        }
        fs::remove_file(&other.file)
    }

    fn append(&self, text: &[u8]) -> io::Result<()> {
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
        line.extend(text);
        line.push(b'\n');
        file.write_all(&line)?;
        file.sync_data()?;
        match self.file.parent() {
            // Its name is as new as its first line.
            Some(folder) if length == 0 => File::open(folder)?.sync_all(),
            Some(_) | None => Ok(()),
        }
    }

    /// Every comment that was not removed, the oldest first.
    pub fn all(&self) -> io::Result<Vec<ReviewComment>> {
        let file = match File::open(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        file.lock_shared()?;
        let mut text = Vec::new();
        file.take(MAX_BYTES * 2).read_to_end(&mut text)?;
        let lines = text.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        let mut all = change::folded(lines.filter_map(|line| match serde_json::from_slice(line) {
            Ok(line) => Some(line),
            Err(error) => {
                tracing::warn!(%error, "a review comment cannot be read");
                None
            }
        }));
        for comment in &mut all {
            if let Some(now) = self.renamed.get(&comment.path) {
                comment.path.clone_from(now);
            }
        }
        Ok(all)
    }

    /// The oldest ones after the comment that `cursor` names, of one file if
    /// `path` is given, and how many each file has.
    pub fn list(
        &self,
        path: Option<&str>,
        cursor: Option<&str>,
        limit: usize,
    ) -> io::Result<Result<ReviewComments, BadComment>> {
        if limit == 0 || limit > MAX_LISTED {
            return Ok(Err(bad("limit", format!("is 1 to {MAX_LISTED}"))));
        }
        let path = match path.map(inside).transpose() {
            Ok(path) => path,
            Err(bad) => return Ok(Err(bad)),
        };
        let mut comments = self.all()?;
        let files = counts(&comments);
        comments.retain(|comment| path.as_ref().is_none_or(|path| comment.path == *path));
        let total = comments.len();
        if let Some(cursor) = cursor {
            let Some(at) = comments.iter().position(|comment| comment.id == cursor) else {
                return Ok(Err(bad("cursor", "is no `next` of an earlier list")));
            };
            comments.drain(..=at);
        }
        let truncated = comments.len() > limit;
        comments.truncate(limit);
        let last = comments.last().filter(|_| truncated);
        Ok(Ok(ReviewComments {
            next: last.map(|comment| comment.id.clone()),
            comments,
            total: total as u64,
            truncated,
            files,
        }))
    }
}

fn counts(comments: &[ReviewComment]) -> Vec<FileComments> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for comment in comments.iter().filter(|one| one.resolved.is_none()) {
        *counts.entry(&comment.path).or_default() += 1;
    }
    let counts = counts.into_iter();
    counts
        .map(|(path, comments)| FileComments {
            path: path.to_owned(),
            comments,
        })
        .collect()
}

fn ends_with_newline(file: &File, length: u64) -> io::Result<bool> {
    use std::os::unix::fs::FileExt;
    let mut last = [0];
    file.read_exact_at(&mut last, length - 1)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
#[path = "comments_tests.rs"]
mod tests;
