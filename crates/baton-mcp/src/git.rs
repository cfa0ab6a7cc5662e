//! What git says of a workspace: a few commands, made harmless.
//!
//! A repository's own settings can make git run programs, and an agent that may
//! edit files may edit those settings. So hooks are off, git is asked for
//! nothing that needs a pager, a helper or a driver, and it is not run at all
//! where the settings would bring in what cannot be switched off.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use baton_process::{Exit, RunLimits, Spec, run_to_end};
use baton_project::trust::{Kind, survey};
use serde::Serialize;

/// Settings that run something in the commands used here.
const DANGEROUS: &[&str] = &[
    "core.",
    "diff.",
    "filter.",
    "include.",
    "includeif.",
    "lfs.",
];

/// The most that is read of one command's output.
const MAX_OUTPUT: usize = 4 << 20;

/// Runs git with this environment.
#[derive(Debug, Clone)]
pub struct Git {
    pub env: Vec<(OsString, OsString)>,
    /// The user's home and the agent's settings, to look at a repository with.
    pub home: PathBuf,
    pub claude_config: PathBuf,
}

/// Why git has no answer, in words for an agent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("this folder is in no git repository")]
    NoRepository,
    #[error("git is not run here, because the repository's settings would run programs: {0}")]
    Unsafe(String),
    #[error("git cannot be run: {0}")]
    Run(#[from] baton_process::RunError),
    #[error("git refused: {0}")]
    Refused(String),
}

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

impl Git {
    /// Whether git may be run in this folder.
    pub(crate) async fn check(&self, folder: &Path) -> Result<(), GitError> {
        if baton_project::git::facts(folder).is_none() {
            return Err(GitError::NoRepository);
        }
        let (folder, config, home) = (
            folder.to_owned(),
            self.claude_config.clone(),
            self.home.clone(),
        );
        let look = move || survey(&folder, &config, &home);
        let seen = tokio::task::spawn_blocking(look).await;
        let Ok(seen) = seen else {
            return Err(GitError::Unsafe("they could not be read".into()));
        };
        let dangerous = seen.items.iter().find(|item| {
            item.kind == Kind::Git && DANGEROUS.iter().any(|start| item.name.starts_with(start))
        });
        match dangerous {
            Some(item) => Err(GitError::Unsafe(item.name.clone())),
            None => Ok(()),
        }
    }

    /// Runs one command.
    pub(crate) async fn run(&self, folder: &Path, args: &[&str]) -> Result<Printed, GitError> {
        let fixed = [
            "--no-pager",
            "--no-optional-locks",
            "--literal-pathspecs",
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.quotePath=false",
        ];
        let args = fixed.iter().chain(args).map(OsString::from).collect();
        let mut env = self.env.clone();
        env.retain(|(name, _)| !name.to_string_lossy().starts_with("GIT_"));
        env.push(("GIT_TERMINAL_PROMPT".into(), "0".into()));
        env.push(("LC_ALL".into(), "C".into()));
        let spec = Spec {
            program: "git".into(),
            args,
            env,
            cwd: folder.to_owned(),
        };
        let limits = RunLimits {
            time: Duration::from_secs(20),
            output_bytes: MAX_OUTPUT,
        };
        let output = run_to_end(&spec, limits).await?;
        if output.exit != (Exit::Exited { code: 0 }) {
            let said = String::from_utf8_lossy(&output.stderr);
            let said: String = said.trim().chars().take(2000).collect();
            return Err(GitError::Refused(said));
        }
        Ok(Printed {
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
            truncated: output.truncated,
        })
    }

    pub(crate) async fn status(&self, folder: &Path) -> Result<Status, GitError> {
        // Inside a submodule its own settings would count.
        let args = [
            "status",
            "--porcelain=v2",
            "--branch",
            "--ignore-submodules=dirty",
            "-z",
        ];
        Ok(status(&self.run(folder, &args).await?.text))
    }

    /// The commit that a name stands for, if there is one.
    pub(crate) async fn commit(&self, folder: &Path, name: &str) -> Option<String> {
        let name = format!("{name}^{{commit}}");
        let args = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ];
        let printed = self.run(folder, &args).await.ok()?;
        Some(printed.text.trim().to_owned()).filter(|commit| !commit.is_empty())
    }

    /// A branch here, or as the remote has it.
    pub(crate) async fn branch(&self, folder: &Path, name: &str) -> Option<String> {
        for place in ["refs/heads", "refs/remotes/origin", "refs/remotes"] {
            let found = self.commit(folder, &format!("{place}/{name}")).await;
            if found.is_some() {
                return found;
            }
        }
        None
    }
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
