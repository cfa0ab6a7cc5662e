//! Review comments.

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Nothing, Outcome, ToolError};
use crate::{
    comments::{Comment, Severity},
    workspace::Workspace,
};

const MAX_BODY: usize = 10_000;
const MAX_PATH: usize = 1000;
const MAX_LISTED: usize = 200;

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
}

pub(super) async fn add(workspace: &Workspace, args: Add) -> Outcome {
    let path = inside(&args.path)?;
    let body = args.body.trim();
    if body.is_empty() || body.chars().count() > MAX_BODY {
        return Err(ToolError::new(format!(
            "`body` has 1 to {MAX_BODY} characters"
        )));
    }
    let line = args.line;
    if line == Some(0)
        || args
            .end_line
            .is_some_and(|end| line.is_none_or(|line| end < line))
    {
        return Err(ToolError::new(
            "`line` counts from 1, and `endLine` is not before it",
        ));
    }
    let author = args.author.map(|name| name.chars().take(100).collect());
    let comment = Comment {
        id: (workspace.fresh_id)().to_string(),
        path,
        line,
        end_line: args.end_line,
        severity: args.severity,
        body: body.to_owned(),
        author,
        created_at: (workspace.now)(),
    };
    let kept = workspace.comments.add(&comment);
    kept.map_err(|error| ToolError::new(format!("the comment was not kept: {error}")))?;
    Ok(json!({"comment": comment}))
}

pub(super) async fn list(workspace: &Workspace, args: List) -> Outcome {
    let limit = args.limit.unwrap_or(100);
    if limit == 0 || limit > MAX_LISTED {
        return Err(ToolError::new(format!("`limit` is 1 to {MAX_LISTED}")));
    }
    let path = args.path.as_deref().map(inside).transpose()?;
    let mut all = workspace.comments.all().map_err(ToolError::new)?;
    all.retain(|comment| path.as_ref().is_none_or(|path| comment.path == *path));
    let total = all.len();
    all.truncate(limit);
    Ok(json!({"comments": all, "total": total, "truncated": total > limit}))
}

pub(super) async fn stats(workspace: &Workspace, _: Nothing) -> Outcome {
    let files = workspace.comments.counts().map_err(ToolError::new)?;
    let total: u32 = files.iter().map(|file| file.comments).sum();
    Ok(json!({"total": total, "files": files}))
}

/// A path in one form, which leads nowhere else.
fn inside(path: &str) -> Result<String, ToolError> {
    let mut parts = Vec::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => parts.extend(part.to_str()),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(ToolError::new(
                    "`path` is given from the workspace's folder and stays in it",
                ));
            }
        }
    }
    let path = parts.join("/");
    if path.is_empty() || path.len() > MAX_PATH {
        return Err(ToolError::new("`path` names a file"));
    }
    Ok(path)
}
