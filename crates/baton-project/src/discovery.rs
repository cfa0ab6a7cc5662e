//! Where projects are: the folders in the user's roots, and their names.
//!
//! What the agent knows of is told by whoever can read its files; here it is
//! only sorted out. Everything blocks.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// More entries of one root than this are not looked at.
const ENTRIES: usize = 10_000;

/// The longest slug, without a twin's number.
const SLUG: usize = 60;

/// Names of folders that are no projects.
#[derive(Debug, Clone)]
pub struct Excludes(Gitignore);

/// A pattern that is none.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` is no pattern for names")]
pub struct BadPattern {
    pub pattern: String,
    #[source]
    source: ignore::Error,
}

impl Excludes {
    /// Patterns as in a `.gitignore`: `node_modules`, `*.bak`, `old-?`.
    pub fn new(patterns: &[String]) -> Result<Self, BadPattern> {
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            let added = builder.add_line(None, pattern);
            added.map_err(|source| BadPattern {
                pattern: pattern.clone(),
                source,
            })?;
        }
        let built = builder.build().map_err(|source| BadPattern {
            pattern: patterns.join(", "),
            source,
        })?;
        Ok(Self(built))
    }

    fn match_name(&self, name: &Path) -> bool {
        self.0.matched(name, true).is_ignore()
    }
}

impl Default for Excludes {
    fn default() -> Self {
        Self(Gitignore::empty())
    }
}

/// The folders directly in `roots`, by their real paths, each once, in the
/// order of their paths. A root that is not there has none; links are not
/// followed.
pub fn in_roots(roots: &[PathBuf], excludes: &Excludes) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for root in roots {
        let entries = match fs::read_dir(root) {
            Ok(entries) => entries,
            Err(error) => {
                let missing = error.kind() == io::ErrorKind::NotFound;
                if !missing {
                    tracing::warn!(root = %root.display(), %error, "cannot look for projects here");
                }
                continue;
            }
        };
        for entry in entries.take(ENTRIES).flatten() {
            let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !folder || excludes.match_name(Path::new(&entry.file_name())) {
                continue;
            }
            found.extend(entry.path().canonicalize());
        }
    }
    found.into_iter().collect()
}

/// Those of `folders` that are folders today, by their real paths, each once.
pub fn that_exist(folders: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let real = folders
        .into_iter()
        .filter(|folder| folder.is_absolute())
        .filter_map(|folder| folder.canonicalize().ok())
        .filter(|folder| folder.is_dir());
    real.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The slug that a folder gets if no other one has it: its name, with what is
/// no letter, digit, dot or underscore as a dash.
pub fn slug(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut slug = String::new();
    for character in name.to_lowercase().chars() {
        let plain = character.is_ascii_alphanumeric() || matches!(character, '.' | '_');
        match character {
            _ if slug.len() == SLUG => break,
            c if plain => slug.push(c),
            _ if slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    let slug = slug.trim_matches(['-', '.']);
    if slug.is_empty() {
        return "project".to_owned();
    }
    slug.to_owned()
}

/// The repository around a folder, unless it begins there: only in one can a
/// folder be a part of somebody's project.
pub fn repository_around(folder: &Path) -> Option<PathBuf> {
    crate::git::root(folder).filter(|root| root != folder)
}

/// Of the folders of projects, the nearest around this one in the same
/// repository. None for a folder that is one of them itself.
pub fn nearest_project<T: AsRef<Path>>(
    projects: impl IntoIterator<Item = T>,
    folder: &Path,
    root: &Path,
) -> Option<T> {
    let around = projects.into_iter().filter(|project| {
        let path = project.as_ref();
        folder.starts_with(path) && path.starts_with(root)
    });
    let nearest = around.max_by_key(|project| project.as_ref().as_os_str().len());
    nearest.filter(|project| project.as_ref() != folder)
}

#[cfg(test)]
#[path = "discovery_tests.rs"]
mod tests;
