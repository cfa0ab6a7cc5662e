//! Where the workspace stands.

use baton_project::git::GitError;
use serde_json::{Value, json};

use super::{Nothing, Outcome};
use crate::{
    git::{Repository, no_branch},
    workspace::Workspace,
};

pub(super) async fn get(workspace: &Workspace, _: Nothing) -> Outcome {
    let folder = &workspace.folder;
    let issue = workspace.issue.as_deref();
    // A file that cannot be read hides nothing else.
    let issue = match issue.map(|id| workspace.issues.get(id)) {
        Some(Ok(issue)) => json!(issue),
        Some(Err(problem)) => json!({"problem": problem}),
        None => Value::Null,
    };
    let git = match git(workspace).await {
        Ok(git) => git,
        Err(GitError::NoRepository) => Value::Null,
        Err(error) => json!({"problem": error.to_string()}),
    };
    Ok(json!({
        "workspace": folder,
        "conversationId": workspace.conversation,
        "targetBranch": workspace.target_branch,
        "git": git,
        "issue": issue,
    }))
}

async fn git(workspace: &Workspace) -> Result<Value, GitError> {
    let git = Repository::of(workspace).await?;
    let status = git.status().await?;
    let mut told = serde_json::to_value(&status).unwrap_or_default();
    let (Some(branch), Some(fields)) = (&workspace.target_branch, told.as_object_mut()) else {
        return Ok(told);
    };
    let Some(target) = git.branch(branch).await else {
        fields.insert("note".into(), no_branch(branch).into());
        return Ok(told);
    };
    if status.commit.is_some() {
        let range = format!("{target}...HEAD");
        let args = ["rev-list", "--left-right", "--count", &range];
        let counted = git.run(&args).await?;
        let mut numbers = counted.text.split_whitespace();
        let mut number = || numbers.next().and_then(|text| text.parse::<u32>().ok());
        fields.insert("behindTarget".into(), json!(number()));
        fields.insert("aheadOfTarget".into(), json!(number()));
    }
    Ok(told)
}
