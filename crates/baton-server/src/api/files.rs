//! A project's files and changes.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use baton_project::{
    diff::diff,
    files::{FileError, Lines, PageRequest, ProjectFolder},
    git::{GitError, GitFolder, Untracked},
};
use baton_protocol::api::{
    Diff, DiffBody, FileList, FileView, ListFiles, Problem, ProblemCode, ReadFile,
};
use baton_store::ProjectEntry;
use tokio::time::timeout;

use super::Api;
use crate::problem;

const DEFAULT_ENTRIES: u32 = 500;
const MAX_ENTRIES: u32 = 1000;
const DEFAULT_LINES: u32 = 2_000;
const MAX_LINES: u32 = 10_000;

/// How long a list waits for what git says about its entries.
const GIT: Duration = Duration::from_secs(2);

/// How long a disk may take.
const DISK: Duration = Duration::from_secs(15);

/// Reads of disks that may go on at once, those that nobody waits for any more
/// included. One more waits, and is refused in the end.
pub(super) const READS: usize = 16;

impl Api {
    pub(super) async fn files(&self, body: &ListFiles) -> Result<FileList, Problem> {
        let limit = bounded("limit", body.limit, DEFAULT_ENTRIES, MAX_ENTRIES)?;
        let entry = self.project_named(&body.project).await?;
        let page = PageRequest {
            cursor: body.cursor.clone(),
            limit: limit as usize,
        };
        let (folder, path) = (PathBuf::from(&entry.path), body.path.clone());
        let secrets = Arc::clone(self.supervisor.secrets());
        let listed = self.blocking(move || {
            let folder = ProjectFolder::open(&folder, &secrets).map_err(|error| of_file(&error))?;
            folder.list(&path, &page).map_err(|error| of_file(&error))
        });
        let mut listed = listed.await?;
        let asked = timeout(GIT, async {
            let git = self.git_of(&entry).await.ok()?;
            let tree = git.status(Untracked::Folders, &listed.folder).await.ok()?;
            Some((git, tree))
        });
        if let Ok(Some((git, tree))) = asked.await {
            listed.mark(git.place(), &tree);
        }
        Ok(listed.list)
    }

    pub(super) async fn file(&self, body: &ReadFile) -> Result<FileView, Problem> {
        let count = bounded("lines", body.lines, DEFAULT_LINES, MAX_LINES)?;
        let lines = Lines {
            from: body.from.unwrap_or(1),
            count: u64::from(count),
        };
        if lines.from == 0 {
            return Err(Problem::invalid("from", "lines are counted from 1"));
        }
        let entry = self.project_named(&body.project).await?;
        let (folder, path) = (PathBuf::from(entry.path), body.path.clone());
        let secrets = Arc::clone(self.supervisor.secrets());
        self.blocking(move || {
            let folder = ProjectFolder::open(&folder, &secrets).map_err(|error| of_file(&error))?;
            folder.view(&path, lines).map_err(|error| of_file(&error))
        })
        .await
    }

    pub(super) async fn diff(&self, body: &DiffBody) -> Result<Diff, Problem> {
        let entry = self.project_named(&body.project).await?;
        let path = body.path.clone().unwrap_or_default();
        let (folder, wanted) = (PathBuf::from(&entry.path), path.clone());
        let secrets = Arc::clone(self.supervisor.secrets());
        let opened = self.blocking(move || {
            let folder = ProjectFolder::open(&folder, &secrets).map_err(|error| of_file(&error))?;
            let path = folder.check(&wanted).map_err(|error| of_file(&error))?;
            Ok((folder, path))
        });
        let (folder, path) = opened.await?;
        let git = self.git_of(&entry).await?;
        let told = diff(&git, folder, Some(&path)).await;
        told.map_err(|error| of_git(&error))
    }

    /// The repository of a project. Whoever looks at it asks for it, and nothing
    /// that it names runs with git, so it need not be trusted.
    async fn git_of(&self, entry: &ProjectEntry) -> Result<GitFolder, Problem> {
        let git = self
            .projects
            .project_facts
            .git()
            .at(Path::new(&entry.path))
            .await;
        git.map_err(|error| of_git(&error))
    }

    /// Reads from a disk that may not answer.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let waiting = async {
            let Ok(place) = Arc::clone(&self.files.reads).acquire_owned().await else {
                return Err(slow());
            };
            let done = tokio::task::spawn_blocking(move || {
                let read = read();
                drop(place);
                read
            });
            done.await.map_err(|_| slow())?
        };
        timeout(DISK, waiting).await.map_err(|_| slow())?
    }
}

pub(super) fn bounded(
    field: &str,
    given: Option<u32>,
    default: u32,
    most: u32,
) -> Result<u32, Problem> {
    let value = given.unwrap_or(default);
    if (1..=most).contains(&value) {
        return Ok(value);
    }
    Err(Problem::invalid(
        field,
        format!("it is between 1 and {most}"),
    ))
}

fn slow() -> Problem {
    Problem::new(ProblemCode::Internal, "the disk takes too long to answer")
}

pub(super) fn of_file(error: &FileError) -> Problem {
    match error {
        FileError::Missing(_) => Problem::new(ProblemCode::NotFound, error.to_string()),
        FileError::BadPath(_) | FileError::NotAFile(_) | FileError::NotAFolder(_) => Problem {
            detail: error.to_string(),
            ..Problem::invalid("path", error.to_string())
        },
        FileError::Io { .. } => Problem::new(ProblemCode::Unsupported, problem::chain(error)),
    }
}

fn of_git(error: &GitError) -> Problem {
    let code = match error {
        GitError::NoRepository | GitError::Foreign => ProblemCode::Unsupported,
        GitError::Run(_) | GitError::Failed(_) | GitError::Killed => ProblemCode::Internal,
    };
    Problem::new(code, problem::chain(error))
}
