//! Which keys the repositories in and around a folder use to run something.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs,
    path::{Path, PathBuf},
};

use super::super::Repository;
use crate::{
    config::{self, GitSetting},
    file,
    trust::repository::runs_something,
};

/// More than is ever there; a file that git reads and this does not would hide
/// its names.
const CONFIG_BYTES: u64 = 64 << 20;

/// As deep as git follows includes.
const INCLUDES: usize = 10;

/// How far a folder is looked through, nearest first.
const MOST_ENTRIES: usize = 20_000;

/// How deep submodules may lie in each other's names.
const MODULES: usize = 12;

/// Where programs are installed, for paths that begin there.
const PREFIXES: &[&str] = &["/usr", "/usr/local", "/opt/homebrew"];

/// Keys as git compares them, each with the values that it has anywhere.
pub(super) type Keys = BTreeMap<Vec<u8>, BTreeSet<String>>;

/// The keys of one repository. Blocks.
pub(super) fn look_at(repository: &Repository, home: &Path) -> Keys {
    let mut found = Found::new(home);
    found.repository(repository);
    found.keys
}

/// The keys of all repositories in and around some folders. Blocks.
pub(super) fn look(folders: &[PathBuf], home: &Path) -> Keys {
    let mut found = Found::new(home);
    for folder in folders {
        for repository in Repository::around(folder) {
            found.repository(&repository);
        }
        found.below(folder);
    }
    found.keys
}

/// Whether the folder is itself a repository without a work tree.
pub(super) fn is_bare(folder: &Path) -> bool {
    Repository::find(folder).is_some_and(|found| found.dir == found.root)
}

struct Found<'a> {
    home: &'a Path,
    keys: Keys,
    /// Files that were read, so that no include goes round in a circle.
    read: BTreeSet<PathBuf>,
}

impl<'a> Found<'a> {
    const fn new(home: &'a Path) -> Self {
        Self {
            home,
            keys: Keys::new(),
            read: BTreeSet::new(),
        }
    }

    /// Each repository below, whether it is registered as a submodule or not.
    fn below(&mut self, folder: &Path) {
        let mut left = MOST_ENTRIES;
        let mut folders = VecDeque::from([folder.to_owned()]);
        while let Some(folder) = folders.pop_front() {
            if let Some(repository) = Repository::at(&folder) {
                self.repository(&repository);
            }
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if left == 0 {
                    tracing::info!("a folder is larger than is looked through for repositories");
                    return;
                }
                left -= 1;
                let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_dir && entry.file_name() != ".git" {
                    folders.push_back(entry.path());
                }
            }
        }
    }

    fn repository(&mut self, repository: &Repository) {
        self.config(&repository.common.join("config"), 0);
        self.config(&repository.dir.join("config.worktree"), 0);
        // Another of its work trees may lie below.
        self.config(&repository.common.join("config.worktree"), 0);
        let trees = fs::read_dir(repository.common.join("worktrees"));
        for tree in trees.into_iter().flatten().flatten() {
            self.config(&tree.path().join("config.worktree"), 0);
        }
        self.modules(&repository.common.join("modules"), MODULES);
    }

    /// Submodules keep their repositories here, under names that may have slashes.
    fn modules(&mut self, folder: &Path, depth: usize) {
        if depth == 0 {
            return;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.join("HEAD").symlink_metadata().is_ok() {
                self.config(&path.join("config"), 0);
                self.config(&path.join("config.worktree"), 0);
                self.modules(&path.join("modules"), depth - 1);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.modules(&path, depth - 1);
            }
        }
    }

    fn config(&mut self, path: &Path, depth: usize) {
        if depth > INCLUDES || !self.read.insert(path.to_owned()) {
            return;
        }
        let Ok(Some(bytes)) = file::read(path, CONFIG_BYTES) else {
            return;
        };
        for entry in config::parse(&bytes).entries {
            // What is included counts, whatever the condition: conditions change.
            if matches!(entry.section(), "include" | "includeif") && entry.key() == "path" {
                for target in self.targets(entry.text()) {
                    let folder = path.parent().unwrap_or(path);
                    self.config(&folder.join(target), depth + 1);
                }
            }
            if matters(&entry) {
                let value = entry.text().to_owned();
                self.keys.entry(entry.raw).or_default().insert(value);
            }
        }
    }

    /// Where a path of git's may lead to.
    fn targets(&self, path: &str) -> Vec<PathBuf> {
        if let Some(rest) = path.strip_prefix("%(prefix)/") {
            let below = |prefix: &&str| Path::new(prefix).join(rest.trim_start_matches('/'));
            return PREFIXES.iter().map(below).collect();
        }
        let Some(rest) = path.strip_prefix('~') else {
            return vec![PathBuf::from(path)];
        };
        let (user, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let rest = rest.trim_start_matches('/');
        let own = self.home.file_name().is_some_and(|name| name == user);
        if user.is_empty() || own {
            return vec![self.home.join(rest)];
        }
        let homes = self.home.parent().unwrap_or(self.home);
        vec![homes.join(user).join(rest)]
    }
}

/// A repository's alias is left out whole: its words may be options that name a
/// program.
fn matters(entry: &GitSetting) -> bool {
    entry.section() == "alias" || runs_something(entry)
}
