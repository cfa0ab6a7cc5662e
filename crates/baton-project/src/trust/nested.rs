//! Folders below: the CLI takes up the skills of each in which it reads or
//! writes a file, through links too, unless git ignores the folder.

use std::{
    collections::{BTreeSet, VecDeque},
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    files::{self, Listing},
    item::{Found, Kind, Scan},
};
use crate::{
    files::IgnoreRules,
    git::{self, Repository},
};

/// Beyond this many files and folders they are not looked through to their end.
const MOST: usize = 50_000;

/// A folder that is still to be looked at.
struct FolderToScan {
    path: PathBuf,
    /// What git ignores there; `None` where git would not say.
    ignores: Option<Arc<IgnoreRules>>,
}

/// Lists the skills of all folders below, the nearest first, and what links lead
/// to last.
pub(super) fn look(scan: &mut Scan) {
    let folder = scan.folder.clone();
    let mut below = Below {
        left: MOST,
        seen: BTreeSet::new(),
        near: VecDeque::new(),
        linked: VecDeque::new(),
    };
    below.near.push_back(FolderToScan {
        ignores: ignores(&folder).map(Arc::new),
        path: folder.clone(),
    });
    while let Some(place) = below.next() {
        let skills = place.path.join(".claude/skills");
        if place.path != folder && skills.symlink_metadata().is_ok() {
            files::list(scan, &folder, &skills, Kind::Skill, Listing::Folders);
        }
        below.enter(&place);
        if below.left == 0 {
            let detail = format!("hold more than {MOST} entries, so not all were looked at");
            let told = "The agent takes up skills of folders that are not listed here.";
            let found = Found {
                kind: Kind::Problem,
                name: "folders below",
                detail: &detail,
                content: None,
                danger: Some(told.into()),
            };
            return scan.add(&folder, &folder.join("*"), &found);
        }
    }
}

struct Below {
    left: usize,
    /// By device and number, so that links make no circle.
    seen: BTreeSet<(u64, u64)>,
    near: VecDeque<FolderToScan>,
    linked: VecDeque<FolderToScan>,
}

impl Below {
    fn next(&mut self) -> Option<FolderToScan> {
        loop {
            let near = self.near.pop_front();
            let place = near.or_else(|| self.linked.pop_front())?;
            // One that is gone, or that may not be entered, is none to the CLI.
            let Ok(meta) = place.path.metadata() else {
                continue;
            };
            if self.seen.insert((meta.dev(), meta.ino())) {
                return Some(place);
            }
        }
    }

    fn enter(&mut self, place: &FolderToScan) {
        let Ok(entries) = fs::read_dir(&place.path) else {
            return;
        };
        let mut folders = Vec::new();
        for entry in entries.flatten() {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                return;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_symlink() && entry.path().is_dir() {
                // Git says nothing about what is beyond a link.
                self.linked.push_back(FolderToScan {
                    path: entry.path(),
                    ignores: None,
                });
            }
        }
        folders.sort_unstable();
        for path in folders {
            // Nor about what is in another repository, nor about its own.
            let repository = path.ends_with(".git");
            let foreign = repository || path.join(".git").symlink_metadata().is_ok();
            let own = place.ignores.as_ref();
            if !repository && own.is_some_and(|rules| rules.ignore(&path, true)) {
                continue;
            }
            let ignores = own.filter(|_| !foreign).map(|rules| {
                let further = rules.below(&path).map(Arc::new);
                further.unwrap_or_else(|| Arc::clone(rules))
            });
            self.near.push_back(FolderToScan { path, ignores });
        }
    }
}

/// What git ignores here, if git would say: the CLI takes an error for a no.
fn ignores(folder: &Path) -> Option<IgnoreRules> {
    let repository = git::own_repository(folder).ok()?;
    is_plain(&repository).then(|| IgnoreRules::of(folder, folder))
}

/// Whether git understands the repository, as far as its settings tell.
fn is_plain(repository: &Repository) -> bool {
    const EXTENSIONS: &[&str] = &[
        "extensions.noop",
        "extensions.objectformat",
        "extensions.partialclone",
        "extensions.preciousobjects",
        "extensions.refstorage",
        "extensions.worktreeconfig",
    ];
    let Some(config) = repository.settings() else {
        return false;
    };
    let known = |name: &str| !name.starts_with("extensions.") || EXTENSIONS.contains(&name);
    config.bad_line.is_none()
        && matches!(
            config.get("core.repositoryformatversion"),
            None | Some("0" | "1")
        )
        && config.entries.iter().all(|entry| known(&entry.name))
}
