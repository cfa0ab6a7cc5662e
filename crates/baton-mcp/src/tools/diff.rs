//! What has changed.

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, ToolError, cut};
use crate::workspace::Workspace;

/// The most of a diff that is given.
const MAX_DIFF: usize = 100 << 10;
/// The most files of a summary.
const MAX_FILES: usize = 500;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
pub(super) struct Args {
    /// `summary` (the default) counts lines per file, `full` gives the diff.
    detail: Detail,
    /// Only this file or folder, from the workspace's folder.
    path: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Detail {
    #[default]
    Summary,
    Full,
}

pub(super) async fn get(workspace: &Workspace, args: Args) -> Outcome {
    if args.path.as_deref().is_some_and(leads_out) {
        return Err(ToolError::new(
            "`path` is given from the workspace's folder and stays in it",
        ));
    }
    let (git, folder) = (&workspace.git, &workspace.folder);
    git.check(folder).await.map_err(ToolError::new)?;
    let status = git.status(folder).await.map_err(ToolError::new)?;
    let (base, against) = base(workspace, status.commit.as_deref()).await?;
    let path = args.path.as_deref().unwrap_or(".");
    let fixed = [
        "diff",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        // Inside a submodule its own settings would count.
        "--ignore-submodules=dirty",
        // Names as `path` and review comments have them, in a folder of a
        // larger repository too.
        "--relative",
    ];
    let tail = [base.as_str(), "--", path];
    let run = async |middle: &[&str]| {
        let args: Vec<&str> = [&fixed[..], middle, &tail[..]].concat();
        git.run(folder, &args).await.map_err(ToolError::new)
    };
    let others = [
        "ls-files",
        "--others",
        "--exclude-standard",
        "-z",
        "--",
        path,
    ];
    let untracked = git.run(folder, &others).await.map_err(ToolError::new)?;
    let untracked: Vec<&str> = untracked
        .text
        .split('\0')
        .filter(|p| !p.is_empty())
        .collect();
    let shown: Vec<&str> = untracked.iter().copied().take(MAX_FILES).collect();
    let mut told = json!({
        "comparedWith": against,
        "untracked": shown,
        "untrackedCount": untracked.len(),
    });
    let more = match args.detail {
        Detail::Summary => {
            let printed = run(&["--numstat", "--no-renames", "-z"]).await?;
            summary(&printed.text, printed.truncated)
        }
        Detail::Full => {
            let printed = run(&[]).await?;
            let (text, truncated) = cut(&printed.text, MAX_DIFF);
            json!({
                "diff": text,
                "bytes": printed.text.len(),
                "truncated": truncated || printed.truncated,
            })
        }
    };
    if let (Some(told), Value::Object(more)) = (told.as_object_mut(), more) {
        told.extend(more);
    }
    Ok(told)
}

fn leads_out(path: &str) -> bool {
    let parts = Path::new(path).components();
    parts
        .into_iter()
        .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}

/// What the work tree is compared with, and its name.
async fn base(workspace: &Workspace, head: Option<&str>) -> Result<(String, String), ToolError> {
    let (git, folder) = (&workspace.git, &workspace.folder);
    let Some(head) = head else {
        // The tree of nothing, which every repository knows.
        let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        return Ok((empty.into(), "nothing: there is no commit yet".into()));
    };
    if let Some(branch) = &workspace.target_branch
        && let Some(target) = git.branch(folder, branch).await
    {
        let args = ["merge-base", target.as_str(), head];
        if let Ok(common) = git.run(folder, &args).await {
            return Ok((
                common.text.trim().to_owned(),
                format!("where it left {branch}"),
            ));
        }
    }
    Ok((head.to_owned(), "the last commit".into()))
}

fn summary(text: &str, truncated: bool) -> Value {
    let mut files = Vec::new();
    let (mut added, mut removed, mut count) = (0u64, 0u64, 0usize);
    for row in text.split('\0').filter(|row| !row.is_empty()) {
        let mut parts = row.splitn(3, '\t');
        let mut number = || parts.next().and_then(|number| number.parse::<u64>().ok());
        let (plus, minus) = (number(), number());
        let path = parts.next().unwrap_or_default();
        added += plus.unwrap_or_default();
        removed += minus.unwrap_or_default();
        count += 1;
        if files.len() < MAX_FILES {
            files.push(
                json!({"path": path, "added": plus, "removed": minus, "binary": plus.is_none()}),
            );
        }
    }
    json!({
        "files": files, "fileCount": count, "added": added, "removed": removed,
        "truncated": truncated || count > MAX_FILES,
    })
}
