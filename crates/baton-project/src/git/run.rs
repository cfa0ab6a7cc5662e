//! Git, run so that nothing in a repository runs with it.
//!
//! Only for folders that are trusted, and even there no hook, monitor, filter,
//! external diff, text conversion, pager, prompt, download or submodule's git
//! is started: a trusted repository may change a moment later, and looking must
//! not be what sets it off. The cost is that a file behind a filter (LFS) is
//! compared as it lies on disk.
//!
//! The repository and its work tree are named outright, so `core.worktree` or a
//! `.git` that leads to somebody else's repository cannot show foreign files.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

use baton_process::{Exit, RunError, RunLimits, RunOutput, Spec, run_to_end};

use super::{CONFIG_BYTES, Repository};
use crate::{config, file};

/// What a short question may take.
const QUESTION: RunLimits = RunLimits {
    time: Duration::from_secs(5),
    output_bytes: 1 << 20,
};

/// A repository with more filters than this is left alone.
const FILTERS: usize = 100;

/// Settings that hold whatever the repository says.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.quotePath", "true"),
    ("core.untrackedCache", "false"),
    ("diff.external", ""),
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
const PASSED: &[&str] = &["HOME", "XDG_CONFIG_HOME"];

/// Why git said nothing.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("the folder is in no repository")]
    NoRepository,
    /// Somebody else's, bare, or one that does not know this work tree.
    #[error("the repository is not this folder's own")]
    Foreign,
    #[error("the repository has more than {FILTERS} filters")]
    TooManyFilters,
    #[error("the repository has a filter that cannot be switched off by its name")]
    OddFilter,
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
}

impl Git {
    /// Takes from the user's environment what git needs. Folders on the PATH
    /// that depend on where one is are left out: a repository may hold a `git`.
    pub fn new(env: &[(OsString, OsString)]) -> Self {
        let get = |name: &str| {
            let found = env.iter().find(|(variable, _)| variable == name);
            found.map(|(_, value)| value.clone())
        };
        let path = get("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let path = std::env::join_paths(folders).unwrap_or_default();
        let mut env = vec![("PATH".into(), path)];
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
        Self { env }
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
        let mut git = GitFolder {
            env: self.env.clone(),
            place: folder
                .strip_prefix(&repository.root)
                .map_err(|_| GitError::Foreign)?
                .to_owned(),
            folder,
            settings: SETTINGS
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        };
        git.env.push(("GIT_DIR".into(), repository.dir.into()));
        git.env
            .push(("GIT_WORK_TREE".into(), repository.root.into()));
        git.silence_filters().await?;
        Ok(git)
    }
}

/// A folder whose repository can be asked.
#[derive(Debug, Clone)]
pub struct GitFolder {
    env: Vec<(OsString, OsString)>,
    folder: PathBuf,
    /// The folder below the work tree's root.
    place: PathBuf,
    settings: Vec<(String, String)>,
}

impl GitFolder {
    /// The folder below the work tree's root.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Runs git in the folder. What it says beyond the limit is dropped, and
    /// the output says so.
    pub(crate) async fn run<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        limits: RunLimits,
    ) -> Result<RunOutput, GitError> {
        let output = self.run_any(args, limits).await?;
        match output.exit {
            Exit::Exited { code: 0 } => Ok(output),
            Exit::Exited { .. } => Err(GitError::Failed(first_line(&output.stderr))),
            Exit::Signalled { .. } | Exit::Lost => Err(GitError::Killed),
        }
    }

    async fn run_any<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        limits: RunLimits,
    ) -> Result<RunOutput, GitError> {
        let mut all = vec!["--no-pager".into(), "--no-optional-locks".into()];
        for (name, value) in &self.settings {
            all.extend(["-c".into(), format!("{name}={value}").into()]);
        }
        all.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        let spec = Spec {
            program: "git".into(),
            args: all,
            env: self.env.clone(),
            cwd: self.folder.clone(),
        };
        Ok(run_to_end(&spec, limits).await?)
    }

    /// A short answer.
    pub(crate) async fn ask<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Vec<u8>, GitError> {
        Ok(self.run(args, QUESTION).await?.stdout)
    }

    /// Every filter that any configuration names, by name: there is no switch
    /// for all of them.
    async fn silence_filters(&mut self) -> Result<(), GitError> {
        let args = [
            "config",
            "--null",
            "--name-only",
            "--get-regexp",
            "^filter\\.",
        ];
        let output = self.run_any(args, QUESTION).await?;
        let none = output.exit == Exit::Exited { code: 1 };
        if !none && output.exit != (Exit::Exited { code: 0 }) {
            return Err(GitError::Failed(first_line(&output.stderr)));
        }
        let mut filters = BTreeSet::new();
        for name in output.stdout.split(|byte| *byte == 0) {
            // With any of these a name cannot be named back to git.
            let name = std::str::from_utf8(name).map_err(|_| GitError::OddFilter)?;
            if name.contains(['=', '\n']) {
                return Err(GitError::OddFilter);
            }
            if let Some((filter, _)) = name.rsplit_once('.') {
                filters.insert(filter.to_owned());
            }
        }
        if filters.len() > FILTERS || output.truncated {
            return Err(GitError::TooManyFilters);
        }
        for filter in filters {
            for key in ["clean", "smudge", "process"] {
                self.settings
                    .push((format!("{filter}.{key}"), String::new()));
            }
            self.settings
                .push((format!("{filter}.required"), "false".to_owned()));
        }
        Ok(())
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

fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    crate::text::show(text.lines().next().unwrap_or_default())
}
