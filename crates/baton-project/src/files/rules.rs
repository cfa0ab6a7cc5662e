//! Which files a repository leaves out: `.gitignore` and `.git/info/exclude`.
//!
//! The user's own list of ignored files is not read: it is not the project's.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use crate::{
    file,
    git::{CONFIG_BYTES, Repository},
};

/// The rules that hold in one folder.
#[derive(Debug, Clone)]
pub(crate) struct IgnoreRules {
    /// From the outermost folder inwards; the innermost that has an opinion decides.
    levels: Vec<Arc<Gitignore>>,
    /// The folder itself is left out, and so is everything in it.
    all: bool,
}

impl IgnoreRules {
    /// Of `folder`, a real path below the project's.
    pub(crate) fn of(project: &Path, folder: &Path) -> Self {
        let repository = Repository::find(project);
        let root = repository.as_ref().map(|repository| &repository.root);
        let root = root.filter(|root| project.starts_with(root));
        let root = root.map_or(project, PathBuf::as_path);
        let mut rules = Self {
            levels: Vec::new(),
            all: false,
        };
        if let Some(repository) = &repository {
            let own = repository.common.join("info/exclude");
            rules.levels.extend(read(root, &own));
        }
        let mut at = root.to_owned();
        rules.levels.extend(read(&at, &at.join(".gitignore")));
        for part in folder.strip_prefix(root).unwrap_or(Path::new("")) {
            at.push(part);
            rules.all |= rules.ignore(&at, true);
            rules.levels.extend(read(&at, &at.join(".gitignore")));
        }
        rules
    }

    /// Of a folder directly below this one; `None` if they are the same there.
    pub(crate) fn below(&self, folder: &Path) -> Option<Self> {
        let own = read(folder, &folder.join(".gitignore"))?;
        let mut rules = self.clone();
        rules.levels.push(own);
        Some(rules)
    }

    pub(crate) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let opinions = self.levels.iter().rev();
        let opinion = opinions
            .map(|level| level.matched(path, is_folder))
            .find(|opinion| !opinion.is_none());
        self.all || matches!(opinion, Some(Match::Ignore(_)))
    }
}

/// Git does not follow a link here either. A line that is no pattern is passed over.
fn read(base: &Path, path: &Path) -> Option<Arc<Gitignore>> {
    if !path.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
        return None;
    }
    let bytes = file::read(path, CONFIG_BYTES).ok()??;
    let mut builder = GitignoreBuilder::new(base);
    for line in String::from_utf8_lossy(&bytes).lines() {
        builder.add_line(None, line).ok();
    }
    builder.build().ok().map(Arc::new)
}
