//! `cargo xtask`: the repository's chores from the command line.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::repository::Tree;
use xtask::{bench, codegen, dist, tidy};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The repository's chores")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Writes the generated files anew
    Codegen,
    /// Checks lengths, layout, text and documents, and prints warnings too
    Tidy,
    /// Runs the benchmarks of all crates
    Bench {
        /// Only those with this in their name
        #[arg(default_value = "")]
        filter: String,
    },
    /// Builds the release binary and checks its size and that it starts
    DistCheck,
}

fn main() -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    match Arguments::parse().chore {
        Chore::Codegen => codegen::write(&mut out)?,
        Chore::Tidy => return tidy(&mut out),
        Chore::Bench { filter } => bench::run(&filter, &mut out)?,
        Chore::DistCheck => dist::check(&mut out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn tidy(out: &mut impl io::Write) -> anyhow::Result<ExitCode> {
    let report = tidy::report(&Tree::of_this_repository()?, tidy::EXCEPTIONS);
    for warning in &report.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    for problem in &report.problems {
        writeln!(out, "error: {problem}")?;
    }
    Ok(if report.problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
