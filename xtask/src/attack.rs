//! Attacks on the permission rules, with the real shell as the judge.
//!
//! `hunt` is the fuzzer: lines made at random are judged in many situations,
//! and what passes unasked is run in a sandbox, where nothing that the
//! situation forbids may happen. `evasions` makes ways around denials, each of
//! which has to be denied, asked about, or of a documented class. `everyday`
//! counts what the rules cost: how often people are asked on a usual day.
//! Only `gate` knows the rules. Nothing here is part of the product.

pub mod evasions;
pub mod everyday;

mod documented;
mod fixture;
mod gate;
mod hunt;
mod lines;
mod minimise;
mod options;
mod oracle;
mod programs;
mod random;
mod sandbox;
mod spell;
mod trials;
mod zsh;

use std::io::Write;
use std::num::NonZeroUsize;

use evasions::Tally;
use everyday::Kind;
pub use fixture::Touched;
use hunt::Hunt;
pub use hunt::{Found, Plan, Progress};
pub use minimise::minimised;
pub use sandbox::{Deeds, Sandbox, Shell};

const BYPASSES: &str = include_str!("../../crates/baton-rules/tests/it/bypasses.txt");

/// What `cargo xtask attack` is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The ways around denials, then the fuzzer.
    Everything,
    /// Only how often people are asked.
    Everyday,
    /// Only the ways around denials.
    Evasions,
}

/// Does the wanted part, prints what was found, and says whether all is well.
pub fn run(
    part: Part,
    lines: u64,
    seed: u64,
    shell: Shell,
    out: &mut impl Write,
) -> anyhow::Result<bool> {
    let mut well = true;
    print_everyday(out)?;
    if part == Part::Everyday {
        writeln!(out, "Reading commands that are asked about without rules:")?;
        for line in everyday::asked_without_rules(Kind::Reading)? {
            writeln!(out, "  {}", line.replace('\n', "⏎"))?;
        }
        return Ok(true);
    }
    let tally = evasions::tally()?;
    print_evasions(&tally, out)?;
    well &= tally.findings.is_empty();
    if part == Part::Everything {
        let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let plan = Plan {
            seed,
            lines,
            workers,
            shell,
        };
        let found = fuzz(plan, |at| {
            let Progress {
                judged, run, holes, ..
            } = at;
            writeln!(out, "{judged} lines judged, {run} run, {holes} holes")?;
            for line in at.fresh {
                writeln!(out, "    {line:?}")?;
            }
            Ok(out.flush()?)
        })?;
        print_found(&found, seed, out)?;
        well &= found.holes.is_empty();
    }
    Ok(well)
}

/// How many lines are tried between two words on how far it is.
const STRETCH: u64 = 20_000;

/// Hunts with everything that is known as a start, and tells how far it is.
pub fn fuzz(
    plan: Plan,
    mut tell: impl FnMut(Progress) -> anyhow::Result<()>,
) -> anyhow::Result<Found> {
    let mut hunt = prepared(plan.shell)?;
    let mut done = 0;
    while done < plan.lines {
        let next = (done + STRETCH).min(plan.lines);
        tell(hunt.search(plan, done..next)?)?;
        done = next;
    }
    hunt.finish()
}

/// Runs one line and prints where it passes and what it does.
pub fn look(line: &str, shell: Shell, out: &mut impl Write) -> anyhow::Result<()> {
    prepared(shell)?.look(line, out)
}

fn prepared(shell: Shell) -> anyhow::Result<Hunt> {
    let everyday: Vec<String> = everyday::list().into_iter().map(|(_, line)| line).collect();
    let bypasses = BYPASSES
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("##"))
        .map(|line| line.replace("\\n", "\n").replace("\\t", "\t"));
    let evasions = evasions::evasions()?
        .into_iter()
        .map(|evasion| evasion.line);
    let words = lines::Words::new(bypasses.chain(evasions).collect(), everyday.clone(), shell);
    Hunt::new(words, everyday, shell)
}

fn print_everyday(out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "Everyday commands that a person is asked about, in default mode:"
    )?;
    writeln!(
        out,
        "            commands  no rules  first time  second time"
    )?;
    for (kind, asked) in everyday::asked()? {
        let share = |count: usize| format!("{count} ({} %)", count * 100 / asked.commands.max(1));
        let kind = match kind {
            Kind::Reading => "reading",
            Kind::Building => "building",
            Kind::Changing => "changing",
        };
        writeln!(
            out,
            "  {kind:<10}{:>8}  {:>10}  {:>10}  {:>10}",
            asked.commands,
            share(asked.no_rules),
            share(asked.first_time),
            share(asked.second_time)
        )?;
    }
    Ok(())
}

fn print_evasions(tally: &Tally, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "{} evasions: {} denied, {} asked, {} pass undocumented",
        tally.all(),
        tally.denied,
        tally.asked,
        tally.findings.len()
    )?;
    for (class, count) in &tally.documented {
        writeln!(out, "  {count} pass as documented: {class}")?;
    }
    for finding in &tally.findings {
        writeln!(out, "EVASION of {}: {:?}", finding.rule, finding.line)?;
    }
    Ok(())
}

fn print_found(found: &Found, seed: u64, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "{} lines with seed {seed} ({} of them repeated): {} passed, {} were run, {} of those stopped",
        found.lines, found.repeated, found.passed, found.run, found.stopped
    )?;
    for (name, count) in &found.by_trial {
        writeln!(out, "  {count:>8} passed: {name}")?;
    }
    if let Some(line) = &found.shortest_documented {
        let count = found.documented;
        writeln!(
            out,
            "{count} times a text was run that a rule does not see, such as {line:?}"
        )?;
    }
    let all: u64 = found.holes.values().map(|(count, _)| count).sum();
    writeln!(out, "{all} holes in {} classes", found.holes.len())?;
    for (class, (count, examples)) in &found.holes {
        writeln!(out, "HOLE {count} × {class}")?;
        for example in examples {
            writeln!(out, "    {example:?}")?;
        }
    }
    Ok(())
}
