//! What git says about a work tree, read from `git status --porcelain=v2 -z`.

use std::{collections::BTreeMap, ffi::OsStr, os::unix::ffi::OsStrExt, path::Path};

use baton_protocol::api::ChangeKind;

use super::run::{GitError, GitFolder};

/// How a work tree stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkTree {
    /// None before the first commit.
    pub commit: Option<String>,
    /// What the upstream branch does not have, and what it has more.
    pub ahead_behind: Option<(u64, u64)>,
    /// By path from the work tree's root, as git writes it.
    pub changes: BTreeMap<Vec<u8>, ChangeKind>,
    /// More has changed than was read.
    pub truncated: bool,
}

impl WorkTree {
    pub fn is_dirty(&self) -> bool {
        self.truncated || !self.changes.is_empty()
    }

    /// What became of a path below the root; of a folder, whether anything in it
    /// has changed.
    pub fn of(&self, path: &Path, is_folder: bool) -> Option<ChangeKind> {
        let bytes = path.as_os_str().as_bytes();
        if let Some(kind) = self.changes.get(bytes) {
            return Some(*kind);
        }
        // An untracked folder is one entry, with a slash at its end.
        let untracked = path.ancestors().any(|folder| {
            let mut name = folder.as_os_str().as_bytes().to_owned();
            name.push(b'/');
            self.changes.contains_key(&name)
        });
        if untracked {
            return Some(ChangeKind::Untracked);
        }
        let mut prefix = bytes.to_owned();
        prefix.push(b'/');
        let below = self.changes.range(prefix.clone()..);
        let mut below = below.take_while(|(path, _)| path.starts_with(&prefix));
        let first = below.next().filter(|_| is_folder)?.1;
        let same = below.all(|(_, kind)| kind == first);
        Some(if same && *first == ChangeKind::Untracked {
            ChangeKind::Untracked
        } else {
            ChangeKind::Modified
        })
    }
}

/// How much is asked about files that are not tracked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untracked {
    /// A folder without a tracked file is one entry.
    Folders,
    Files,
}

impl GitFolder {
    /// The state of the folder's work tree, limited to what is at `path` in it.
    pub async fn status(&self, untracked: Untracked, path: &Path) -> Result<WorkTree, GitError> {
        let untracked = match untracked {
            Untracked::Folders => "--untracked-files=normal",
            Untracked::Files => "--untracked-files=all",
        };
        let args = [
            "status",
            "--porcelain=v2",
            "-z",
            "--branch",
            "--ahead-behind",
            "--find-renames",
            "--ignore-submodules=dirty",
            untracked,
            "--",
        ];
        let path = Path::new(".").join(path);
        let args = args.iter().map(OsStr::new).chain([path.as_os_str()]);
        let output = self.run(args, STATUS).await?;
        Ok(parse(&output.stdout, output.truncated))
    }
}

/// The status of a large work tree takes a while, and its text some room.
const STATUS: baton_process::RunLimits = baton_process::RunLimits {
    time: std::time::Duration::from_secs(8),
    output_bytes: 4 << 20,
};

fn parse(bytes: &[u8], cut: bool) -> WorkTree {
    let mut tree = WorkTree {
        truncated: cut,
        ..WorkTree::default()
    };
    let mut records = bytes.split(|byte| *byte == 0).filter(|one| !one.is_empty());
    while let Some(record) = records.next() {
        let (kind, rest) = record.split_at_checked(2).unwrap_or((record, &[]));
        match kind {
            b"# " => header(&mut tree, rest),
            b"? " => {
                tree.changes.insert(rest.to_owned(), ChangeKind::Untracked);
            }
            b"1 " => entry(&mut tree, rest, 7),
            b"2 " => {
                entry(&mut tree, rest, 8);
                // Where it was.
                records.next();
            }
            b"u " => {
                if let Some(path) = field(rest, 9) {
                    tree.changes.insert(path.to_owned(), ChangeKind::Conflicted);
                }
            }
            _ => {}
        }
    }
    tree
}

fn header(tree: &mut WorkTree, text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    if let Some(commit) = text.strip_prefix("branch.oid ") {
        tree.commit = (commit != "(initial)").then(|| commit.to_owned());
    } else if let Some(counts) = text.strip_prefix("branch.ab ") {
        let mut counts = counts.split(' ').map(|count| {
            let count = count.trim_start_matches(['+', '-']);
            count.parse::<u64>().ok()
        });
        tree.ahead_behind = counts.next().flatten().zip(counts.next().flatten());
    }
}

/// `XY sub … path`, with so many fields before the path.
fn entry(tree: &mut WorkTree, rest: &[u8], fields: usize) {
    let (Some(code), Some(path)) = (rest.first_chunk::<2>(), field(rest, fields)) else {
        return;
    };
    // What the commit and the work tree say counts; between them the index's
    // letter stands if the work tree has none.
    let letter = if code[1] == b'.' { code[0] } else { code[1] };
    let kind = match (code[0], letter) {
        (b'R', _) => ChangeKind::Renamed,
        (b'C', _) => ChangeKind::Copied,
        (b'A', b'A' | b'M' | b'T') => ChangeKind::Added,
        (_, b'A') => ChangeKind::Added,
        (_, b'D') => ChangeKind::Deleted,
        (_, b'T') => ChangeKind::TypeChanged,
        (_, b'R') => ChangeKind::Renamed,
        (_, b'C') => ChangeKind::Copied,
        _ => ChangeKind::Modified,
    };
    tree.changes.insert(path.to_owned(), kind);
}

/// What follows after so many fields; a path may hold blanks.
fn field(text: &[u8], fields: usize) -> Option<&[u8]> {
    text.splitn(fields + 1, |byte| *byte == b' ').nth(fields)
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
