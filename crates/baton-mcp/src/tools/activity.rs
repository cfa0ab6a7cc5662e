//! The latest commits.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, ToolError};
use crate::workspace::Workspace;

const MAX: u32 = 100;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Args {
    /// How many, 1 to 100; 10 if none is given.
    limit: Option<u32>,
}

pub(super) async fn get(workspace: &Workspace, args: Args) -> Outcome {
    let limit = args.limit.unwrap_or(10);
    if limit == 0 || limit > MAX {
        return Err(ToolError::new(format!("`limit` is 1 to {MAX}")));
    }
    let (git, folder) = (&workspace.git, &workspace.folder);
    git.check(folder).await.map_err(ToolError::new)?;
    let status = git.status(folder).await.map_err(ToolError::new)?;
    if status.commit.is_none() {
        return Ok(json!({"branch": status.branch, "commits": []}));
    }
    let limit = format!("--max-count={limit}");
    let format = "--format=%H%x1f%an%x1f%aI%x1f%s%x1e";
    let args = ["log", "--no-color", "--no-show-signature", &limit, format];
    let printed = git.run(folder, &args).await.map_err(ToolError::new)?;
    let rows = printed.text.split('\u{1e}').map(str::trim);
    let commits: Vec<Value> = rows
        .filter(|row| !row.is_empty())
        .map(|row| {
            let mut parts = row.split('\u{1f}');
            let mut part = || {
                parts
                    .next()
                    .unwrap_or_default()
                    .chars()
                    .take(500)
                    .collect::<String>()
            };
            json!({"commit": part(), "author": part(), "at": part(), "subject": part()})
        })
        .collect();
    Ok(json!({"branch": status.branch, "commits": commits}))
}
