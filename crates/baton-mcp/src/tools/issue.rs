//! The issue that is worked on.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Outcome, ToolError};
use crate::{
    git::{Repository, no_branch},
    issues::{Issue, is_id},
    workspace::Workspace,
};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Get {
    /// Another issue than the one being worked on.
    issue: Option<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Start {
    /// Another issue than the one being worked on.
    issue: Option<String>,
    /// The branch's name; made from the issue if none is given.
    branch: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Update {
    /// Another issue than the one being worked on.
    #[serde(default)]
    issue: Option<String>,
    /// Where it stands now, such as `in_review`; 1 to 40 characters.
    status: String,
}

pub(super) async fn get(workspace: &Workspace, args: Get) -> Outcome {
    let issue = find(workspace, args.issue)?;
    Ok(json!({"issue": issue}))
}

pub(super) async fn start(workspace: &Workspace, args: Start) -> Outcome {
    let mut issue = find(workspace, args.issue)?;
    let git = Repository::of(workspace).await.map_err(ToolError::new)?;
    let branch = args.branch.or_else(|| issue.branch.clone());
    let branch = branch.unwrap_or_else(|| branch_of(&issue));
    let name = ["check-ref-format", "--branch", &branch];
    if branch.starts_with('-') || git.run(&name).await.is_err() {
        return Err(ToolError::new("`branch` is no name for a branch"));
    }
    let there = git.commit(&format!("refs/heads/{branch}")).await;
    let made = there.is_none();
    let base = match &workspace.target_branch {
        Some(target) if made => {
            let found = git.branch(target).await;
            Some(found.ok_or_else(|| ToolError::new(no_branch(target)))?)
        }
        Some(_) | None => None,
    };
    let mut switch = vec!["switch"];
    if made {
        switch.extend(["--no-track", "--create"]);
    }
    switch.push(&branch);
    switch.extend(base.as_deref());
    git.run(&switch).await.map_err(ToolError::new)?;
    issue.branch = Some(branch.clone());
    issue.status = Some("in_progress".into());
    workspace.issues.put(&issue).map_err(ToolError::new)?;
    Ok(json!({"issue": issue, "branch": branch, "created": made}))
}

pub(super) async fn update(workspace: &Workspace, args: Update) -> Outcome {
    let status = args.status.trim();
    if status.is_empty() || status.chars().count() > 40 {
        return Err(ToolError::new("`status` has 1 to 40 characters"));
    }
    let mut issue = find(workspace, args.issue)?;
    issue.status = Some(status.to_owned());
    workspace.issues.put(&issue).map_err(ToolError::new)?;
    Ok(json!({"issue": issue, "note": "It is kept in this workspace; no tracker was told."}))
}

fn find(workspace: &Workspace, named: Option<String>) -> Result<Issue, ToolError> {
    let Some(id) = named.or_else(|| workspace.issue.clone()) else {
        return Err(ToolError::new(
            "no issue is being worked on here; name one with `issue`",
        ));
    };
    if !is_id(&id) {
        return Err(ToolError::new(
            "an issue's id has letters, digits, - and _, 64 at most",
        ));
    }
    let file = format!("issues/{id}.json");
    workspace.shows(&file).map_err(ToolError::new)?;
    let found = workspace.issues.get(&id).map_err(ToolError::new)?;
    found.ok_or_else(|| {
        ToolError::new(format!(
            "there is no issue {id}: .baton/issues/{id}.json is not there"
        ))
    })
}

/// `lin-123-fix-the-parser`
fn branch_of(issue: &Issue) -> String {
    let text = format!(
        "{} {}",
        issue.id,
        issue.title.as_deref().unwrap_or_default()
    );
    let mut branch = String::new();
    for c in text.chars().take(100) {
        if c.is_ascii_alphanumeric() {
            branch.push(c.to_ascii_lowercase());
        } else if !branch.ends_with('-') {
            branch.push('-');
        }
        if branch.len() >= 60 {
            break;
        }
    }
    branch.trim_matches('-').to_owned()
}
