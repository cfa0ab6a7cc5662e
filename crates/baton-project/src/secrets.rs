//! What holds secrets is not there for whoever looks at a project's files:
//! Baton's data folder, the agents' credentials, and the places where other
//! programs keep theirs.
//!
//! A place is known by its device and number on it, not by how somebody writes
//! its path, so links, other spellings and mounts lead to the same answer. It is
//! looked up anew each time: programs replace such files. A file with several
//! names, and a folder that something is mounted on, is also looked for inside
//! all those places, because its path says nothing about where else it is.

mod mounts;
mod places;

pub(crate) use mounts::{Mounted, is_mounted, is_mounted_fd};

use std::{
    cell::OnceCell,
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

use rustix::fs::Stat;

/// More entries than this are not looked through; then whatever would have had
/// to be looked for counts as secret.
const ENTRIES: usize = 500_000;

/// Where secrets are kept on this machine.
#[derive(Debug, Clone, Default)]
pub struct SecretPlaces {
    paths: Vec<PathBuf>,
    /// Folders in which the names that begin with the text are secret.
    families: Vec<(PathBuf, &'static str)>,
    processes: Vec<PathBuf>,
}

impl SecretPlaces {
    /// `data` is the folder that this Baton keeps its own in.
    pub fn of(home: &Path, claude_config: &Path, data: &Path) -> Self {
        let in_home = places::IN_HOME.iter().map(|name| home.join(name));
        let in_claude = places::IN_CLAUDE
            .iter()
            .map(|name| claude_config.join(name));
        let machine = places::OF_MACHINE.iter().map(PathBuf::from);
        let paths = in_home.chain(in_claude).chain(machine);
        Self {
            // A relative path would be another place for every program.
            paths: paths
                .chain([data.to_owned()])
                .filter(|path| path.is_absolute())
                .collect(),
            families: [home, claude_config]
                .into_iter()
                .filter(|folder| folder.is_absolute())
                .map(|folder| (folder.to_owned(), places::CLAUDE_STATE))
                .collect(),
            processes: places::OF_PROCESSES.iter().map(PathBuf::from).collect(),
        }
    }

    /// Where they are, as far as paths say.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// What they are at this moment. Asks the disk.
    pub fn look(&self) -> Secrets {
        let mut secrets = Secrets::default();
        for path in &self.paths {
            if let (Some(id), Ok(real)) = (Id::at(path), path.canonicalize()) {
                secrets.ids.insert(id);
                secrets.stored_on.insert(id.device);
                secrets.roots.push(real);
            }
            // By its name too: what is not there may still be in a commit.
            if let (Some(parent), Some(name)) = (path.parent(), path.file_name())
                && let Some(parent) = Id::at(parent)
            {
                secrets.names.push(Name {
                    parent,
                    text: name.to_owned(),
                    whole: true,
                });
            }
        }
        for (folder, begin) in &self.families {
            if let Some(parent) = Id::at(folder) {
                secrets.names.push(Name {
                    parent,
                    text: begin.into(),
                    whole: false,
                });
                secrets.stored_on.insert(parent.device);
                secrets.families.push((folder.clone(), begin));
            }
        }
        let processes = self.processes.iter().filter_map(|path| Id::at(path));
        secrets.devices.extend(processes.map(|id| id.device));
        secrets
    }
}

/// A file or folder, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Id {
    device: u64,
    number: u64,
}

impl Id {
    fn at(path: &Path) -> Option<Self> {
        path.metadata().ok().map(|meta| Self::of_meta(&meta))
    }

    fn of_meta(meta: &std::fs::Metadata) -> Self {
        Self {
            device: meta.dev(),
            number: meta.ino(),
        }
    }

    #[expect(
        clippy::unnecessary_cast,
        reason = "the fields' types differ between systems; equal bits are what counts"
    )]
    const fn of_stat(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev as u64,
            number: stat.st_ino as u64,
        }
    }
}

/// What a folder's entry is called.
#[derive(Debug, Clone)]
struct Name {
    parent: Id,
    text: OsString,
    /// Or only its beginning.
    whole: bool,
}

impl Name {
    fn is(&self, parent: Id, name: &OsStr) -> bool {
        let (text, name) = (self.text.as_bytes(), name.as_bytes());
        let length = if self.whole { name.len() } else { text.len() };
        // Some file systems do not tell the letters apart.
        self.parent == parent
            && name
                .get(..length)
                .is_some_and(|begin| begin.eq_ignore_ascii_case(text))
    }
}

/// The secret places as they were when somebody looked.
#[derive(Debug, Default)]
pub struct Secrets {
    /// Their real paths.
    roots: Vec<PathBuf>,
    families: Vec<(PathBuf, &'static str)>,
    ids: BTreeSet<Id>,
    names: Vec<Name>,
    /// File systems that are secret as a whole.
    devices: BTreeSet<u64>,
    /// File systems that a place is on.
    stored_on: BTreeSet<u64>,
    /// All that is in them, looked up when it is needed; none if it is too much.
    inner: OnceCell<Option<BTreeSet<Id>>>,
}

/// One entry on the way to a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Met<'a> {
    /// The folder it is in, and what it is called there.
    pub(crate) entry: Option<(&'a Stat, &'a OsStr)>,
    pub(crate) stat: &'a Stat,
    pub(crate) elsewhere: Elsewhere,
}

/// Whether a file or folder may be found by another path as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elsewhere {
    /// It has further names, or something is mounted on it.
    Maybe,
    No,
}

impl Secrets {
    /// Whether an entry is one of the places. What is in a place is not asked
    /// here: whoever goes there meets the place first.
    pub(crate) fn hide(&self, met: Met<'_>) -> bool {
        let entry = met
            .entry
            .map(|(parent, name)| (Id::of_stat(parent), name.to_owned()));
        self.hide_id(Id::of_stat(met.stat), entry, met.elsewhere)
    }

    fn hide_id(&self, id: Id, entry: Option<(Id, OsString)>, elsewhere: Elsewhere) -> bool {
        let named = |(parent, name): (Id, OsString)| {
            self.names.iter().any(|secret| secret.is(parent, &name))
        };
        self.ids.contains(&id)
            || self.devices.contains(&id.device)
            || entry.is_some_and(named)
            || (elsewhere == Elsewhere::Maybe && self.inside(id))
    }

    /// Whether a path, all links followed, leads to a place or into one. It
    /// need not lead to anything. Asks the disk.
    pub fn hide_path(&self, path: &Path) -> bool {
        let Some((real, missing)) = nearest(path) else {
            // A folder on the way cannot be looked at, so neither can what is in it.
            return false;
        };
        let mut parent = None;
        let folders: Vec<&Path> = real.ancestors().collect();
        for at in folders.into_iter().rev() {
            let Ok(meta) = at.metadata() else { continue };
            let id = Id::of_meta(&meta);
            let elsewhere = if meta.is_dir() {
                self.folder_elsewhere(at, is_mounted(at))
            } else {
                file_elsewhere(meta.nlink())
            };
            let entry = parent.zip(at.file_name().map(OsStr::to_owned));
            if self.hide_id(id, entry, elsewhere) {
                return true;
            }
            parent = Some(id);
        }
        let first = missing.components().next();
        let named = parent.zip(first.map(|part| part.as_os_str().to_owned()));
        named.is_some_and(|(parent, name)| self.names.iter().any(|one| one.is(parent, &name)))
    }

    /// Whether a folder may be shown at another path too. One that holds a
    /// secret place is not in one.
    pub(crate) fn folder_elsewhere(&self, real: &Path, mounted: Mounted) -> Elsewhere {
        match mounted {
            Mounted::Maybe if !self.roots.iter().any(|root| root.starts_with(real)) => {
                Elsewhere::Maybe
            }
            Mounted::Maybe | Mounted::No => Elsewhere::No,
        }
    }

    /// Whether something lies in one of the places, under whichever name.
    fn inside(&self, id: Id) -> bool {
        if !self.stored_on.contains(&id.device) {
            return false;
        }
        let inner = self.inner.get_or_init(|| self.collect());
        inner.as_ref().is_none_or(|inner| inner.contains(&id))
    }

    fn collect(&self) -> Option<BTreeSet<Id>> {
        let mut found = BTreeSet::new();
        let mut folders = Vec::new();
        for root in &self.roots {
            folders.push(root.clone());
        }
        for (folder, begin) in &self.families {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let secret = entries.filter(|entry| {
                let name = entry.file_name();
                name.as_bytes().starts_with(begin.as_bytes())
            });
            found.extend(secret.filter_map(|entry| Id::at(&entry.path())));
        }
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(meta) = entry.metadata() else { continue };
                if found.len() >= ENTRIES {
                    return None;
                }
                if meta.is_dir() {
                    folders.push(entry.path());
                }
                found.insert(Id::of_meta(&meta));
            }
        }
        Some(found)
    }
}

/// The nearest that there is on the way of a path, by its real path, and what
/// of the path is beyond it.
fn nearest(path: &Path) -> Option<(PathBuf, PathBuf)> {
    for at in path.ancestors() {
        match at.canonicalize() {
            Ok(real) => {
                let rest = path.strip_prefix(at).unwrap_or(Path::new(""));
                return Some((real, rest.to_owned()));
            }
            Err(error) if crate::file::is_missing(&error) => {}
            Err(_) => return None,
        }
    }
    None
}

/// A regular file with one name is nowhere else.
pub(crate) fn file_elsewhere(names: u64) -> Elsewhere {
    if names > 1 {
        Elsewhere::Maybe
    } else {
        Elsewhere::No
    }
}

#[cfg(test)]
#[path = "secrets_tests.rs"]
mod tests;
