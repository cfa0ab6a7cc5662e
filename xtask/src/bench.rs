//! Runs the benchmarks of all crates, one after the other.

use std::io::Write;

use anyhow::ensure;

use crate::cargo;
use crate::metadata::Metadata;

/// Runs every benchmark whose name contains `filter`.
pub fn run(filter: &str, out: &mut impl Write) -> anyhow::Result<()> {
    let metadata = Metadata::of_this_repository()?;
    let benches = benches(&metadata, filter);
    ensure!(
        !benches.is_empty(),
        "no benchmark has {filter:?} in its name"
    );
    // They start the program and the fake agent, which cargo would not build for them.
    cargo::run(&[
        "build",
        "--quiet",
        "--release",
        "--bins",
        "--package=baton",
        "--package=baton-testkit",
    ])?;
    for (package, bench) in &benches {
        writeln!(out, "==> {package}: {bench}")?;
        cargo::run(&["bench", "--quiet", "--package", package, "--bench", bench])?;
    }
    writeln!(
        out,
        "\n{} run. Numbers worth keeping go to docs/performance.md, with the machine and the date.",
        benches.len()
    )?;
    Ok(())
}

/// Package and name of each benchmark, in the order of the workspace.
pub fn benches(metadata: &Metadata, filter: &str) -> Vec<(String, String)> {
    metadata
        .members()
        .flat_map(|package| package.targets.iter().map(move |target| (package, target)))
        .filter(|(_, target)| target.kind.iter().any(|kind| kind == "bench"))
        .filter(|(_, target)| target.name.contains(filter))
        .map(|(package, target)| (package.name.clone(), target.name.clone()))
        .collect()
}
