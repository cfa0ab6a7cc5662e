//! The fuzzer: makes lines, judges them, runs those that pass, and reports what
//! should not have happened.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::Range;

use anyhow::Context as _;

use super::documented::is_documented;
use super::gate::Question;
use super::lines::Words;
use super::minimise::minimised;
use super::oracle::harm;
use super::random::Random;
use super::sandbox::{Sandbox, Shell};
use super::trials::{Trial, Trials};

/// How many examples of a class are made small.
const EXAMPLES: u64 = 6;

/// How a hunt is done.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub seed: u64,
    pub lines: u64,
    pub workers: NonZeroUsize,
    /// What runs the lines that pass.
    pub shell: Shell,
}

/// What a hunt found.
#[derive(Debug, Default)]
pub struct Found {
    pub lines: u64,
    /// Lines that passed in at least one situation.
    pub passed: u64,
    pub run: u64,
    /// Lines that a worker had before; only what was answered before them differs.
    pub repeated: u64,
    /// Lines that had to be stopped.
    pub stopped: u64,
    /// How many lines passed in each situation.
    pub by_trial: BTreeMap<String, u64>,
    /// How many did what is documented as not seen, and the shortest of them.
    pub documented: u64,
    pub shortest_documented: Option<String>,
    /// How many holes each class has, and small examples.
    pub holes: BTreeMap<String, (u64, Vec<String>)>,
}

/// How far a hunt is.
#[derive(Debug)]
pub struct Progress {
    pub judged: u64,
    pub run: u64,
    pub holes: usize,
    /// Lines that were found last, as they were made.
    pub fresh: Vec<String>,
}

struct Hole {
    class: String,
    index: u64,
    line: String,
    trial: usize,
}

/// Everything that a hunt needs.
pub(super) struct Hunt {
    words: Words,
    everyday: Vec<String>,
    trials: Trials,
    sandbox: Sandbox,
    found: Found,
    holes: Vec<Hole>,
}

#[derive(Default)]
struct Share {
    found: Found,
    holes: Vec<Hole>,
}

impl Hunt {
    pub(super) fn new(words: Words, everyday: Vec<String>, shell: Shell) -> anyhow::Result<Self> {
        let mut sandbox = Sandbox::new(shell)?;
        let trials = Trials::new(&everyday, &mut sandbox)?;
        Ok(Self {
            words,
            everyday,
            trials,
            sandbox,
            found: Found::default(),
            holes: Vec::new(),
        })
    }

    /// Judges and runs the lines with these numbers.
    pub(super) fn search(&mut self, plan: Plan, lines: Range<u64>) -> anyhow::Result<Progress> {
        let (words, trials) = (&self.words, &self.trials);
        let shares: Vec<anyhow::Result<Share>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..plan.workers.get())
                .map(|worker| {
                    let lines = lines.clone();
                    scope.spawn(move || work(plan, worker, lines, words, trials))
                })
                .collect();
            workers
                .into_iter()
                .map(|worker| {
                    worker
                        .join()
                        .unwrap_or_else(|_| anyhow::bail!("a worker failed"))
                })
                .collect()
        });
        for share in shares {
            let share = share?;
            self.found.add(share.found);
            self.holes.extend(share.holes);
        }
        self.found.lines += lines.end - lines.start;
        let fresh = self.holes.iter().filter(|hole| lines.contains(&hole.index));
        let fresh: BTreeSet<String> = fresh.map(|hole| hole.line.clone()).collect();
        Ok(Progress {
            judged: lines.end,
            run: self.found.run,
            holes: self.holes.len(),
            fresh: fresh.into_iter().collect(),
        })
    }

    /// Runs one line and says where it passes and what it did: for a look at a hole.
    pub(super) fn look(&mut self, line: &str, out: &mut impl Write) -> anyhow::Result<()> {
        let deeds = self.sandbox.run(line)?;
        let question = Question::new(line);
        for (_, trial) in self
            .trials
            .fixed()
            .filter(|(_, trial)| trial.passes(&question))
        {
            let what = harm(&trial.forbids, &deeds).unwrap_or_else(|| "no harm".to_owned());
            let seen = if is_documented(&trial.forbids, line, &deeds) {
                " (documented)"
            } else {
                ""
            };
            writeln!(out, "passes, {what}{seen}: {}", trial.name)?;
        }
        for words in &deeds.ran {
            writeln!(out, "ran {words:?}")?;
        }
        for path in &deeds.touched.read {
            writeln!(out, "read {path}")?;
        }
        for path in &deeds.touched.changed {
            writeln!(out, "changed {path}")?;
        }
        Ok(write!(out, "{}", deeds.printed)?)
    }

    /// What was found, with short examples.
    pub(super) fn finish(mut self) -> anyhow::Result<Found> {
        shorten(
            &mut self.found,
            self.holes,
            &self.trials,
            &self.everyday,
            &mut self.sandbox,
        )?;
        Ok(self.found)
    }
}

impl Found {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.run += other.run;
        self.repeated += other.repeated;
        self.stopped += other.stopped;
        self.documented += other.documented;
        if let Some(line) = other.shortest_documented {
            self.keep_shortest(line);
        }
        for (name, count) in other.by_trial {
            *self.by_trial.entry(name).or_default() += count;
        }
    }
}

impl Found {
    fn document(&mut self, line: String) {
        self.documented += 1;
        self.keep_shortest(line);
    }

    fn keep_shortest(&mut self, line: String) {
        let order = |line: &String| (line.len(), line.clone());
        let best = self.shortest_documented.as_ref();
        if best.is_none_or(|best| order(&line) < order(best)) {
            self.shortest_documented = Some(line);
        }
    }
}

fn work(
    plan: Plan,
    worker: usize,
    lines: Range<u64>,
    words: &Words,
    trials: &Trials,
) -> anyhow::Result<Share> {
    let mut sandbox = Sandbox::new(plan.shell)?;
    let mut share = Share::default();
    let mut seen = HashSet::new();
    let step = u64::try_from(plan.workers.get())?;
    let mut index = lines.start + u64::try_from(worker)?;
    while index < lines.end {
        let mut random = Random::of(plan.seed, index);
        let (line, answered) = words.line(&mut random);
        let question = Question::new(&line);
        // The same line again can only differ by what was answered before it.
        let repeated = !seen.insert(line.clone());
        share.found.repeated += u64::from(repeated);
        let passing: Vec<(usize, &Trial)> = trials
            .fixed()
            .filter(|_| !repeated)
            .chain([trials.after(answered)])
            .filter(|(_, trial)| trial.passes(&question))
            .collect();
        if !passing.is_empty() {
            share.found.passed += 1;
            let deeds = sandbox
                .run(&line)
                .with_context(|| format!("line {index}: {line:?}"))?;
            share.found.run += 1;
            share.found.stopped += u64::from(deeds.stopped);
            for (number, trial) in passing {
                *share.found.by_trial.entry(trial.name.clone()).or_default() += 1;
                if let Some(what) = harm(&trial.forbids, &deeds) {
                    if is_documented(&trial.forbids, &line, &deeds) {
                        share.found.document(line.clone());
                        continue;
                    }
                    share.holes.push(Hole {
                        class: format!("{}: {what}", trial.name),
                        index,
                        line: line.clone(),
                        trial: number,
                    });
                }
            }
        }
        index += step;
    }
    Ok(share)
}

/// Counts holes by class and makes the shortest of each as short as can be.
fn shorten(
    found: &mut Found,
    mut holes: Vec<Hole>,
    trials: &Trials,
    everyday: &[String],
    sandbox: &mut Sandbox,
) -> anyhow::Result<()> {
    let mut known: BTreeMap<u64, String> = BTreeMap::new();
    holes.sort_by_key(|hole| (hole.line.len(), hole.index));
    for hole in holes {
        let entry = found.holes.entry(hole.class.clone()).or_default();
        entry.0 += 1;
        if entry.0 > EXAMPLES {
            continue;
        }
        let trial = trials.numbered(hole.trial);
        let mut line = hole.line.clone();
        // What is short for one situation mostly is for the next.
        if let Some(known) = known.get(&hole.index)
            && still(&hole.class, trial, known, sandbox)?
        {
            line.clone_from(known);
        } else {
            line = minimised(&line, |line| still(&hole.class, trial, line, sandbox))?;
            known.insert(hole.index, line.clone());
        }
        if let Some(answered) = trials.answered_in(hole.trial) {
            line = format!("{line}   (after: {})", everyday[answered]);
        }
        if !entry.1.contains(&line) {
            entry.1.push(line);
        }
    }
    Ok(())
}

/// Whether a line is a hole of this class.
fn still(class: &str, trial: &Trial, line: &str, sandbox: &mut Sandbox) -> anyhow::Result<bool> {
    if !trial.passes(&Question::new(line)) {
        return Ok(false);
    }
    let deeds = sandbox.run(line)?;
    Ok(harm(&trial.forbids, &deeds).is_some_and(|what| format!("{}: {what}", trial.name) == class))
}
