//! What a repository says about itself.
//!
//! [`facts`] reads files alone, for folders that nobody has asked about: a
//! repository's own configuration can make git run programs. Refs are not
//! resolved, so packed ones do not matter. [`Git`] overrides that configuration;
//! [`quiet()`] is for the git that somebody else runs in a folder.

mod credentials;
pub(crate) mod own;
mod quiet;
mod reach;
mod rewrites;
mod run;
mod status;

pub use credentials::credentials;
pub use quiet::{Quiet, quiet};
pub use reach::reaches_out;
pub use rewrites::rewrites_with_secrets;
pub(crate) use run::own_repository;
pub use run::{Git, GitError, GitFolder};
pub use status::{Untracked, WorkTree};

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use crate::{config, file};

/// The most that is read of a configuration file.
pub(crate) const CONFIG_BYTES: u64 = 1 << 20;

/// How far up a repository is looked for.
const LEVELS: usize = 64;

/// Where `HEAD` stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// The branch, without `refs/heads/`; it may have no commit yet.
    Branch(String),
    /// A commit that no branch is checked out for.
    Detached(String),
    /// Something this version does not understand.
    Unknown,
}

/// A repository as its files tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitFacts {
    /// The folder that holds the work tree; the repository itself if it is bare.
    pub root: PathBuf,
    pub head: Head,
    /// Of the branch's remote, else of `origin`, else of the first; without a password.
    pub remote_url: Option<String>,
}

impl GitFacts {
    pub fn branch(&self) -> Option<&str> {
        match &self.head {
            Head::Branch(branch) => Some(branch),
            Head::Detached(_) | Head::Unknown => None,
        }
    }
}

/// The repository that `folder` is in, if it is in one.
pub fn facts(folder: &Path) -> Option<GitFacts> {
    let repository = Repository::find(folder)?;
    let head = head(&repository.dir);
    let bytes = file::read(&repository.common.join("config"), CONFIG_BYTES);
    let config = config::parse(&bytes.ok().flatten().unwrap_or_default());
    let branch = match &head {
        Head::Branch(branch) => Some(branch.as_str()),
        Head::Detached(_) | Head::Unknown => None,
    };
    Some(GitFacts {
        remote_url: remote_url(&config, branch),
        root: repository.root,
        head,
    })
}

/// Files that change when a work tree gets another commit, branch or index.
pub fn moving(folder: &Path) -> Vec<PathBuf> {
    let Some(repository) = Repository::find(folder) else {
        return Vec::new();
    };
    let own = ["HEAD", "index", "logs/HEAD"];
    own.iter().map(|name| repository.dir.join(name)).collect()
}

/// Where a repository keeps its things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The work tree.
    pub(crate) root: PathBuf,
    /// This work tree's own: `HEAD`, `config.worktree`.
    pub(crate) dir: PathBuf,
    /// Shared by all work trees: `config`, `hooks`, `modules`.
    pub(crate) common: PathBuf,
}

impl Repository {
    /// As git finds it: the nearest `.git` that holds a repository, or a folder
    /// that is one itself.
    pub(crate) fn find(folder: &Path) -> Option<Self> {
        let mut around = Self::around(folder);
        around.pop().filter(Self::is_real)
    }

    /// The one that git finds last, and before it those nearer that look like
    /// one: what is missing there may come, and then git finds it.
    pub(crate) fn around(folder: &Path) -> Vec<Self> {
        let mut around = Vec::new();
        for folder in folder.ancestors().take(LEVELS) {
            let Some(found) = Self::at(folder) else {
                continue;
            };
            let ends = found.is_real();
            around.push(found);
            if ends {
                break;
            }
        }
        around
    }

    /// Whether git takes it for a repository. An empty `.git` is none, and git
    /// looks on above it.
    fn is_real(&self) -> bool {
        is_head(&self.dir.join("HEAD"))
            && self.common.join("objects").is_dir()
            && self.common.join("refs").is_dir()
    }

    /// Its own settings; `None` if they cannot be had.
    pub(crate) fn settings(&self) -> Option<config::Config> {
        let bytes = file::read(&self.common.join("config"), CONFIG_BYTES);
        bytes
            .ok()
            .map(|bytes| config::parse(&bytes.unwrap_or_default()))
    }

    /// The work tree that the repository was made with, if this is another one.
    pub(crate) fn main_tree(&self) -> Option<PathBuf> {
        let common = self.common.canonicalize().ok()?;
        let main = common.parent().filter(|_| common.ends_with(".git"))?;
        (self.dir != self.common).then(|| main.to_owned())
    }

    /// What looks like a repository whose work tree, or which itself, is exactly
    /// there.
    pub(crate) fn at(root: &Path) -> Option<Self> {
        let dot = root.join(".git");
        let dir = if dot.is_dir() {
            dot
        } else if let Some(line) = file::read_line(&dot) {
            root.join(line.strip_prefix("gitdir:")?.trim_start())
        } else if is_repository(root) {
            root.to_owned()
        } else {
            return None;
        };
        let common = file::read_line(&dir.join("commondir"))
            .map_or_else(|| dir.clone(), |line| dir.join(line));
        Some(Self {
            root: root.to_owned(),
            dir,
            common,
        })
    }
}

/// The folder that the repository around this one begins in.
pub fn root(folder: &Path) -> Option<PathBuf> {
    Repository::find(folder).map(|found| found.root)
}

/// Git also works in a bare repository that lies among other files.
fn is_repository(folder: &Path) -> bool {
    folder.join("objects").is_dir()
        && folder.join("refs").is_dir()
        && folder.join("HEAD").symlink_metadata().is_ok()
}

/// Whether a `HEAD` is one to git: it names a ref, or begins with a commit's id.
fn is_head(path: &Path) -> bool {
    if let Ok(target) = path.read_link() {
        return target.starts_with("refs");
    }
    // Git reads no more of it.
    const READ: u64 = 256;
    let mut bytes = Vec::new();
    let is_file = path.metadata().is_ok_and(|meta| meta.is_file());
    let read = File::open(path)
        .ok()
        .filter(|_| is_file)
        .and_then(|file| file.take(READ).read_to_end(&mut bytes).ok());
    if read.is_none() {
        return false;
    }
    match bytes.strip_prefix(b"ref:") {
        Some(name) => name.trim_ascii_start().starts_with(b"refs/"),
        None => bytes.len() >= 40 && bytes[..40].iter().all(u8::is_ascii_hexdigit),
    }
}

fn head(dir: &Path) -> Head {
    let path = dir.join("HEAD");
    // Once a link was how `HEAD` named its branch.
    let line = match path.read_link() {
        Ok(target) => target.to_str().map(|target| format!("ref: {target}")),
        Err(_) => file::read_line(&path),
    };
    let Some(line) = line else {
        return Head::Unknown;
    };
    if let Some(name) = line.strip_prefix("ref:") {
        return match name.trim_start().strip_prefix("refs/heads/") {
            // Other formats than files put this here to keep old readers away.
            Some(".invalid") | None => Head::Unknown,
            Some(branch) => Head::Branch(branch.to_owned()),
        };
    }
    let is_id = matches!(line.len(), 40 | 64) && line.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id {
        Head::Detached(line)
    } else {
        Head::Unknown
    }
}

fn remote_url(config: &config::Config, branch: Option<&str>) -> Option<String> {
    let url_of = |remote: &str| {
        let found = config.get(&format!("remote.{remote}.url"));
        found.filter(|url| !url.is_empty())
    };
    let own = branch.and_then(|branch| config.get(&format!("branch.{branch}.remote")));
    let first = || {
        let mut remotes = config.entries.iter();
        let entry = remotes.find(|entry| entry.section() == "remote" && entry.key() == "url");
        entry.map(config::GitSetting::text)
    };
    let url = own
        .and_then(url_of)
        .or_else(|| url_of("origin"))
        .or_else(first)?;
    Some(without_password(url))
}

/// A token in a URL is not for every screen.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) if scheme.starts_with("http") || rest[..at].contains(':') => {
            format!("{scheme}://{}", &rest[at + 1..])
        }
        Some(_) | None => url.to_owned(),
    }
}

#[cfg(test)]
#[path = "git_tests.rs"]
mod tests;
