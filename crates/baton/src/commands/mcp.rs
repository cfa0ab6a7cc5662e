//! `baton mcp`: Baton's own MCP server, for any agent.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_mcp::{Git, IssueProvider, LinearIssues, LocalIssues, Proposals, Server, Workspace};
use baton_project::comments::Comments;
use baton_session::{RealWorld, World, project_id};
use baton_stdio::{Flags, Options};

use super::around::project_around;
use crate::{
    cli::McpArgs,
    daemon::VERSION,
    failure::{Exit, Failure},
    setup::Setup,
};

pub(crate) async fn mcp(setup: &Setup, args: &McpArgs) -> Result<Exit, Failure> {
    let folder = folder(args.cwd.as_deref())?;
    let flags = Flags {
        linear_issue: args.issue.clone().or_else(|| args.linear_issue.clone()),
        target_branch: args.target_branch.clone(),
        ..Flags::default()
    };
    if let Err(bad) = Options::check(flags) {
        let flag = match bad.flag {
            "--linear-issue" if args.issue.is_some() => "--issue",
            flag => flag,
        };
        return Err(Failure::usage(
            format!("{flag}: {}", bad.why),
            "`baton mcp --help` lists the flags.",
        ));
    }
    // Remarks of a project are found from each of its folders. Without a log
    // that can be read they are the folder's own.
    let project = project_around(setup, &folder).await.ok().flatten();
    let work = Work {
        project,
        conversation: None,
        target_branch: args.target_branch.clone(),
        issue: args.issue.clone().or_else(|| args.linear_issue.clone()),
        is_linear: args.linear_issue.is_some(),
        proposals: Proposals::Leave,
    };
    let server = workspace_server(setup, &folder, work);
    baton_mcp::serve(&server, tokio::io::stdin(), tokio::io::stdout())
        .await
        .map_err(|error| Failure::output(&error))?;
    Ok(Exit::Success)
}

/// What is worked on, and how far tools may go.
pub(crate) struct Work {
    /// The project's folder, where that is around the one that is worked in.
    pub(crate) project: Option<PathBuf>,
    pub(crate) conversation: Option<String>,
    pub(crate) target_branch: Option<String>,
    pub(crate) issue: Option<String>,
    pub(crate) is_linear: bool,
    pub(crate) proposals: Proposals,
}

/// The server for a folder. Review comments are kept in the user's own data
/// folder, whoever adds them.
pub(crate) fn workspace_server(setup: &Setup, folder: &str, work: Work) -> Server {
    let path = Path::new(folder);
    let agents = &setup.agents;
    let secrets = agents.secrets(&setup.data);
    let issues: Arc<dyn IssueProvider> = if work.is_linear {
        Arc::new(LinearIssues::of(path, secrets.clone()))
    } else {
        Arc::new(LocalIssues::of(path, secrets.clone()))
    };
    let project = work.project.unwrap_or_else(|| path.to_owned());
    let comments = project_id(&project.to_string_lossy());
    let comments = comments_folder(setup).join(format!("{comments}.jsonl"));
    let workspace = Workspace {
        folder: path.to_owned(),
        project,
        conversation: work.conversation,
        target_branch: work.target_branch,
        issue: work.issue,
        issues,
        comments: Comments::at(&comments),
        secrets: secrets.clone(),
        // Rules are a session's.
        withheld: Arc::new(|_| false),
        proposals: work.proposals,
        git: Git::new(&setup.tool_env()),
        now: Arc::new(|| RealWorld.now()),
        fresh_id: Arc::new(|| RealWorld.id()),
    };
    Server::new(workspace, VERSION)
}

/// Where review comments are kept, one file for each project.
pub(crate) fn comments_folder(setup: &Setup) -> PathBuf {
    setup.data.join("comments")
}

/// The whole path of the folder to work in.
pub(super) fn folder(named: Option<&Path>) -> Result<String, Failure> {
    let named = match named {
        Some(named) => named.to_owned(),
        None => std::env::current_dir().unwrap_or_default(),
    };
    let whole = named.canonicalize().ok().filter(|whole| whole.is_dir());
    let whole = whole.and_then(|whole| whole.to_str().map(str::to_owned));
    whole.ok_or_else(|| {
        Failure::usage(
            format!("--cwd: {} is no folder", named.display()),
            "Name a folder that exists.",
        )
    })
}
