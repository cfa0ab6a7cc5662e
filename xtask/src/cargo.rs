//! Starts cargo, the only program these chores run besides what they built.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::repository;

/// Runs cargo in the repository and returns what it printed on stdout.
pub(crate) fn output(arguments: &[&str]) -> anyhow::Result<String> {
    let output = command(Path::new("cargo"))
        .args(arguments)
        .output()
        .context("cannot start cargo")?;
    ensure!(
        output.status.success(),
        "cargo {} failed: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    String::from_utf8(output.stdout).context("cargo printed something that is not UTF-8")
}

/// Runs cargo in the repository with the terminal as its output.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let status = command(Path::new("cargo"))
        .args(arguments)
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "cargo {} failed", arguments.join(" "));
    Ok(())
}

/// A command that starts in the repository's root.
#[expect(
    clippy::disallowed_methods,
    reason = "chores run cargo and its products to completion; no agent is started here"
)]
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(repository::root());
    command
}
