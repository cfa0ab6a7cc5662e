//! Review comments, which agents' tools keep in the same files.

use std::{io, path::PathBuf, sync::Arc};

use baton_project::comments::{BadComment, Change, Comments, Draft, What, anchored, found_again};
use baton_protocol::{
    ProjectId,
    api::{
        CommentAdd, CommentRemove, CommentResolve, ListComments, Problem, ProblemCode,
        ReviewComment, ReviewComments,
    },
    words::ClientRef,
};

use super::Api;

const DEFAULT_LIMIT: u32 = 100;

impl Api {
    /// Keeps review comments in this folder, one file for each project.
    pub fn keep_comments(&self, folder: PathBuf) {
        self.projects.comments.set(folder).ok();
    }

    pub(super) async fn list_comments(
        &self,
        body: ListComments,
    ) -> Result<ReviewComments, Problem> {
        let entry = self.project_named(&body.project).await?;
        let folder = PathBuf::from(entry.path);
        let comments = self.comments_of(entry.id)?;
        let comments = comments
            .following(self.projects.project_facts.git(), &folder)
            .await;
        let limit = body.limit.unwrap_or(DEFAULT_LIMIT) as usize;
        let secrets = Arc::clone(self.supervisor.secrets());
        self.blocking(move || {
            let (path, cursor) = (body.path.as_deref(), body.cursor.as_deref());
            let listed = comments.list(path, cursor, limit);
            let listed = listed.map_err(|error| of_disk(&error))?;
            let mut listed = listed.map_err(of_bad)?;
            found_again(&folder, &secrets, &mut listed.comments);
            Ok(listed)
        })
        .await
    }

    pub(super) async fn add_comment(
        &self,
        client: &ClientRef,
        body: CommentAdd,
    ) -> Result<ReviewComment, Problem> {
        let entry = self.project_named(&body.project).await?;
        let comments = self.comments_of(entry.id)?;
        let draft = Draft {
            path: body.path,
            body: body.body,
            line: body.line,
            end_line: body.end_line,
            severity: body.severity,
            author: body.author.or_else(|| Some(client.name.clone())),
        };
        let comment = draft.checked(self.world.id().to_string(), self.world.now());
        let comment = comment.map_err(of_bad)?;
        let folder = PathBuf::from(entry.path);
        let secrets = Arc::clone(self.supervisor.secrets());
        self.blocking(move || {
            let comment = anchored(&folder, &secrets, comment).map_err(of_bad)?;
            comments.add(&comment).map_err(|error| of_disk(&error))?;
            Ok(comment)
        })
        .await
    }

    pub(super) async fn resolve_comment(
        &self,
        client: &ClientRef,
        body: CommentResolve,
    ) -> Result<ReviewComment, Problem> {
        let what = if body.resolved {
            What::Resolved
        } else {
            What::Reopened
        };
        self.change_comment(client, &body.project, body.comment_id, what)
            .await
    }

    pub(super) async fn remove_comment(
        &self,
        client: &ClientRef,
        body: CommentRemove,
    ) -> Result<(), Problem> {
        let gone = self.change_comment(client, &body.project, body.comment_id, What::Removed);
        gone.await.map(drop)
    }

    /// The comment as it is then, where its lines are now.
    async fn change_comment(
        &self,
        client: &ClientRef,
        project: &str,
        comment: String,
        change: What,
    ) -> Result<ReviewComment, Problem> {
        let entry = self.project_named(project).await?;
        let folder = PathBuf::from(entry.path);
        let comments = self.comments_of(entry.id)?;
        let comments = comments
            .following(self.projects.project_facts.git(), &folder)
            .await;
        let change = Change {
            comment,
            change,
            at: self.world.now(),
            by: Some(client.name.clone()),
        };
        let secrets = Arc::clone(self.supervisor.secrets());
        self.blocking(move || {
            let changed = comments.change(&change).map_err(|error| of_disk(&error))?;
            let Some(changed) = changed else {
                let detail = "there is no comment with this id";
                return Err(Problem::new(ProblemCode::NotFound, detail));
            };
            let mut changed = [changed];
            found_again(&folder, &secrets, &mut changed);
            let [changed] = changed;
            Ok(changed)
        })
        .await
    }

    fn comments_of(&self, project: ProjectId) -> Result<Comments, Problem> {
        let folder =
            self.projects.comments.get().ok_or_else(|| {
                Problem::new(ProblemCode::Unsupported, "no comments are kept here")
            })?;
        Ok(Comments::at(&folder.join(format!("{project}.jsonl"))))
    }
}

fn of_bad(bad: BadComment) -> Problem {
    Problem {
        detail: bad.to_string(),
        ..Problem::invalid(bad.field, bad.why)
    }
}

pub(super) fn of_disk(error: &io::Error) -> Problem {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    let code = if matches!(error.kind(), StorageFull | QuotaExceeded) {
        ProblemCode::StorageFull
    } else {
        ProblemCode::Storage
    };
    Problem::new(
        code,
        format!("the comments cannot be read or kept: {error}"),
    )
}
