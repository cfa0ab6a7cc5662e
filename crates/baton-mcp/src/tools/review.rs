//! Review comments.

use std::{io, path::PathBuf, sync::Arc};

use baton_project::{
    comments::{Change, Comments, Draft, MAX_LISTED, What, anchored, found_again},
    secrets::SecretPlaces,
};
use baton_protocol::api::{ReviewComment, Severity};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Nothing, Outcome, ToolError};
use crate::workspace::{Withheld, Workspace};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Add {
    /// The file, from the workspace's folder.
    path: String,
    /// What there is to say; 10,000 characters at most.
    body: String,
    /// The line it is about, from 1.
    #[serde(default)]
    line: Option<u32>,
    /// The last line it is about.
    #[serde(default)]
    end_line: Option<u32>,
    /// How much it matters: `note`, `suggestion` (the default) or `problem`.
    #[serde(default)]
    severity: Severity,
    /// Who says it.
    #[serde(default)]
    author: Option<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct List {
    /// Only comments on this file.
    path: Option<String>,
    /// How many, 1 to 200; 100 if none is given.
    limit: Option<usize>,
    /// `next` of an earlier answer, to go on after it.
    cursor: Option<String>,
}

pub(super) async fn add(workspace: &Workspace, args: Add) -> Outcome {
    let place = ReviewFolder::of(workspace);
    let shown = place.clone();
    let draft = Draft {
        path: place.kept(&args.path),
        body: args.body,
        line: args.line,
        end_line: args.end_line,
        severity: args.severity,
        author: args.author,
    };
    let id = (workspace.fresh_id)().to_string();
    let comment = draft.checked(id, (workspace.now)());
    let comment = comment.map_err(ToolError::new)?;
    let comments = workspace.comments.clone();
    let kept = apart(move || {
        if place.withholds(&comment.path) {
            let told = "a rule keeps this file from you, so its lines are not quoted";
            return Err(io::Error::other(told));
        }
        let comment = match anchored(&place.folder, &place.secrets, comment) {
            Ok(comment) => comment,
            Err(bad) => return Ok(Err(bad)),
        };
        comments.add(&comment).map(|()| Ok(comment))
    });
    let kept = kept.await;
    let kept =
        kept.map_err(|error| ToolError::new(format!("the comment was not kept: {error}")))?;
    let mut kept = kept.map_err(ToolError::new)?;
    shown.show(&mut kept.path);
    Ok(json!({"comment": kept}))
}

pub(super) async fn list(workspace: &Workspace, args: List) -> Outcome {
    let limit = args.limit.unwrap_or(100);
    let place = ReviewFolder::of(workspace);
    let comments = place.comments(workspace).await;
    let listed = apart(move || {
        let path = args.path.as_deref().map(|path| place.kept(path));
        let mut listed = comments.list(path.as_deref(), args.cursor.as_deref(), limit)?;
        if let Ok(listed) = &mut listed {
            found_again(&place.folder, &place.secrets, &mut listed.comments);
            for comment in &mut listed.comments {
                place.tell(comment);
            }
        }
        Ok(listed)
    })
    .await;
    let listed = listed.map_err(ToolError::new)?.map_err(ToolError::new)?;
    Ok(json!({
        "comments": listed.comments,
        "total": listed.total,
        "truncated": listed.truncated,
        "next": listed.next,
    }))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Resolve {
    /// The comment's `id`, as it is listed.
    id: String,
    /// False opens it again.
    #[serde(default = "settled")]
    resolved: bool,
}

const fn settled() -> bool {
    true
}

pub(super) async fn resolve(workspace: &Workspace, args: Resolve) -> Outcome {
    let place = ReviewFolder::of(workspace);
    let comments = place.comments(workspace).await;
    let change = Change {
        comment: args.id,
        change: if args.resolved {
            What::Resolved
        } else {
            What::Reopened
        },
        at: (workspace.now)(),
        by: Some("agent".into()),
    };
    let changed = apart(move || {
        let mut changed = comments.change(&change)?;
        if let Some(comment) = &mut changed {
            place.tell(comment);
        }
        Ok(changed)
    });
    let changed = changed.await;
    let changed =
        changed.map_err(|error| ToolError::new(format!("the change was not kept: {error}")))?;
    let Some(comment) = changed else {
        return Err(ToolError::new(
            "there is no such comment; list_review_comments tells the ids",
        ));
    };
    Ok(json!({"comment": comment}))
}

pub(super) async fn stats(workspace: &Workspace, _: Nothing) -> Outcome {
    let place = ReviewFolder::of(workspace);
    let comments = place.comments(workspace).await;
    let listed = apart(move || comments.list(None, None, MAX_LISTED)).await;
    let mut listed = listed.map_err(ToolError::new)?.map_err(ToolError::new)?;
    for file in &mut listed.files {
        place.show(&mut file.path);
    }
    Ok(json!({"total": listed.total, "files": listed.files}))
}

/// Where files are that remarks are about: in the project's folder. An agent
/// that works in a folder below names them from there.
#[derive(Clone)]
struct ReviewFolder {
    folder: PathBuf,
    /// From the project's folder to the workspace's, as it stands before a path.
    below: String,
    secrets: SecretPlaces,
    withheld: Withheld,
}

impl ReviewFolder {
    fn of(workspace: &Workspace) -> Self {
        let below = workspace.folder.strip_prefix(&workspace.project);
        let (folder, below) = match below.map(|below| below.to_str()) {
            Ok(Some("")) | Ok(None) | Err(_) => (&workspace.folder, String::new()),
            Ok(Some(below)) => (&workspace.project, format!("{below}/")),
        };
        Self {
            folder: folder.clone(),
            below,
            secrets: workspace.secrets.clone(),
            withheld: Arc::clone(&workspace.withheld),
        }
    }

    /// On files as they are called now.
    async fn comments(&self, workspace: &Workspace) -> Comments {
        let comments = workspace.comments.clone();
        comments.following(&workspace.git, &self.folder).await
    }

    /// A path as it is kept. One that leads out of the workspace is refused as it is.
    fn kept(&self, path: &str) -> String {
        if path.starts_with('/') {
            return path.to_owned();
        }
        format!("{}{path}", self.below)
    }

    /// Whether a rule keeps a file from the agent.
    fn withholds(&self, kept: &str) -> bool {
        (self.withheld)(&self.folder.join(kept))
    }

    /// A comment as the agent may see it. What it quotes is the file's.
    fn tell(&self, comment: &mut ReviewComment) {
        if self.withholds(&comment.path) {
            comment.quote = None;
        }
        self.show(&mut comment.path);
    }

    /// A path as the agent would write it.
    fn show(&self, path: &mut String) {
        if let Some(rest) = path.strip_prefix(&self.below) {
            *path = rest.to_owned();
            return;
        }
        let up = "../".repeat(self.below.matches('/').count());
        *path = format!("{up}{path}");
    }
}

/// Does what waits for a disk or for another program's lock where nobody else
/// waits with it.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await?
}
