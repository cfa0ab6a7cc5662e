//! What has changed.

use std::{
    collections::BTreeSet,
    path::{Component, Path},
};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, ToolError, cut};
use crate::workspace::Workspace;

/// The most of a diff that is given.
const MAX_DIFF: usize = 100 << 10;
/// Paths that are given to git at once.
const BATCH: usize = 200;
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
    let run = async |middle: &[&str], paths: &[&str]| {
        let args: Vec<&str> = [&fixed[..], middle, &[base.as_str(), "--"], paths].concat();
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
    let untracked = names(&untracked.text);
    let (untracked, _) = apart(workspace, untracked).await?;
    let shown: Vec<&String> = untracked.iter().take(MAX_FILES).collect();
    let mut told = json!({
        "comparedWith": against,
        "untracked": shown,
        "untrackedCount": untracked.len(),
    });
    let counted = run(&["--numstat", "--no-renames", "-z"], &[path]).await?;
    let rows: Vec<Row> = rows(&counted.text).collect();
    let changed = rows.iter().map(|row| row.path.clone()).collect();
    let (changed, hidden) = apart(workspace, changed).await?;
    let more = match args.detail {
        Detail::Summary => summary(
            rows.iter().filter(|row| !hidden.contains(&row.path)),
            counted.truncated,
        ),
        Detail::Full if hidden.is_empty() && !counted.truncated => {
            let printed = run(&[], &[path]).await?;
            full(&printed.text, printed.truncated)
        }
        // Git is asked for the others by name. A list that was cut may have
        // hidden what must not be told.
        Detail::Full => {
            let (mut text, mut truncated) = (String::new(), counted.truncated);
            for batch in changed.chunks(BATCH) {
                let paths: Vec<&str> = batch.iter().map(String::as_str).collect();
                let printed = run(&["--no-renames"], &paths).await?;
                text.push_str(&printed.text);
                truncated |= printed.truncated;
                if text.len() > MAX_DIFF {
                    truncated = true;
                    break;
                }
            }
            full(&text, truncated)
        }
    };
    if let (Some(told), Value::Object(more)) = (told.as_object_mut(), more) {
        told.extend(more);
    }
    Ok(told)
}

fn names(text: &str) -> Vec<String> {
    let names = text.split('\0').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// Paths that may be told, and those that hold secrets. Asks the disk.
async fn apart(
    workspace: &Workspace,
    paths: Vec<String>,
) -> Result<(Vec<String>, BTreeSet<String>), ToolError> {
    let (places, folder) = (workspace.secrets.clone(), workspace.folder.clone());
    let look = move || {
        let secrets = places.look();
        // A name that is no text cannot be looked at by it.
        let is_hidden = |path: &String| {
            path.contains(char::REPLACEMENT_CHARACTER) || secrets.hide_path(&folder.join(path))
        };
        let (hidden, shown): (Vec<_>, Vec<_>) = paths.into_iter().partition(is_hidden);
        (shown, hidden.into_iter().collect())
    };
    let looked = tokio::task::spawn_blocking(look).await;
    looked.map_err(|_| ToolError::new("the disk does not answer"))
}

fn full(text: &str, truncated: bool) -> Value {
    let (cut_text, cut_off) = cut(text, MAX_DIFF);
    json!({
        "diff": cut_text,
        "bytes": text.len(),
        "truncated": cut_off || truncated,
    })
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

/// Lines added and removed in one file; none of a binary one.
struct Row {
    path: String,
    added: Option<u64>,
    removed: Option<u64>,
}

fn rows(text: &str) -> impl Iterator<Item = Row> + '_ {
    let rows = text.split('\0').filter(|row| !row.is_empty());
    rows.map(|row| {
        let mut parts = row.splitn(3, '\t');
        let mut number = || parts.next().and_then(|number| number.parse::<u64>().ok());
        let (added, removed) = (number(), number());
        Row {
            path: parts.next().unwrap_or_default().to_owned(),
            added,
            removed,
        }
    })
}

fn summary<'a>(rows: impl Iterator<Item = &'a Row>, truncated: bool) -> Value {
    let mut files = Vec::new();
    let (mut added, mut removed, mut count) = (0u64, 0u64, 0usize);
    for row in rows {
        added += row.added.unwrap_or_default();
        removed += row.removed.unwrap_or_default();
        count += 1;
        if files.len() < MAX_FILES {
            files.push(json!({
                "path": row.path,
                "added": row.added,
                "removed": row.removed,
                "binary": row.added.is_none(),
            }));
        }
    }
    json!({
        "files": files, "fileCount": count, "added": added, "removed": removed,
        "truncated": truncated || count > MAX_FILES,
    })
}
