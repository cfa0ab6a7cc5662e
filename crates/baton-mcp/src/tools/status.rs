//! Where the workspace stands.

use serde_json::{Value, json};

use super::{Nothing, Outcome};
use crate::{git::GitError, workspace::Workspace};

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
    let (git, folder) = (&workspace.git, &workspace.folder);
    git.check(folder).await?;
    let status = git.status(folder).await?;
    let mut told = serde_json::to_value(&status).unwrap_or_default();
    let target = match &workspace.target_branch {
        Some(branch) => git.branch(folder, branch).await,
        None => None,
    };
    if let (Some(target), Some(fields)) = (target, told.as_object_mut()) {
        let range = format!("{target}...HEAD");
        let args = ["rev-list", "--left-right", "--count", &range];
        let counted = git.run(folder, &args).await?;
        let mut numbers = counted.text.split_whitespace();
        let mut number = || numbers.next().and_then(|text| text.parse::<u32>().ok());
        fields.insert("behindTarget".into(), json!(number()));
        fields.insert("aheadOfTarget".into(), json!(number()));
    }
    Ok(told)
}
