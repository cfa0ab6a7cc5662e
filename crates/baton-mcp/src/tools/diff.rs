//! What has changed.

use std::{
    collections::BTreeSet,
    path::{Component, Path},
};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, ToolError, cut};
use crate::{
    git::{Repository, no_branch},
    workspace::Workspace,
};

/// The most of a diff that is given.
const MAX_DIFF: usize = 100 << 10;
/// Paths that are given to git at once.
const BATCH: usize = 200;
/// The most files of a summary.
const MAX_FILES: usize = 500;

/// Said where files are missing.
const LEFT_OUT: &str = "Files that a rule denies reading or asks about are left out.";

/// What every comparison is told, whatever the repository is set to.
const FIXED: &[&str] = &[
    "diff",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    // Inside a submodule its own settings would count.
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--find-renames",
    // Names as `path` and review comments have them, in a folder of a larger
    // repository too.
    "--relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-O/dev/null",
];

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
    let git = Repository::of(workspace).await.map_err(ToolError::new)?;
    let status = git.status().await.map_err(ToolError::new)?;
    let base = Base::of(workspace, &git, status.commit.as_deref()).await?;
    let path = args.path.as_deref().unwrap_or(".");
    let run = async |middle: &[&str], paths: &[&str]| {
        let args: Vec<&str> = [FIXED, middle, &[base.tree.as_str(), "--"], paths].concat();
        git.run(&args).await.map_err(ToolError::new)
    };
    let others = [
        "ls-files",
        "--others",
        "--exclude-standard",
        "-z",
        "--",
        path,
    ];
    let untracked = git.run(&others).await.map_err(ToolError::new)?;
    let untracked = names(&untracked.text);
    let untracked = apart(workspace, untracked).await?;
    let shown: Vec<&String> = untracked.shown.iter().take(MAX_FILES).collect();
    let mut told = json!({
        "comparedWith": base.name,
        "untracked": shown,
        "untrackedCount": untracked.shown.len(),
    });
    if let (Some(told), Some(note)) = (told.as_object_mut(), base.note) {
        told.insert("note".into(), note.into());
    }
    let counted = run(&["--numstat", "-z"], &[path]).await?;
    let rows = rows(&counted.text);
    let changed = rows.iter().flat_map(Row::paths).collect();
    let Apart {
        shown: changed,
        hidden,
        withheld,
    } = apart(workspace, changed).await?;
    let left_out = untracked.withheld + withheld;
    let more = match args.detail {
        Detail::Summary => summary(
            rows.iter()
                .filter(|row| !row.paths().any(|path| hidden.contains(&path))),
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
                let printed = run(&[], &paths).await?;
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
        if left_out > 0 {
            told.insert("leftOut".into(), left_out.into());
            told.insert("leftOutWhy".into(), LEFT_OUT.into());
        }
    }
    Ok(told)
}

fn names(text: &str) -> Vec<String> {
    let names = text.split('\0').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

#[derive(Default)]
struct Apart {
    /// What may be told.
    shown: Vec<String>,
    /// What may not: it holds secrets, or a rule keeps it from the agent.
    hidden: BTreeSet<String>,
    /// How many of these a rule keeps.
    withheld: usize,
}

/// Tells paths apart by who may see them. Asks the disk.
async fn apart(workspace: &Workspace, paths: Vec<String>) -> Result<Apart, ToolError> {
    let workspace = workspace.clone();
    let look = move || {
        let secrets = workspace.secrets.look();
        let mut apart = Apart::default();
        for name in paths {
            let path = workspace.folder.join(&name);
            // A name that is no text cannot be looked at by it.
            let secret = name.contains(char::REPLACEMENT_CHARACTER) || secrets.hide_path(&path);
            let withheld = !secret && (workspace.withheld)(&path);
            apart.withheld += usize::from(withheld);
            if secret || withheld {
                apart.hidden.insert(name);
            } else {
                apart.shown.push(name);
            }
        }
        apart
    };
    let looked = tokio::task::spawn_blocking(look).await;
    looked.map_err(|_| ToolError::new("the disk does not answer"))
}

fn full(text: &str, truncated: bool) -> Value {
    let (cut_text, cut_off) = cut(text, MAX_DIFF);
    json!({
        "diff": cut_text,
        // Unknown where git was not heard to its end.
        "bytes": (!truncated).then_some(text.len()),
        "truncated": cut_off || truncated,
    })
}

fn leads_out(path: &str) -> bool {
    let parts = Path::new(path).components();
    parts
        .into_iter()
        .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}

/// What the work tree is compared with.
struct Base {
    tree: String,
    /// In words.
    name: String,
    /// Why it is not what was asked for.
    note: Option<String>,
}

impl Base {
    async fn of(
        workspace: &Workspace,
        git: &Repository,
        head: Option<&str>,
    ) -> Result<Self, ToolError> {
        let Some(head) = head else {
            // The tree of nothing, which every repository knows.
            let empty = git.run(&["hash-object", "-t", "tree", "/dev/null"]).await;
            return Ok(Self {
                tree: empty.map_err(ToolError::new)?.text.trim().to_owned(),
                name: "nothing: there is no commit yet".into(),
                note: None,
            });
        };
        let last = |note| Self {
            tree: head.to_owned(),
            name: "the last commit".into(),
            note,
        };
        let Some(branch) = &workspace.target_branch else {
            return Ok(last(None));
        };
        let Some(target) = git.branch(branch).await else {
            return Ok(last(Some(no_branch(branch))));
        };
        match git.run(&["merge-base", target.as_str(), head]).await {
            Ok(common) => Ok(Self {
                tree: common.text.trim().to_owned(),
                name: format!("where it left {branch}"),
                note: None,
            }),
            Err(_) => Ok(last(Some(format!(
                "the target branch {branch} has nothing in common with this one"
            )))),
        }
    }
}

/// Lines added and removed in one file; none of a binary one.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    path: String,
    old_path: Option<String>,
    added: Option<u64>,
    removed: Option<u64>,
}

impl Row {
    fn paths(&self) -> impl Iterator<Item = String> + use<> {
        let both = [Some(self.path.clone()), self.old_path.clone()];
        both.into_iter().flatten()
    }
}

/// `12<tab>3<tab>path`, or without a path and with the old and the new one
/// behind it. What is cut off at the end is left out.
fn rows(text: &str) -> Vec<Row> {
    let mut fields = text.split('\0');
    let mut rows = Vec::new();
    while let Some(head) = fields.next().filter(|head| !head.is_empty()) {
        let mut parts = head.splitn(3, '\t');
        let mut number = || parts.next().and_then(|number| number.parse::<u64>().ok());
        let (added, removed) = (number(), number());
        let (old_path, path) = match parts.next() {
            Some("") => (fields.next(), fields.next()),
            path => (None, path),
        };
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            break;
        };
        rows.push(Row {
            path: path.to_owned(),
            old_path: old_path.map(str::to_owned),
            added,
            removed,
        });
    }
    rows
}

fn summary<'a>(rows: impl Iterator<Item = &'a Row>, truncated: bool) -> Value {
    let mut files = Vec::new();
    let (mut added, mut removed, mut count) = (0u64, 0u64, 0usize);
    for row in rows {
        added += row.added.unwrap_or_default();
        removed += row.removed.unwrap_or_default();
        count += 1;
        if files.len() < MAX_FILES {
            let mut file = json!({
                "path": row.path,
                "added": row.added,
                "removed": row.removed,
                "binary": row.added.is_none(),
            });
            if let (Some(file), Some(old)) = (file.as_object_mut(), &row.old_path) {
                file.insert("oldPath".into(), old.as_str().into());
            }
            files.push(file);
        }
    }
    json!({
        "files": files, "fileCount": count, "added": added, "removed": removed,
        "truncated": truncated || count > MAX_FILES,
    })
}
