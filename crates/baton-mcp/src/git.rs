//! What git says of a workspace.
//!
//! How git is run so that nothing in a repository runs with it is
//! `baton_project::git`'s; here is what is asked.

use std::time::Duration;

use baton_process::RunLimits;
use baton_project::git::{GitError, GitFolder};
use serde::Serialize;

use crate::workspace::Workspace;

/// What one command may take and say.
const LIMITS: RunLimits = RunLimits {
    time: Duration::from_secs(20),
    output_bytes: 4 << 20,
};

/// The repository of a workspace.
pub(crate) struct Repository(GitFolder);

/// What git printed.
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) truncated: bool,
}

/// Where a work tree stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    /// None on a detached head.
    pub(crate) branch: Option<String>,
    /// None before the first commit.
    pub(crate) commit: Option<String>,
    pub(crate) staged: u32,
    pub(crate) unstaged: u32,
    pub(crate) untracked: u32,
    pub(crate) conflicted: u32,
    /// Against the branch that is followed.
    pub(crate) ahead: Option<u32>,
    pub(crate) behind: Option<u32>,
}

impl Repository {
    pub(crate) async fn of(workspace: &Workspace) -> Result<Self, GitError> {
        Ok(Self(workspace.git.at(&workspace.folder).await?))
    }

    /// Runs one command.
    pub(crate) async fn run(&self, args: &[&str]) -> Result<Printed, GitError> {
        // Names are for reading, in diffs too.
        let args = ["-c", "core.quotePath=false"].iter().chain(args);
        let output = self.0.run(args, LIMITS).await?;
        Ok(Printed {
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
            truncated: output.truncated,
        })
    }

    /// How the workspace's folder stands, which may be a part of the work tree.
    pub(crate) async fn status(&self) -> Result<Status, GitError> {
        let args = [
            "status",
            "--porcelain=v2",
            "--branch",
            "--untracked-files=all",
            // Inside a submodule its own settings would count.
            "--ignore-submodules=dirty",
            "-z",
            "--",
            ".",
        ];
        Ok(status(&self.run(&args).await?.text))
    }

    /// The commit that a name stands for, if there is one.
    pub(crate) async fn commit(&self, name: &str) -> Option<String> {
        let name = format!("{name}^{{commit}}");
        let args = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ];
        let printed = self.run(&args).await.ok()?;
        Some(printed.text.trim().to_owned()).filter(|commit| !commit.is_empty())
    }

    /// A branch here, or as the remote has it.
    pub(crate) async fn branch(&self, name: &str) -> Option<String> {
        for place in ["refs/heads", "refs/remotes/origin", "refs/remotes"] {
            let found = self.commit(&format!("{place}/{name}")).await;
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Said where the branch that the work is to go back to is not there.
pub(crate) fn no_branch(name: &str) -> String {
    format!("there is no branch {name}, here or at a remote")
}

/// Reads `git status --porcelain=v2 --branch -z`.
fn status(text: &str) -> Status {
    let mut status = Status {
        branch: None,
        commit: None,
        staged: 0,
        unstaged: 0,
        untracked: 0,
        conflicted: 0,
        ahead: None,
        behind: None,
    };
    let mut rows = text.split('\0');
    while let Some(row) = rows.next() {
        let (kind, rest) = row.split_once(' ').unwrap_or((row, ""));
        match kind {
            "#" => header(&mut status, rest),
            "1" | "2" => {
                let mut marks = rest.chars();
                status.staged += u32::from(marks.next().is_some_and(|mark| mark != '.'));
                status.unstaged += u32::from(marks.next().is_some_and(|mark| mark != '.'));
                if kind == "2" {
                    // The name it had before stands in a row of its own.
                    rows.next();
                }
            }
            "u" => status.conflicted += 1,
            "?" => status.untracked += 1,
            _ => {}
        }
    }
    status
}

fn header(status: &mut Status, rest: &str) {
    let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
    match name {
        "branch.head" if value != "(detached)" => status.branch = Some(value.to_owned()),
        "branch.oid" if value != "(initial)" => status.commit = Some(value.to_owned()),
        "branch.ab" => {
            let mut numbers = value
                .split(' ')
                .map(|number| number.trim_start_matches(['+', '-']).parse().ok());
            status.ahead = numbers.next().flatten();
            status.behind = numbers.next().flatten();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renames_conflicts_and_strangers_are_counted_apart() {
        let text = "# branch.oid abc\0# branch.head main\0# branch.ab +2 -1\0\
            1 M. N... 100644 100644 100644 a b one.txt\0\
            2 RM N... 100644 100644 100644 a b R100 new.txt\0old.txt\0\
            u UU N... 1 2 3 4 a b c both.txt\0? stranger.txt\0";
        let status = status(text);
        assert_eq!(status.branch.as_deref(), Some("main"));
        assert_eq!((status.ahead, status.behind), (Some(2), Some(1)));
        let counts = (status.staged, status.unstaged, status.untracked);
        assert_eq!((counts, status.conflicted), ((2, 1, 1), 1));
    }
}
