//! Files of a whole project by a few letters of their paths.
//!
//! A catalogue is read once and asked for every letter that is typed. It has
//! what git would show: what the repository leaves out, `.git`, secrets and what
//! lies beyond links is not in it.

use std::{
    collections::VecDeque,
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_protocol::api::{FileKind, FoundFile};
use rustix::fs::{Dir, FileType, fstat};

use super::{
    list::{is_hidden, kind, kind_of, modified, stat},
    matching::{Fit, Wanted},
    open::{FileError, Inside, ProjectFolder},
    rules::IgnoreRules,
};

/// More are not looked through, those of the upper folders first.
const ENTRIES: usize = 100_000;

/// So many of the files that changed last come before others that fit as well.
const RECENT: usize = 64;

/// The files and folders of a project.
#[derive(Debug, Default)]
pub struct Catalogue {
    entries: Vec<Entry>,
    /// There are more than were looked through.
    truncated: bool,
}

#[derive(Debug)]
struct Entry {
    path: String,
    kind: FileKind,
    /// Among the files that changed last: 1 for the last of all.
    recent: Option<usize>,
}

/// What still has to be read: a folder, and the rules of the one around it.
struct Ahead {
    folder: PathBuf,
    rules: Arc<IgnoreRules>,
}

impl ProjectFolder {
    /// Reads the whole project. A folder that cannot be read is passed over.
    pub fn catalogue(&self) -> Result<Catalogue, FileError> {
        let root = PathBuf::new();
        // Whether it can be read at all is told.
        self.folder(&Inside(root.clone()))?;
        let rules = Arc::new(IgnoreRules::of(self.path(), self.path()));
        let mut ahead = VecDeque::from([Ahead {
            folder: root,
            rules,
        }]);
        let (mut entries, mut times) = (Vec::new(), Vec::new());
        let mut truncated = false;
        while let Some(next) = ahead.pop_front() {
            let inside = Inside(next.folder);
            let Ok(fd) = self.folder(&inside) else {
                continue;
            };
            let (Ok(own), Ok(read)) = (fstat(&fd), Dir::read_from(&fd)) else {
                continue;
            };
            let folder = self.path().join(&inside.0);
            for entry in read.flatten() {
                let name = entry.file_name().to_bytes();
                if matches!(name, b"." | b"..") || is_hidden(name) {
                    continue;
                }
                if entries.len() == ENTRIES {
                    truncated = true;
                    ahead.clear();
                    break;
                }
                let path = folder.join(OsStr::from_bytes(name));
                let told = entry.file_type();
                let is_folder = told == FileType::Directory;
                // Most of what is left out is left out by its name alone.
                if told != FileType::Unknown && next.rules.ignore(&path, is_folder) {
                    continue;
                }
                let Some(stat) = stat(&fd, name) else {
                    continue;
                };
                let kind = if told == FileType::Unknown {
                    kind_of(&stat)
                } else {
                    kind(told)
                };
                if kind == FileKind::Other
                    || self.hide_entry((&folder, &own), OsStr::from_bytes(name), kind, &stat)
                    || next.rules.ignore(&path, kind == FileKind::Folder)
                {
                    continue;
                }
                let below = inside.0.join(OsStr::from_bytes(name));
                if kind == FileKind::Folder {
                    ahead.push_back(Ahead {
                        rules: rules_below(&next.rules, &path),
                        folder: below.clone(),
                    });
                }
                // Nobody could ask for what is not Unicode.
                let Some(path) = below.to_str() else {
                    continue;
                };
                if kind == FileKind::File {
                    times.push((modified(&stat), entries.len()));
                }
                entries.push(Entry {
                    path: path.to_owned(),
                    kind,
                    recent: None,
                });
            }
        }
        times.sort_unstable_by(|a, b| b.cmp(a));
        for (rank, (_, at)) in (1..=RECENT).zip(times) {
            entries[at].recent = Some(rank);
        }
        Ok(Catalogue { entries, truncated })
    }
}

fn rules_below(rules: &Arc<IgnoreRules>, folder: &Path) -> Arc<IgnoreRules> {
    rules
        .below(folder)
        .map_or_else(|| Arc::clone(rules), Arc::new)
}

impl Catalogue {
    /// What fits best first; without letters, what changed last.
    pub fn find(&self, typed: &str, most: usize) -> Vec<FoundFile> {
        let wanted = Wanted::new(typed);
        let mut found: Vec<(Fit, &Entry)> = self
            .entries
            .iter()
            .filter_map(|entry| {
                let is_folder = entry.kind == FileKind::Folder;
                let fit = wanted.fit(&entry.path, is_folder, entry.recent)?;
                Some((fit, entry))
            })
            .collect();
        found.sort_unstable_by(|(one, a), (other, b)| {
            other.cmp(one).then_with(|| a.path.cmp(&b.path))
        });
        found.truncate(most);
        let found = found.into_iter().map(|(_, entry)| FoundFile {
            path: entry.path.clone(),
            kind: entry.kind,
        });
        found.collect()
    }

    /// The files, as they were met.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let files = self.entries.iter();
        let files = files.filter(|entry| entry.kind == FileKind::File);
        files.map(|entry| entry.path.as_str())
    }

    pub const fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// How much there is to look through.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
