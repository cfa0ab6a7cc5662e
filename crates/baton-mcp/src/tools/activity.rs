//! The latest commits.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, ToolError};
use crate::{git::Repository, workspace::Workspace};

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
    let git = Repository::of(workspace).await.map_err(ToolError::new)?;
    let status = git.status().await.map_err(ToolError::new)?;
    if status.commit.is_none() {
        return Ok(json!({"branch": status.branch, "commits": []}));
    }
    let limit = format!("--max-count={limit}");
    // The one character that no name and no subject can have.
    let format = "--format=%H%x00%an%x00%aI%x00%s";
    let args = [
        "log",
        "-z",
        "--no-color",
        "--no-show-signature",
        &limit,
        format,
    ];
    let printed = git.run(&args).await.map_err(ToolError::new)?;
    let parts: Vec<&str> = printed.text.split('\0').collect();
    let commits: Vec<Value> = parts
        .chunks_exact(4)
        .map(|parts| {
            let part = |at: usize| parts[at].chars().take(500).collect::<String>();
            json!({"commit": part(0), "author": part(1), "at": part(2), "subject": part(3)})
        })
        .collect();
    Ok(json!({"branch": status.branch, "commits": commits}))
}
