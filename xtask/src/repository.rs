//! The files of this repository, without what is built or fetched.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context as _;

/// Folders that no rule looks into: they are built, fetched or git's own.
const SKIPPED: &[&str] = &[".cache", ".git", "dist", "node_modules", "target"];

/// The repository's root.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Every file of a repository. Paths are relative to the root, with slashes.
#[derive(Debug, Default)]
pub struct Tree {
    /// Files that are UTF-8 text, with their content, by path.
    pub texts: Vec<(String, String)>,
    /// All files and folders.
    pub paths: BTreeSet<String>,
}

impl Tree {
    pub fn of_this_repository() -> anyhow::Result<Self> {
        let mut tree = Self::default();
        tree.walk(root(), "")?;
        tree.texts.sort();
        Ok(tree)
    }

    /// A repository made of the given files.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.add(path, Some((*text).to_owned()));
        }
        tree.texts.sort();
        tree
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        let index = self
            .texts
            .binary_search_by(|(known, _)| known.as_str().cmp(path))
            .ok()?;
        Some(&self.texts[index].1)
    }

    fn walk(&mut self, folder: &Path, prefix: &str) -> anyhow::Result<()> {
        let entries =
            fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.walk(&entry.path(), &format!("{prefix}{name}/"))?;
            } else if kind.is_file() {
                let bytes = fs::read(entry.path())
                    .with_context(|| format!("cannot read {}", entry.path().display()))?;
                self.add(&format!("{prefix}{name}"), String::from_utf8(bytes).ok());
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &str, text: Option<String>) {
        for (slash, _) in path.match_indices('/') {
            self.paths.insert(path[..slash].to_owned());
        }
        self.paths.insert(path.to_owned());
        if let Some(text) = text {
            self.texts.push((path.to_owned(), text));
        }
    }
}
