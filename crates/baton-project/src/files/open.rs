//! From a path that a client names to an open file below the project's folder.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat},
    io::Errno,
};

use crate::secrets::{Elsewhere, Met, SecretPlaces, Secrets, file_elsewhere, is_mounted_fd};

/// The longest path that is looked at, in bytes.
const MAX_PATH: usize = 4096;

/// Why a file or folder is not shown.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Also for what lies outside the project, and for what holds secrets.
    #[error("there is no `{0}` in the project")]
    Missing(String),
    #[error("`{0}` is not a path below the project's folder")]
    BadPath(String),
    #[error("`{0}` is not a file that can be shown")]
    NotAFile(String),
    #[error("`{0}` is not a folder")]
    NotAFolder(String),
    #[error("`{path}` cannot be read")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
}

/// A project's folder, held open: renaming it away changes nothing for whoever
/// reads in it.
#[derive(Debug)]
pub struct ProjectFolder {
    path: PathBuf,
    folder: OwnedFd,
    secrets: Secrets,
}

/// A path below the folder without links, dots and `.git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inside(pub(super) PathBuf);

impl ProjectFolder {
    /// Opens a project's folder by its real path. What `secrets` names is not
    /// there for whoever reads in it.
    pub fn open(path: &Path, secrets: &SecretPlaces) -> Result<Self, FileError> {
        let shown = || path.display().to_string();
        let folder = open_at(CWD, path, FOLDER).map_err(|error| explain(error, &shown()))?;
        let secrets = secrets.look();
        if secrets.hide_path(path) {
            return Err(FileError::Missing(shown()));
        }
        Ok(Self {
            path: path.to_owned(),
            folder,
            secrets,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) const fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// A path below the folder, as a client names it. What it leads to need not
    /// be there: it may be about something that was.
    pub fn check(&self, path: &str) -> Result<PathBuf, FileError> {
        parse(path)
    }

    /// Where `path` leads. It may pass links as long as its end is inside.
    pub(super) fn resolve(&self, path: &str) -> Result<Inside, FileError> {
        let wanted = parse(path)?;
        let missing = || FileError::Missing(path.to_owned());
        let real = self.path.join(&wanted).canonicalize();
        let real = real.map_err(|_| missing())?;
        let inside = real.strip_prefix(&self.path).map_err(|_| missing())?;
        // Asked again of what is opened; here also of what cannot be.
        if inside.components().any(is_git) || self.secrets.hide_path(&real) {
            return Err(missing());
        }
        Ok(Inside(inside.to_owned()))
    }

    /// Opens a regular file for reading.
    pub(super) fn file(&self, path: &Inside) -> Result<(File, Stat), FileError> {
        let shown = path.0.display().to_string();
        let fail = |error| explain(error, &shown);
        let parent = path.0.parent().unwrap_or(Path::new(""));
        let name = path.0.file_name();
        let name = name.ok_or_else(|| FileError::NotAFile(shown.clone()))?;
        let folder = self.walk(parent).map_err(fail)?;
        let folder = folder.as_ref().unwrap_or(&self.folder);
        let parent = fstat(folder).map_err(fail)?;
        // Opening a pipe or a device may already do something.
        let seen = rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
        let seen = seen.map_err(fail)?;
        if self.hide(&parent, name, &seen) {
            return Err(FileError::Missing(shown));
        }
        if !is_file(&seen) {
            return Err(FileError::NotAFile(shown));
        }
        let file = open_at(folder.as_fd(), Path::new(name), FILE).map_err(fail)?;
        let stat = fstat(&file).map_err(fail)?;
        // It may be another one by now.
        if self.hide(&parent, name, &stat) {
            return Err(FileError::Missing(shown));
        }
        if !is_file(&stat) {
            return Err(FileError::NotAFile(shown));
        }
        Ok((file.into(), stat))
    }

    /// Opens a folder to list it.
    pub(super) fn folder(&self, path: &Inside) -> Result<OwnedFd, FileError> {
        let shown = path.0.display().to_string();
        let fail = |error| match error {
            Errno::NOTDIR => FileError::NotAFolder(shown.clone()),
            other => explain(other, &shown),
        };
        match self.walk(&path.0).map_err(fail)? {
            Some(folder) => Ok(folder),
            // Another one, because listing moves a position.
            None => open_at(self.folder.as_fd(), Path::new("."), FOLDER).map_err(fail),
        }
    }

    /// One step at a time, no link followed; none for the folder itself.
    fn walk(&self, path: &Path) -> Result<Option<OwnedFd>, Errno> {
        let mut at: Option<OwnedFd> = None;
        let mut real = self.path.clone();
        for part in path.components() {
            let from = at.as_ref().unwrap_or(&self.folder);
            let parent = fstat(from)?;
            let folder = open_at(from.as_fd(), part.as_ref(), FOLDER)?;
            real.push(part);
            let met = Met {
                entry: Some((&parent, part.as_os_str())),
                stat: &fstat(&folder)?,
                elsewhere: self
                    .secrets
                    .folder_elsewhere(&real, is_mounted_fd(folder.as_fd())),
            };
            if self.secrets.hide(met) {
                return Err(Errno::NOENT);
            }
            at = Some(folder);
        }
        Ok(at)
    }

    /// Whether something in a folder is not there for anybody. A folder is
    /// looked at again by whoever goes into it.
    pub(super) fn hide(&self, parent: &Stat, name: &OsStr, stat: &Stat) -> bool {
        let elsewhere = if is_folder(stat) {
            Elsewhere::No
        } else {
            file_elsewhere(names(stat))
        };
        self.secrets.hide(Met {
            entry: Some((parent, name)),
            stat,
            elsewhere,
        })
    }
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Not to wait for whoever writes into a pipe, should it be one by now.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

fn open_at(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    openat(folder, path, flags, Mode::empty())
}

fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

fn is_folder(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

#[expect(
    clippy::useless_conversion,
    reason = "the field's type differs between systems"
)]
fn names(stat: &Stat) -> u64 {
    u64::from(stat.st_nlink)
}

/// A link in the way was not there when the path was resolved.
fn explain(error: Errno, path: &str) -> FileError {
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => FileError::Missing(path.to_owned()),
        other => FileError::Io {
            path: path.to_owned(),
            source: other.into(),
        },
    }
}

/// Names and nothing else: no root, no `..`.
fn parse(path: &str) -> Result<PathBuf, FileError> {
    let bad = || FileError::BadPath(path.chars().take(200).collect());
    if path.len() > MAX_PATH || path.contains('\0') {
        return Err(bad());
    }
    let mut parsed = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(_) if is_git(part) => {
                return Err(FileError::Missing(path.to_owned()));
            }
            Component::Normal(name) => parsed.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(bad()),
        }
    }
    Ok(parsed)
}

/// However its letters are written: some file systems do not tell them apart.
pub(super) fn is_git(part: Component<'_>) -> bool {
    part.as_os_str().eq_ignore_ascii_case(".git")
}
