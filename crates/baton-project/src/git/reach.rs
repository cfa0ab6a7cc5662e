//! Whether git, run in a folder, may show what is outside of it.
//!
//! A repository's own settings, and links among its files, can name any file of
//! the machine, and commands that only read then show it. A repository that git
//! made by itself has none of that. One that came in an archive may.

use std::path::{Path, PathBuf};

use super::Repository;
use crate::{config, file};

/// Beyond this many files the folders below are not looked through.
const MOST: usize = 20_000;

/// Folders of a repository whose files git reads, and how many levels below.
const FOLDERS: &[(&str, usize)] = &[
    ("", 0),
    ("info", 0),
    ("logs", 2),
    ("objects", 0),
    ("objects/info", 0),
    ("objects/pack", 0),
    ("rebase-apply", 0),
    ("rebase-merge", 0),
    ("refs", 2),
    ("worktrees", 1),
];

/// Where links are common, and git shows nothing of what they lead to.
const LINKED: &[&str] = &["annex", "hooks", "lfs"];

/// Sections whose values are addresses, names or programs; programs are kept
/// from running in another way.
const NO_FILES: &[&str] = &[
    "alias",
    "branch",
    "browser",
    "credential",
    "difftool",
    "filter",
    "gui",
    "http",
    "lfs",
    "mergetool",
    "pager",
    "remote",
    "safe",
    "sequence",
    "submodule",
    "url",
    "user",
    "web",
];

/// The same for single settings.
const NO_FILE: &[&str] = &[
    "core.askpass",
    "core.editor",
    "core.fsmonitor",
    "core.gitproxy",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
];

/// Why git may show files outside the repository around this folder; `None` if
/// nothing of that is found, or no repository is there.
pub fn reaches_out(folder: &Path) -> Option<String> {
    let repository = Repository::find(folder)?;
    leads_elsewhere(&repository)
        .or_else(|| links(&repository.dir))
        .or_else(|| links(&repository.common))
        .or_else(|| borrows(&repository.common))
        .or_else(|| names_files(&repository, &repository.common.join("config")))
        .or_else(|| names_files(&repository, &repository.dir.join("config.worktree")))
}

/// A `.git` that is another repository's. Those of linked work trees and of
/// submodules are known by pointing back.
fn leads_elsewhere(repository: &Repository) -> Option<String> {
    let Repository { root, dir, common } = repository;
    let dot = root.join(".git");
    let is_link = dot.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
    let real = |path: &Path| path.canonicalize().ok();
    let points_back = || {
        let named = file::read_line(&dir.join("gitdir")).map(|line| dir.join(line));
        let of_tree = named
            .is_some_and(|named| real(&named).is_some() && real(&named) == real(&dot))
            && real(dir).is_some_and(|dir| dir.ancestors().nth(2) == real(common).as_deref());
        of_tree || is_of_submodule(repository)
    };
    let leads = if dot.is_dir() {
        is_link || dir != common
    } else {
        is_link || !points_back()
    };
    leads.then(|| "`.git` leads to another repository".to_owned())
}

fn is_of_submodule(repository: &Repository) -> bool {
    let Repository { root, dir, common } = repository;
    let settings = repository.settings();
    let tree = settings
        .as_ref()
        .and_then(|found| found.get("core.worktree"));
    let tree = tree.and_then(|tree| dir.join(tree).canonicalize().ok());
    dir == common && tree.is_some() && tree == root.canonicalize().ok()
}

/// The first link among the files that git reads.
fn links(dir: &Path) -> Option<String> {
    let mut left = MOST;
    FOLDERS.iter().find_map(|(folder, levels)| {
        let at = dir.join(folder);
        let is_top = folder.is_empty();
        link_in(&at, *levels, is_top, &mut left)
    })
}

fn link_in(folder: &Path, levels: usize, is_top: bool, left: &mut usize) -> Option<String> {
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        if *left == 0 {
            return Some("there is too much in `.git` to look through".to_owned());
        }
        *left -= 1;
        let name = entry.file_name();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let is_common = LINKED.iter().any(|linked| name == *linked);
        // Once a link was how `HEAD` named its branch.
        let is_head = || {
            let target = entry.path().read_link();
            name == "HEAD" && target.is_ok_and(|target| target.starts_with("refs"))
        };
        if is_link && !(is_top && (is_common || is_head())) {
            return Some(format!("`{}` in `.git` is a link", name.display()));
        }
        if levels > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let found = link_in(&entry.path(), levels - 1, false, left);
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// A repository may take its objects from others.
fn borrows(common: &Path) -> Option<String> {
    let alternates = common.join("objects/info/alternates");
    let there = alternates.symlink_metadata().is_ok();
    there.then(|| "the repository borrows from another (`objects/info/alternates`)".to_owned())
}

fn names_files(repository: &Repository, path: &Path) -> Option<String> {
    let bytes = match file::read(path, super::CONFIG_BYTES) {
        Ok(bytes) => bytes?,
        Err(_) => return Some("the repository's settings cannot be read".to_owned()),
    };
    let leading = config::parse(&bytes).entries.into_iter().find(|setting| {
        let (name, value) = (setting.name.as_str(), setting.text());
        if name == "core.worktree" {
            let tree = repository.dir.join(value).canonicalize().ok();
            return tree.is_none() || tree != repository.root.canonicalize().ok();
        }
        if matches!(setting.section(), "include" | "includeif") {
            return true;
        }
        let no_file = NO_FILES.contains(&setting.section()) || NO_FILE.contains(&name);
        !no_file && leads_out(&repository.root, value)
    });
    leading.map(|setting| format!("its setting `{}` names a file", setting.name))
}

fn leads_out(root: &Path, value: &str) -> bool {
    let path = PathBuf::from(value);
    let names_elsewhere = path.is_absolute()
        || value.starts_with('~')
        || value.starts_with("%(prefix)")
        || value.split('/').any(|part| part == "..");
    names_elsewhere && !path.starts_with(root) || file::outside(root, &root.join(path)).is_some()
}

#[cfg(test)]
#[path = "reach_tests.rs"]
mod tests;
