//! The entries of a folder, in pages.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use baton_protocol::{
    Timestamp,
    api::{FileEntry, FileKind, FileList},
};
use rustix::fs::{AtFlags, Dir, FileType, Stat, statat};

use super::{
    open::{FileError, ProjectFolder, is_git},
    rules::IgnoreRules,
};
use crate::{git::WorkTree, text::hex};

/// A folder's further entries are not listed, and the answer says so.
const ENTRIES: usize = 50_000;

/// Which part of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// What an earlier answer said.
    pub cursor: Option<String>,
    pub limit: usize,
}

/// A part of a folder, and where that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub list: FileList,
    /// Below the project's folder, without links.
    pub folder: PathBuf,
}

/// Folders first, then by name; it is the order of the list and its cursor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    is_file: bool,
    name: Vec<u8>,
}

impl ProjectFolder {
    /// Lists a folder of the project.
    pub fn list(&self, path: &str, page: &PageRequest) -> Result<Listed, FileError> {
        let inside = self.resolve(path)?;
        let fd = self.folder(&inside)?;
        let fail = |error: rustix::io::Errno| FileError::Io {
            path: path.to_owned(),
            source: error.into(),
        };
        let after = match &page.cursor {
            None => None,
            Some(cursor) => Some(Key::read(cursor).ok_or_else(|| {
                FileError::Missing(format!(
                    "page {}",
                    cursor.chars().take(80).collect::<String>()
                ))
            })?),
        };
        let (mut entries, mut truncated) = (Vec::new(), false);
        for entry in Dir::read_from(&fd).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") || is_hidden(name) {
                continue;
            }
            if entries.len() == ENTRIES {
                truncated = true;
                break;
            }
            let told = entry.file_type();
            // Some file systems tell only who asks.
            let kind = if told == FileType::Unknown {
                stat(&fd, name).map_or(FileKind::Other, |stat| kind_of(&stat))
            } else {
                kind(told)
            };
            let key = Key {
                is_file: kind != FileKind::Folder,
                name: name.to_owned(),
            };
            if after.as_ref().is_none_or(|after| key > *after) {
                entries.push((key, kind));
            }
        }
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let folder = self.path().join(&inside.0);
        let own = rustix::fs::fstat(&fd).map_err(fail)?;
        let entries = entries.into_iter().filter_map(|(key, kind)| {
            // Gone meanwhile.
            let stat = stat(&fd, &key.name)?;
            let name = OsStr::from_bytes(&key.name);
            let hidden = self.hide_entry((&folder, &own), name, kind, &stat);
            (!hidden).then_some((key, kind, stat))
        });
        // One more tells whether there is a next page. A cursor is only ever
        // made of what is shown.
        let mut entries: Vec<_> = entries.take(page.limit.saturating_add(1)).collect();
        let more = entries.len() > page.limit;
        entries.truncate(page.limit);
        let next = entries.last().filter(|_| more).map(|(key, ..)| key.text());
        let rules = IgnoreRules::of(self.path(), &folder);
        let items = entries.iter().map(|(key, kind, stat)| {
            let name = OsStr::from_bytes(&key.name);
            let is_folder = *kind == FileKind::Folder;
            FileEntry {
                name: name.to_string_lossy().into_owned(),
                path: inside.0.join(name).to_str().map(str::to_owned),
                kind: *kind,
                size: (*kind == FileKind::File).then(|| size(stat)),
                modified_at: modified(stat),
                ignored: rules.ignore(&folder.join(name), is_folder),
                git_status: None,
            }
        });
        let list = FileList {
            path: inside.0.to_string_lossy().into_owned(),
            items: items.collect(),
            next,
            truncated,
            git_asked: false,
        };
        Ok(Listed {
            list,
            folder: inside.0,
        })
    }
}

impl ProjectFolder {
    /// Whether an entry is left out. A link beside a secret would say that it
    /// is there.
    pub(super) fn hide_entry(
        &self,
        (folder, own): (&Path, &Stat),
        name: &OsStr,
        kind: FileKind,
        stat: &Stat,
    ) -> bool {
        self.hide(own, name, stat)
            || match kind {
                FileKind::Link | FileKind::Folder => self.secrets().hide_path(&folder.join(name)),
                FileKind::File | FileKind::Other => false,
            }
    }
}

impl Listed {
    /// Adds what git says. `place` is the project's folder below the work tree's root.
    pub fn mark(&mut self, place: &Path, tree: &WorkTree) {
        self.list.git_asked = true;
        for item in &mut self.list.items {
            if let Some(path) = &item.path {
                item.git_status = tree.of(&place.join(path), item.kind == FileKind::Folder);
            }
        }
    }
}

impl Key {
    fn text(&self) -> String {
        let kind = if self.is_file { 'f' } else { 'd' };
        format!("{kind}{}", hex(&self.name))
    }

    fn read(text: &str) -> Option<Self> {
        let is_file = match text.as_bytes().first()? {
            b'd' => false,
            b'f' => true,
            _ => return None,
        };
        let digits = text.as_bytes()[1..].chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        Some(Self {
            is_file,
            name: digits.map(byte).collect::<Option<_>>()?,
        })
    }
}

pub(super) fn is_hidden(name: &[u8]) -> bool {
    let mut parts = Path::new(OsStr::from_bytes(name)).components();
    parts.any(is_git)
}

pub(super) fn stat(folder: &impl std::os::fd::AsFd, name: &[u8]) -> Option<Stat> {
    statat(folder, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW).ok()
}

pub(super) fn kind_of(stat: &Stat) -> FileKind {
    kind(FileType::from_raw_mode(stat.st_mode))
}

pub(super) const fn kind(kind: FileType) -> FileKind {
    match kind {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Folder,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => FileKind::Other,
    }
}

pub(super) fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

#[expect(
    clippy::useless_conversion,
    reason = "the fields' types differ between systems"
)]
pub(super) fn modified(stat: &Stat) -> Option<Timestamp> {
    let seconds = i64::try_from(stat.st_mtime).ok()?;
    let millis = i64::try_from(stat.st_mtime_nsec).ok()? / 1_000_000;
    let millis = seconds.checked_mul(1000)?.checked_add(millis)?;
    Some(Timestamp::from_millis(millis))
}
