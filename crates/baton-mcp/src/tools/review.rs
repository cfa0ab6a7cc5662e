//! Review comments.

use std::{io, path::PathBuf};

use baton_project::{
    comments::{Draft, MAX_LISTED, anchored, found_again},
    secrets::SecretPlaces,
};
use baton_protocol::api::Severity;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Nothing, Outcome, ToolError};
use crate::workspace::Workspace;

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
    let draft = Draft {
        path: args.path,
        body: args.body,
        line: args.line,
        end_line: args.end_line,
        severity: args.severity,
        author: args.author,
    };
    let id = (workspace.fresh_id)().to_string();
    let comment = draft.checked(id, (workspace.now)());
    let comment = comment.map_err(ToolError::new)?;
    let (comments, place) = (workspace.comments.clone(), Place::of(workspace));
    let kept = apart(move || {
        let comment = match anchored(&place.folder, &place.secrets, comment) {
            Ok(comment) => comment,
            Err(bad) => return Ok(Err(bad)),
        };
        comments.add(&comment).map(|()| Ok(comment))
    });
    let kept = kept.await;
    let kept =
        kept.map_err(|error| ToolError::new(format!("the comment was not kept: {error}")))?;
    Ok(json!({"comment": kept.map_err(ToolError::new)?}))
}

pub(super) async fn list(workspace: &Workspace, args: List) -> Outcome {
    let limit = args.limit.unwrap_or(100);
    let (comments, place) = (workspace.comments.clone(), Place::of(workspace));
    let listed = apart(move || {
        let mut listed = comments.list(args.path.as_deref(), args.cursor.as_deref(), limit)?;
        if let Ok(listed) = &mut listed {
            found_again(&place.folder, &place.secrets, &mut listed.comments);
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

pub(super) async fn stats(workspace: &Workspace, _: Nothing) -> Outcome {
    let comments = workspace.comments.clone();
    let listed = apart(move || comments.list(None, None, MAX_LISTED)).await;
    let listed = listed.map_err(ToolError::new)?.map_err(ToolError::new)?;
    Ok(json!({"total": listed.total, "files": listed.files}))
}

/// Where files are that remarks are about.
struct Place {
    folder: PathBuf,
    secrets: SecretPlaces,
}

impl Place {
    fn of(workspace: &Workspace) -> Self {
        Self {
            folder: workspace.folder.clone(),
            secrets: workspace.secrets.clone(),
        }
    }
}

/// Does what waits for a disk or for another program's lock where nobody else
/// waits with it.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await?
}
