//! `cargo xtask`: the repository's chores from the command line.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::attack::{Part, Shell};
use xtask::repository::Tree;
use xtask::{attack, bench, codegen, dist, tidy};

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
    /// Attacks the permission rules, with the real shell as the judge
    Attack {
        /// How many random lines are judged
        #[arg(long, default_value_t = 1_000_000)]
        lines: u64,
        /// Which lines: the same number makes the same ones
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Only say how often people are asked on a usual day
        #[arg(long)]
        everyday: bool,
        /// Only try the list of ways around denials
        #[arg(long, conflicts_with = "everyday")]
        evasions: bool,
        /// Only run this line, and say where it passes and what it does
        #[arg(long, value_name = "COMMAND")]
        line: Option<String>,
        /// Run lines in zsh, which some users' agents do, instead of bash
        #[arg(long)]
        zsh: bool,
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
        Chore::Attack {
            lines,
            seed,
            everyday,
            evasions,
            line,
            zsh,
        } => {
            let shell = if zsh { Shell::Zsh } else { Shell::Bash };
            if let Some(line) = line {
                attack::look(&line, shell, &mut out)?;
                return Ok(ExitCode::SUCCESS);
            }
            let part = match (everyday, evasions) {
                (true, _) => Part::Everyday,
                (_, true) => Part::Evasions,
                (false, false) => Part::Everything,
            };
            return Ok(exit_code(attack::run(part, lines, seed, shell, &mut out)?));
        }
        Chore::DistCheck => dist::check(&mut out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn exit_code(success: bool) -> ExitCode {
    if success {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
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
