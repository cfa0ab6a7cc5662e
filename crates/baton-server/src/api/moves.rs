//! Projects whose folders were moved or renamed: all that is theirs follows.

use std::path::{Path, PathBuf};

use baton_project::comments::Comments;
use baton_protocol::api::{Problem, ProblemCode, Project, ProjectMove};
use baton_session::project_id;
use baton_store::{ProjectEntry, ProjectKey};

use super::Api;
use crate::problem::Told as _;

impl Api {
    /// The project as it is then. What was begun is recorded first, and gone on
    /// with after a crash.
    pub(super) async fn move_project(&self, body: &ProjectMove) -> Result<Project, Problem> {
        let _alone = self.projects.moving.acquire().await.ok();
        self.go_on_with_moves().await?;
        let was = self.project_that_was(&body.project).await?;
        let to = self.real_folder(&body.to, "to").await?;
        self.holds_no_secrets(&to).await?;
        if to == was.path {
            let message = format!("{to} is where the project is");
            return Err(Problem::invalid("to", message));
        }
        self.is_gone(&was.path).await?;
        let moves = self.supervisor.moves(&was.path, &to).await.told()?;
        let busy = self.supervisor.at_work(&moves).await;
        if let Some(busy) = busy.told()? {
            let detail = format!("session {} is at work; interrupt it first", busy.id);
            return Err(Problem {
                sessions: vec![busy.id],
                ..Problem::new(ProblemCode::Busy, detail)
            });
        }
        self.supervisor.carry_trust(&moves).await.told()?;
        self.store().begin_moves(moves).await.told()?;
        self.go_on_with_moves().await?;
        self.one_project(&to).await
    }

    /// Goes on with a move that a crash interrupted.
    pub async fn finish_moves(&self) -> Result<(), Problem> {
        let _alone = self.projects.moving.acquire().await.ok();
        self.go_on_with_moves().await
    }

    async fn go_on_with_moves(&self) -> Result<(), Problem> {
        let moves = self.store().pending_moves().await.told()?;
        if moves.is_empty() {
            return Ok(());
        }
        self.supervisor.follow_moves(&moves).await.told()?;
        if let Some(folder) = self.projects.comments.get() {
            let file = |id| Comments::at(&folder.join(format!("{id}.jsonl")));
            let files = moves.iter().map(|one| (file(one.from), file(one.to)));
            let files: Vec<_> = files.collect();
            self.blocking(move || {
                files.iter().try_for_each(|(from, to)| {
                    let taken = to.take_over(from);
                    taken.map_err(|error| super::comments::of_disk(&error))
                })
            })
            .await?;
        }
        self.store().finish_moves().await.told()
    }

    /// A project by its slug, id or folder, which is not where it was.
    async fn project_that_was(&self, name: &str) -> Result<ProjectEntry, Problem> {
        // Folders of earlier sessions are on the list from here on.
        self.listed().await?;
        if name.starts_with('/') {
            let path = PathBuf::from(name);
            let real = self.blocking(move || Ok(as_it_was(&path))).await?;
            let key = ProjectKey::Id(project_id(&real));
            let found = self.store().project(key).await;
            if let Some(found) = found.told()? {
                return Ok(found);
            }
        }
        self.project_named(name).await
    }

    async fn is_gone(&self, path: &str) -> Result<(), Problem> {
        let path = PathBuf::from(path);
        self.blocking(move || {
            // A link may lead to where it is now.
            let there = path.symlink_metadata().is_ok_and(|found| found.is_dir());
            if !there {
                return Ok(());
            }
            let path = path.display();
            let message = format!("{path} is still there; move the folder first, then say so");
            Err(Problem::invalid("project", message))
        })
        .await
    }
}

/// The real path of a folder that may be gone, or replaced by a link.
fn as_it_was(path: &Path) -> String {
    let above = path.parent().and_then(|above| above.canonicalize().ok());
    let real = match (above, path.file_name()) {
        (Some(above), Some(name)) => above.join(name),
        _ => path.components().collect(),
    };
    real.to_string_lossy().into_owned()
}
