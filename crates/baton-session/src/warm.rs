//! Processes that are started before their session is: which there may be, for
//! whom, and when they go. It only decides; `supervisor/warming` does.
//!
//! Whoever is about to begin a session holds a lease and says now and then what
//! it would begin. A lease has one process at most, all together have few.

use std::{collections::BTreeMap, time::Duration};

/// A lease of which nothing is heard for so long has ended.
pub(crate) const SILENCE: Duration = Duration::from_secs(60);
/// An agent looks around when it starts, at the date and at git for instance.
/// One that has waited for longer makes room for another.
pub(crate) const AGE: Duration = Duration::from_secs(180);
/// So many processes wait at once, those that are about to end counted too.
pub(crate) const MOST: usize = 3;

/// Who is about to begin something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaseId(pub u64);

/// A process that waits, or is to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number(u64);

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Chore<W> {
    Start { number: Number, wish: W },
    Close(Number),
}

/// How it stands with a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A process waits.
    Up(Number),
    Starting,
    /// There is none, and none is on its way.
    None,
}

/// What is warm and for whom. `W` is what would be begun.
#[derive(Debug)]
pub(crate) struct Warmth<W> {
    leases: BTreeMap<LeaseId, Held<W>>,
    processes: BTreeMap<Number, Process>,
    last: u64,
}

#[derive(Debug)]
struct Held<W> {
    wish: W,
    heard: Duration,
    /// It could not be had, or ended by itself: not tried again for this wish.
    refused: bool,
}

#[derive(Debug)]
struct Process {
    lease: LeaseId,
    since: Duration,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Starting,
    Up,
    Closing,
}

impl<W> Default for Warmth<W> {
    fn default() -> Self {
        Self {
            leases: BTreeMap::new(),
            processes: BTreeMap::new(),
            last: 0,
        }
    }
}

impl<W: Clone + PartialEq> Warmth<W> {
    /// Somebody would begin this, or still would.
    pub(crate) fn want(&mut self, lease: LeaseId, wish: W, now: Duration) -> Vec<Chore<W>> {
        let mut chores = Vec::new();
        match self.leases.get_mut(&lease) {
            Some(held) if held.wish == wish => held.heard = now,
            Some(_) | None => {
                self.close_of(lease, &mut chores);
                let held = Held {
                    wish,
                    heard: now,
                    refused: false,
                };
                self.leases.insert(lease, held);
            }
        }
        self.fill(now, &mut chores);
        chores
    }

    /// Nobody is there any more, or would begin anything.
    pub(crate) fn leave(&mut self, lease: LeaseId, now: Duration) -> Vec<Chore<W>> {
        let mut chores = Vec::new();
        self.leases.remove(&lease);
        self.close_of(lease, &mut chores);
        self.fill(now, &mut chores);
        chores
    }

    /// A process waits. Says whether it is still wanted.
    pub(crate) fn up(&mut self, number: Number) -> bool {
        let process = self.processes.get_mut(&number);
        let Some(process) = process.filter(|one| one.stage == Stage::Starting) else {
            return false;
        };
        process.stage = Stage::Up;
        true
    }

    /// A process is gone, or was never to be had.
    pub(crate) fn gone(&mut self, number: Number, now: Duration) -> Vec<Chore<W>> {
        let mut chores = Vec::new();
        if let Some(process) = self.processes.remove(&number)
            && process.stage != Stage::Closing
            && let Some(lease) = self.leases.get_mut(&process.lease)
        {
            lease.refused = true;
        }
        self.fill(now, &mut chores);
        chores
    }

    /// A process is no longer what would be started.
    pub(crate) fn stale(&mut self, number: Number) -> Vec<Chore<W>> {
        let mut chores = Vec::new();
        self.close(number, &mut chores);
        chores
    }

    /// The same, of all that were started for such a wish.
    pub(crate) fn stale_where(&mut self, is: impl Fn(&W) -> bool) -> Vec<Chore<W>> {
        let leases = self.leases.iter_mut().filter(|(_, lease)| is(&lease.wish));
        let mut changed = Vec::new();
        for (id, lease) in leases {
            // What kept it away may be what changed.
            lease.refused = false;
            changed.push(*id);
        }
        let mut chores = Vec::new();
        for lease in changed {
            self.close_of(lease, &mut chores);
        }
        chores
    }

    /// Ends what has gone on for too long.
    pub(crate) fn tick(&mut self, now: Duration) -> Vec<Chore<W>> {
        let mut chores = Vec::new();
        let silent = |lease: &Held<W>| now >= lease.heard + SILENCE;
        let silent = self.leases.iter().filter(|(_, lease)| silent(lease));
        for lease in silent.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.leases.remove(&lease);
            self.close_of(lease, &mut chores);
        }
        let old = self.processes.iter();
        let old = old.filter(|(_, one)| now >= one.since + AGE);
        for number in old.map(|(number, _)| *number).collect::<Vec<_>>() {
            self.close(number, &mut chores);
        }
        self.fill(now, &mut chores);
        chores
    }

    /// When to look at the time again.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let heard = self.leases.values().map(|lease| lease.heard + SILENCE);
        let waits = self.processes.values();
        let waits = waits.filter(|one| one.stage != Stage::Closing);
        heard.chain(waits.map(|one| one.since + AGE)).min()
    }

    /// The process that waits for this. It is a session's from here on.
    pub(crate) fn take(&mut self, wish: &W) -> Option<Number> {
        let waits = self.processes.iter();
        let mut waits = waits.filter(|(_, one)| one.stage == Stage::Up);
        let wanted = |one: &Process| self.leases.get(&one.lease).map(|lease| &lease.wish);
        let (number, lease) = waits
            .find(|(_, one)| wanted(one) == Some(wish))
            .map(|(number, one)| (*number, one.lease))?;
        self.processes.remove(&number);
        self.leases.remove(&lease);
        Some(number)
    }

    pub(crate) fn standing(&self, lease: LeaseId) -> Standing {
        let Some(held) = self.leases.get(&lease) else {
            return Standing::None;
        };
        let own = self.processes.iter().find(|(_, one)| one.lease == lease);
        match own {
            Some((number, one)) if one.stage == Stage::Up => Standing::Up(*number),
            // One that closes makes room for the next.
            Some(_) if !held.refused => Standing::Starting,
            Some(_) | None => Standing::None,
        }
    }

    /// Starts what is wanted, as far as there is room.
    fn fill(&mut self, now: Duration, chores: &mut Vec<Chore<W>>) {
        for (id, lease) in &self.leases {
            let has = self.processes.values().any(|one| one.lease == *id);
            if lease.refused || has || self.processes.len() >= MOST {
                continue;
            }
            self.last += 1;
            let number = Number(self.last);
            let process = Process {
                lease: *id,
                since: now,
                stage: Stage::Starting,
            };
            self.processes.insert(number, process);
            chores.push(Chore::Start {
                number,
                wish: lease.wish.clone(),
            });
        }
    }

    fn close_of(&mut self, lease: LeaseId, chores: &mut Vec<Chore<W>>) {
        let own = self.processes.iter().filter(|(_, one)| one.lease == lease);
        for number in own.map(|(number, _)| *number).collect::<Vec<_>>() {
            self.close(number, chores);
        }
    }

    fn close(&mut self, number: Number, chores: &mut Vec<Chore<W>>) {
        if let Some(process) = self.processes.get_mut(&number)
            && process.stage != Stage::Closing
        {
            process.stage = Stage::Closing;
            chores.push(Chore::Close(number));
        }
    }
}

#[cfg(test)]
#[path = "warm_tests.rs"]
mod tests;
