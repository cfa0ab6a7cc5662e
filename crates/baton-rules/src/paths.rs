//! Where a path really leads.
//!
//! Rules are about files, not about spellings, so links are followed before a
//! rule is matched. This is the only input and output of the crate, and it is
//! behind [`Paths`].

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// How many links are followed before a path counts as endless.
const MAX_LINKS: usize = 40;

/// What a path is, as far as links go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// A file, a folder, or nothing at all.
    None,
    /// A symbolic link, and what it says.
    To(PathBuf),
    /// It cannot be told.
    Unknown,
}

/// Which file a path names, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId {
    pub device: u64,
    pub number: u64,
}

/// Looks at the file system.
pub trait Paths {
    /// What stands at `path`, whose parent has no links left in it.
    fn link(&self, path: &Path) -> Link;

    /// Whether a folder is at `path`.
    fn is_folder(&self, path: &Path) -> bool;

    /// Whether anything is at `path`.
    fn exists(&self, path: &Path) -> bool;

    /// Everything below a folder, or `None` if there is more than `most`, or a
    /// link, or something that cannot be read.
    fn below(&self, folder: &Path, most: usize) -> Option<Vec<PathBuf>>;

    /// The links in a folder and, so many levels deep, below it; `None` if
    /// there is more than `most` to look at, or something that cannot be read.
    fn links(&self, folder: &Path, levels: usize, most: usize) -> Option<Vec<PathBuf>>;

    /// Which file is at `path`, if it has other names as well (hard links).
    fn shared(&self, path: &Path) -> Option<FileId>;
}

/// The file system of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealPaths;

impl Paths for RealPaths {
    fn link(&self, path: &Path) -> Link {
        match std::fs::read_link(path) {
            Ok(target) => Link::To(target),
            // Invalid input means that it exists and is no link.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound) => {
                Link::None
            }
            Err(_) => Link::Unknown,
        }
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn exists(&self, path: &Path) -> bool {
        // What cannot be looked at may be there; nothing is below a file.
        match path.try_exists() {
            Ok(exists) => exists,
            Err(error) => error.kind() != ErrorKind::NotADirectory,
        }
    }

    fn below(&self, folder: &Path, most: usize) -> Option<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).ok()? {
                let entry = entry.ok()?;
                let kind = entry.file_type().ok()?;
                if kind.is_symlink() || found.len() == most {
                    return None;
                }
                if kind.is_dir() {
                    folders.push(entry.path());
                }
                found.push(entry.path());
            }
        }
        Some(found)
    }

    fn links(&self, folder: &Path, levels: usize, most: usize) -> Option<Vec<PathBuf>> {
        let (mut found, mut seen) = (Vec::new(), 0);
        let mut folders = vec![(folder.to_owned(), levels)];
        while let Some((folder, levels)) = folders.pop() {
            let entries = match std::fs::read_dir(folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) if error.kind() == ErrorKind::NotADirectory => continue,
                Err(_) => return None,
            };
            for entry in entries {
                let entry = entry.ok()?;
                let kind = entry.file_type().ok()?;
                seen += 1;
                if seen > most {
                    return None;
                }
                if kind.is_symlink() {
                    found.push(entry.path());
                } else if kind.is_dir() && levels > 1 {
                    folders.push((entry.path(), levels - 1));
                }
            }
        }
        Some(found)
    }

    fn shared(&self, path: &Path) -> Option<FileId> {
        let found = std::fs::symlink_metadata(path).ok()?;
        (found.is_file() && found.nlink() > 1).then(|| FileId {
            device: found.dev(),
            number: found.ino(),
        })
    }
}

/// A file system that has only the links and files it was given.
#[derive(Debug, Clone, Default)]
pub struct FakePaths {
    links: BTreeMap<PathBuf, PathBuf>,
    /// Names of files that have another one, with what tells them apart.
    shared: BTreeMap<PathBuf, u64>,
    files: Vec<PathBuf>,
}

impl FakePaths {
    /// Links from the first path of each pair to the second.
    pub fn with_links<'a>(links: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let pairs = links.into_iter().map(|(from, to)| (from.into(), to.into()));
        Self {
            links: pairs.collect(),
            files: Vec::new(),
            shared: BTreeMap::new(),
        }
    }

    /// The same with files that are one file each by several names.
    #[must_use]
    pub fn and_shared<'a>(mut self, names: impl IntoIterator<Item = (&'a str, u64)>) -> Self {
        let named = names.into_iter();
        self.shared
            .extend(named.map(|(name, number)| (PathBuf::from(name), number)));
        self.files.extend(self.shared.keys().cloned());
        self
    }

    /// The same with files, which are in folders.
    #[must_use]
    pub fn and_files<'a>(mut self, files: impl IntoIterator<Item = &'a str>) -> Self {
        self.files.extend(files.into_iter().map(PathBuf::from));
        self
    }
}

impl Paths for FakePaths {
    fn link(&self, path: &Path) -> Link {
        self.links
            .get(path)
            .map_or(Link::None, |target| Link::To(target.clone()))
    }

    fn is_folder(&self, path: &Path) -> bool {
        let mut files = self.files.iter();
        files.any(|file| file != path && file.starts_with(path))
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file.starts_with(path))
    }

    fn below(&self, folder: &Path, most: usize) -> Option<Vec<PathBuf>> {
        let files = self.files.iter();
        let below: Vec<_> = files.filter(|file| file.starts_with(folder)).collect();
        (below.len() <= most).then(|| below.into_iter().cloned().collect())
    }

    fn links(&self, folder: &Path, levels: usize, most: usize) -> Option<Vec<PathBuf>> {
        let near = |link: &&PathBuf| {
            let below = link.strip_prefix(folder);
            below.is_ok_and(|names| (1..=levels).contains(&names.iter().count()))
        };
        let found: Vec<_> = self.links.keys().filter(near).cloned().collect();
        (found.len() <= most).then_some(found)
    }

    fn shared(&self, path: &Path) -> Option<FileId> {
        let number = *self.shared.get(path)?;
        Some(FileId { device: 1, number })
    }
}

/// A path in both of its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathForms {
    /// As written, made absolute, with `.` and `..` taken out by spelling alone.
    pub lexical: PathBuf,
    /// Where it leads, if that can be told.
    pub canonical: Option<PathBuf>,
}

impl PathForms {
    /// Both forms of `path`, which is relative to `base` if it is relative.
    pub fn of(path: &Path, base: &Path, paths: &dyn Paths) -> Self {
        let absolute = base.join(path);
        Self {
            lexical: lexical(&absolute),
            canonical: canonical(&absolute, paths),
        }
    }

    /// Each form once.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Path> {
        let canonical = self
            .canonical
            .as_deref()
            .filter(|path| *path != self.lexical);
        std::iter::once(self.lexical.as_path()).chain(canonical)
    }
}

fn lexical(absolute: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                result.push(component);
            }
        }
    }
    result
}

/// Names for the open files of whoever asks, as links or as files of their own.
const OF_EACH_PROCESS: &[&str] = &[
    "/dev/fd",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/stdout",
    "/proc",
];

/// Follows every link. What does not exist is kept as written, since a file
/// that is about to be written need not exist; `..` goes up from where the
/// links before it lead, as the system does it.
pub(crate) fn canonical(absolute: &Path, paths: &dyn Paths) -> Option<PathBuf> {
    let text = absolute.to_str()?;
    if !absolute.is_absolute() || text.contains('\0') {
        return None;
    }
    let mut result = PathBuf::from("/");
    let mut todo: VecDeque<OsString> = names(absolute);
    let mut links = 0;
    while let Some(name) = todo.pop_front() {
        if name == ".." {
            result.pop();
            continue;
        }
        result.push(&name);
        // These lead elsewhere for each process, so following them here
        // says nothing about where another process gets.
        if OF_EACH_PROCESS.iter().any(|path| result == Path::new(path)) {
            return None;
        }
        match paths.link(&result) {
            Link::None => {}
            Link::Unknown => return None,
            Link::To(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return None;
                }
                result.pop();
                if target.is_absolute() {
                    result = PathBuf::from("/");
                }
                for name in names(&target).into_iter().rev() {
                    todo.push_front(name);
                }
            }
        }
    }
    Some(result)
}

/// The names and `..` of a path in order.
fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
        })
        .collect()
}

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;
