//! Checks the binary that would be shipped.

use std::fs;
use std::io::Write;

use anyhow::{Context as _, ensure};

use crate::cargo;
use crate::metadata::Metadata;

/// The largest release binary that passes.
///
/// The same file is the holder, of which one runs per agent, so size is
/// start-up time and page cache as well as download.
const CEILING_BYTES: u64 = 16 * 1024 * 1024;

/// Builds `baton` as released and checks its size and that it starts alone.
pub fn check(out: &mut impl Write) -> anyhow::Result<()> {
    cargo::run(&[
        "build",
        "--quiet",
        "--locked",
        "--release",
        "--package",
        "baton",
    ])?;
    let binary = Metadata::of_this_repository()?
        .target_directory
        .join("release/baton");
    let bytes = fs::metadata(&binary)
        .with_context(|| format!("cannot find {}", binary.display()))?
        .len();
    ensure!(
        bytes <= CEILING_BYTES,
        "the release binary has {bytes} bytes, the ceiling is {CEILING_BYTES}"
    );
    let output = cargo::command(&binary)
        .arg("--version")
        .env_clear()
        .output()
        .context("the release binary does not start")?;
    ensure!(
        output.status.success(),
        "baton --version fails without an environment: {}",
        output.status
    );
    write!(out, "{}", String::from_utf8_lossy(&output.stdout))?;
    writeln!(out, "{bytes} bytes of at most {CEILING_BYTES}")?;
    Ok(())
}
