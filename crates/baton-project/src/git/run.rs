//! Git, run so that nothing in a repository runs with it.
//!
//! No hook, monitor, external diff, text conversion, pager, prompt, download or
//! submodule's git is started, and no program that the repository's settings
//! name: each such key is set to what the user's own settings say, or to what
//! git does without it ([`super::Quiet`]). So a repository may be set up for whatever
//! it likes, and looking is never what sets it off. A filter of the user's own,
//! as LFS has one, does run, because without it every file behind it would look
//! changed; behind any other one a file is compared as it lies on disk.
//!
//! The repository and its work tree are named outright, so `core.worktree` or a
//! `.git` that leads to somebody else's repository cannot show foreign files.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

use baton_process::{Exit, RunError, RunLimits, RunOutput, Spec, run_to_end};

use super::{CONFIG_BYTES, Repository, quiet::quiet_in};
use crate::{config, file};

/// What a short question may take.
const QUESTION: RunLimits = RunLimits {
    time: Duration::from_secs(5),
    output_bytes: 1 << 20,
};

/// Settings that hold whatever the repository says.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.quotePath", "true"),
    ("core.untrackedCache", "false"),
    ("diff.external", ""),
    ("diff.orderFile", "/dev/null"),
    ("diff.suppressBlankEmpty", "false"),
    ("protocol.allow", "never"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
];

/// Variables that hold whatever the user's environment says.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ASKPASS", "false"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// What git needs of the user: where programs are, and the user's own settings.
const PASSED: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// Why git said nothing.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("the folder is in no repository")]
    NoRepository,
    /// Somebody else's, bare, or one that does not know this work tree.
    #[error("the repository is not this folder's own")]
    Foreign,
    #[error("git could not be run")]
    Run(#[from] RunError),
    #[error("git failed: {0}")]
    Failed(String),
    #[error("git was killed")]
    Killed,
}

/// The git program, as it is run here.
#[derive(Debug, Clone)]
pub struct Git {
    env: Vec<(OsString, OsString)>,
    /// The user's own, to read the user's settings with.
    users: Vec<(OsString, OsString)>,
}

impl Git {
    /// Takes from the user's environment what git needs. Folders on the PATH
    /// that depend on where one is are left out: a repository may hold a `git`.
    pub fn new(users: &[(OsString, OsString)]) -> Self {
        let get = |name: &str| {
            let found = users.iter().find(|(variable, _)| variable == name);
            found.map(|(_, value)| value.clone())
        };
        let path = get("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let path = std::env::join_paths(folders).unwrap_or_default();
        let mut env = vec![("PATH".into(), path.clone())];
        env.extend(
            PASSED
                .iter()
                .filter_map(|name| Some((name.into(), get(name)?))),
        );
        env.extend(
            VARIABLES
                .iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
        let mut users = users.to_vec();
        users.push(("PATH".into(), path));
        Self { env, users }
    }

    /// The repository that `folder` is in, ready to be asked about it.
    pub async fn at(&self, folder: &Path) -> Result<GitFolder, GitError> {
        let folder = folder.to_owned();
        let found = {
            let folder = folder.clone();
            let own = move || own_repository(&folder);
            tokio::task::spawn_blocking(own).await
        };
        let repository = found.map_err(|_| GitError::NoRepository)??;
        let place = folder.strip_prefix(&repository.root);
        let place = place.map_err(|_| GitError::Foreign)?.to_owned();
        let mut quiet = quiet_in(&self.users, &repository).await;
        quiet.extend(SETTINGS);
        let mut env: BTreeMap<OsString, OsString> = self.env.iter().cloned().collect();
        quiet.add_to(&mut env);
        env.insert("GIT_DIR".into(), repository.dir.into());
        env.insert("GIT_WORK_TREE".into(), repository.root.into());
        Ok(GitFolder {
            env: env.into_iter().collect(),
            folder,
            place,
        })
    }
}

/// A folder whose repository can be asked.
#[derive(Debug, Clone)]
pub struct GitFolder {
    env: Vec<(OsString, OsString)>,
    folder: PathBuf,
    /// The folder below the work tree's root.
    place: PathBuf,
}

impl GitFolder {
    /// The folder below the work tree's root.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Runs git in the folder. What it says beyond the limit is dropped, and
    /// the output says so.
    pub async fn run<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        limits: RunLimits,
    ) -> Result<RunOutput, GitError> {
        let mut all = vec!["--no-pager".into(), "--no-optional-locks".into()];
        all.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        let spec = Spec {
            program: "git".into(),
            args: all,
            env: self.env.clone(),
            cwd: self.folder.clone(),
        };
        let output = run_to_end(&spec, limits).await?;
        match output.exit {
            Exit::Exited { code: 0 } => Ok(output),
            Exit::Exited { .. } => Err(GitError::Failed(said(&output.stderr))),
            Exit::Signalled { .. } | Exit::Lost => Err(GitError::Killed),
        }
    }

    /// A short answer.
    pub(crate) async fn ask<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Vec<u8>, GitError> {
        Ok(self.run(args, QUESTION).await?.stdout)
    }
}

/// The repository of a folder, if it belongs to the folder and to this user.
/// Git itself asks neither once it is told where the repository is.
pub(crate) fn own_repository(folder: &Path) -> Result<Repository, GitError> {
    let found = Repository::find(folder).ok_or(GitError::NoRepository)?;
    let real = |path: &Path| path.canonicalize().map_err(|_| GitError::Foreign);
    let repository = Repository {
        root: real(&found.root)?,
        dir: real(&found.dir)?,
        common: real(&found.common)?,
    };
    let user = rustix::process::geteuid().as_raw();
    let owned = [&repository.root, &repository.dir, &repository.common]
        .iter()
        .all(|path| path.metadata().is_ok_and(|meta| meta.uid() == user));
    if owned && is_own(&repository) {
        Ok(repository)
    } else {
        Err(GitError::Foreign)
    }
}

/// A repository inside its work tree is that tree's. One elsewhere must name
/// the tree, as those of linked trees and submodules do.
fn is_own(repository: &Repository) -> bool {
    let Repository { root, dir, common } = repository;
    if *dir == root.join(".git") {
        return dir == common;
    }
    let is_tree = |path: PathBuf| path.canonicalize().is_ok_and(|path| path == *root);
    let linked = dir.starts_with(common.join("worktrees"))
        && file::read_line(&dir.join("gitdir")).is_some_and(|dot| {
            let dot = dir.join(dot);
            dot.ends_with(".git") && dot.parent().is_some_and(|tree| is_tree(tree.to_owned()))
        });
    linked || (dir == common && names_tree(dir, is_tree))
}

fn names_tree(dir: &Path, is_tree: impl Fn(PathBuf) -> bool) -> bool {
    let bytes = file::read(&dir.join("config"), CONFIG_BYTES);
    let config = config::parse(&bytes.ok().flatten().unwrap_or_default());
    config
        .get("core.worktree")
        .is_some_and(|tree| is_tree(dir.join(tree)))
}

/// What git said of its failure. It lists the files it is about.
fn said(bytes: &[u8]) -> String {
    const LINES: usize = 20;
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<String> = text.lines().take(LINES).map(crate::text::show).collect();
    lines.join("\n")
}
