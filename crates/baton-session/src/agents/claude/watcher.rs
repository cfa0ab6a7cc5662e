//! Reads and then follows a session that somebody else's process runs.
//!
//! One task per such session. It reads the agent's own notes in small pieces
//! and hands what they tell to the session's task, which alone writes the log.
//! How far it came is in the log and nowhere else: rows whose events are there
//! are read again but not told again. It ends for good when the session has
//! run here, since then our own process writes the notes.
//!
//! It looks again and again only while somebody's process runs the session,
//! and now and then while somebody reads along here. Otherwise it costs
//! nothing: it waits for a reader, or for whoever wants to send a message.

use std::{
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use baton_claude::transcript::{
    ActiveRows, BranchFinder, Followed, Follower, Row, Subagent, owner_of, subagents,
};
use baton_store::{Store, StoreError};
use tokio::sync::{mpsc, watch};
use uuid::Uuid;

use super::{
    History, find,
    known::{Known, LogState},
};
use crate::{
    actor::{CommandError, Progress},
    handle::{CatchUp, SessionHandle},
    machine::{Observed, Rejected, Sight},
    world::World,
};

/// Between two looks while a process runs the session.
const BUSY: Duration = Duration::from_millis(200);
/// Between two looks while nobody does, but somebody reads along.
const QUIET: Duration = Duration::from_secs(2);
/// What is told at once; rows are never torn apart.
const BATCH: usize = 200;

/// What there is to watch.
pub(crate) struct Watched {
    config: PathBuf,
    /// The agent's name for the session, and its notes.
    session: Uuid,
    path: PathBuf,
}

impl Watched {
    pub(in crate::agents) fn find(config: &Path, cwd: &Path, session: Uuid) -> Option<Self> {
        let path = find(config, cwd, session).ok()??;
        let config = config.to_owned();
        Some(Self {
            config,
            session,
            path,
        })
    }
}

/// What a watcher is made of.
pub(crate) struct Watcher {
    pub(crate) handle: SessionHandle,
    pub(crate) store: Store,
    pub(crate) world: std::sync::Arc<dyn World>,
    pub(crate) watched: Watched,
    pub(crate) asks: mpsc::Receiver<CatchUp>,
    /// How many read along.
    pub(crate) readers: watch::Receiver<usize>,
}

/// Why watching stops for now.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("a process of ours has the session")]
    RunsHere,
    #[error("the session has ended")]
    Ended,
    #[error("the notes were replaced")]
    Replaced,
    #[error("the session is gone")]
    Gone,
    #[error("the notes cannot be read")]
    Unreadable(#[from] io::Error),
    #[error("the log cannot be read")]
    Store(#[from] StoreError),
}

/// One reading of the notes, from the first row on.
struct Reading {
    follower: Follower,
    history: History,
    /// Rows read so far.
    count: usize,
    known: Known,
    active: ActiveRows,
    /// Rows that were there when the branch was found.
    judged: usize,
    /// Rows up to here are in the log.
    told: usize,
    pending: Vec<Observed>,
    /// Nobody has been seen to run the session, and that has been told.
    left: bool,
    /// What there was to see at the last look.
    looked: Stamp,
}

/// What changes when anything happens to a session that nobody runs: its notes,
/// or the list of running processes.
type Stamp = (Option<(u64, SystemTime)>, Option<SystemTime>);

impl Watcher {
    pub(crate) async fn run(mut self) {
        loop {
            match self.watch().await {
                Stop::RunsHere => self.wait_for(|progress| !progress.has_process).await,
                // It may be taken up again while its task lingers.
                Stop::Ended => self.wait_for(|progress| !progress.ended).await,
                Stop::Replaced => {}
                Stop::Gone => return,
                stop @ (Stop::Unreadable(_) | Stop::Store(_)) => {
                    let session = self.handle.id();
                    let error = &stop as &dyn std::error::Error;
                    tracing::debug!(%session, error, "a session begun elsewhere is not watched");
                    return;
                }
            }
            if !self.handle.is_alive() {
                return;
            }
        }
    }

    /// Waits for the session's task. What is asked meanwhile needs no answer
    /// from here.
    async fn wait_for(&mut self, wanted: impl Fn(&Progress) -> bool) {
        let over = self.handle.wait_for(wanted);
        tokio::pin!(over);
        loop {
            tokio::select! {
                _ = &mut over => return,
                Some(ask) = self.asks.recv() => {
                    ask.send(Ok(())).ok();
                }
            }
        }
    }

    async fn watch(&mut self) -> Stop {
        let mut reading = match self.begin().await {
            Ok(reading) => reading,
            Err(stop) => return stop,
        };
        loop {
            if let Err(stop) = self.round(&mut reading).await {
                return stop;
            }
        }
    }

    /// Finds out what is in the log, and reads all that is not.
    async fn begin(&mut self) -> Result<Reading, Stop> {
        let known = match Known::read(&self.store, self.handle.id()).await? {
            LogState::Open(known) => known,
            LogState::Ended => return Err(Stop::Ended),
            LogState::RanHere => return Err(Stop::Gone),
        };
        let mut finder = BranchFinder::default();
        let (mut judged, mut told) = (0, 0);
        let mut follower = Follower::from_start(&self.watched.path);
        loop {
            let found = follower.look()?;
            for row in &found.rows {
                finder.add(row);
                judged += 1;
                if known.contains(row) {
                    told = judged;
                }
            }
            if !found.more {
                break;
            }
            tokio::task::yield_now().await;
        }
        let mut reading = Reading {
            follower: Follower::from_start(&self.watched.path),
            history: History::new(known.began.unwrap_or_else(|| self.world.now())),
            count: 0,
            known,
            active: finder.finish(),
            judged,
            told,
            pending: Vec::new(),
            left: false,
            looked: self.stamp(),
        };
        self.read(&mut reading).await?;
        let mut seen = Vec::new();
        reading.history.pause(&mut seen);
        reading.push(seen);
        // What is open while nobody runs it has ended; only then is it idle.
        let owner = self.owner();
        if owner.is_none() {
            self.leave(&mut reading);
        }
        reading.pending.push(Observed {
            at: self.world.now(),
            what: Sight::ReadUp,
        });
        self.tell(&mut reading).await?;
        Ok(reading)
    }

    /// Waits until there may be something to see, or for someone who wants to
    /// know.
    async fn pause(&mut self, reading: &Reading) -> Result<Option<CatchUp>, Stop> {
        loop {
            let read_along = *self.readers.borrow_and_update() > 0;
            let pause = match (reading.left, read_along) {
                (false, _) => Some(BUSY),
                (true, true) => Some(QUIET),
                (true, false) => None,
            };
            tokio::select! {
                () = sleep(pause) => {
                    if !reading.left || self.stamp() != reading.looked {
                        return Ok(None);
                    }
                }
                ask = self.asks.recv() => return Ok(Some(ask.ok_or(Stop::Gone)?)),
                changed = self.readers.changed() => {
                    changed.map_err(|_| Stop::Gone)?;
                    if !read_along && self.stamp() != reading.looked {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn stamp(&self) -> Stamp {
        let notes = std::fs::metadata(&self.watched.path).ok();
        let notes = notes.and_then(|notes| Some((notes.len(), notes.modified().ok()?)));
        let processes = std::fs::metadata(self.watched.config.join("sessions")).ok();
        (notes, processes.and_then(|folder| folder.modified().ok()))
    }

    /// Waits, and looks again.
    async fn round(&mut self, reading: &mut Reading) -> Result<(), Stop> {
        let asked = self.pause(reading).await?;
        // What comes after this is looked at the next time.
        reading.looked = self.stamp();
        // Whoever is gone before the look has written all it ever will.
        let owner = self.owner();
        let new = self.read(reading).await?;
        let mut seen = Vec::new();
        if !new {
            reading.history.pause(&mut seen);
            reading.push(seen);
        }
        if owner.is_some() || (new && asked.is_none()) {
            reading.left = false;
        } else if !reading.left {
            self.leave(reading);
        }
        self.tell(reading).await?;
        if let Some(ask) = asked {
            let answer = match owner {
                Some(pid) => Err(Rejected::OwnedElsewhere { pid }),
                None => Ok(()),
            };
            ask.send(answer).ok();
        }
        Ok(())
    }

    fn leave(&self, reading: &mut Reading) {
        let mut seen = Vec::new();
        reading.history.left(&mut seen);
        reading.push(seen);
        reading.left = true;
    }

    fn owner(&self) -> Option<i32> {
        // A registry that cannot be read names nobody.
        let owner = owner_of(&self.watched.config, self.watched.session)
            .ok()
            .flatten();
        owner.map(|owner| owner.pid)
    }

    /// Reads to the end; whether there was anything new.
    async fn read(&mut self, reading: &mut Reading) -> Result<bool, Stop> {
        let mut any = false;
        loop {
            let Followed {
                rows,
                restarted,
                more,
                ..
            } = reading.follower.look()?;
            if restarted {
                return Err(Stop::Replaced);
            }
            any |= !rows.is_empty();
            for row in &rows {
                self.row(reading, row).await?;
                if reading.pending.len() >= BATCH {
                    self.tell(reading).await?;
                }
            }
            if !more {
                return Ok(any);
            }
            tokio::task::yield_now().await;
        }
    }

    async fn row(&mut self, reading: &mut Reading, row: &Row) -> Result<(), Stop> {
        reading.count += 1;
        if reading.count <= reading.judged && !reading.active.contains(row) {
            return Ok(());
        }
        if reading.history.ends_agents(row) {
            for agent in self.agents_of(row) {
                self.agent(reading, &agent).await?;
            }
        }
        let mut seen = Vec::new();
        reading.history.row(row, &mut seen);
        reading.take(seen);
        Ok(())
    }

    fn agents_of(&self, row: &Row) -> Vec<Subagent> {
        let agents = subagents(&self.watched.path)
            .unwrap_or_default()
            .into_iter();
        agents
            .filter(|agent| {
                let call = agent.tool_use_id.as_deref();
                call.is_some_and(|call| row.results().any(|id| id == call))
            })
            .collect()
    }

    /// Tells what a sub-agent did, just before the result of its call.
    async fn agent(&mut self, reading: &mut Reading, agent: &Subagent) -> Result<(), Stop> {
        let mut follower = Follower::from_start(&agent.path);
        let mut begun = false;
        // One that cannot be read leaves the rest as it is.
        while let Ok(found) = follower.look() {
            for row in &found.rows {
                if reading.pending.len() >= BATCH {
                    self.tell(reading).await?;
                }
                let mut seen = Vec::new();
                if !std::mem::replace(&mut begun, true) {
                    reading.history.agent_started(agent, row, &mut seen);
                    reading.take(seen);
                    seen = Vec::new();
                }
                reading.history.agent_row(agent, row, &mut seen);
                if !reading.known.contains(row) {
                    reading.take(seen);
                }
            }
            if !found.more {
                break;
            }
            tokio::task::yield_now().await;
        }
        if begun {
            let mut seen = Vec::new();
            reading.history.agent_stopped(agent, &mut seen);
            reading.take(seen);
        }
        Ok(())
    }

    async fn tell(&self, reading: &mut Reading) -> Result<(), Stop> {
        if reading.pending.is_empty() {
            return Ok(());
        }
        let seen = std::mem::take(&mut reading.pending);
        match self.handle.observe(seen, None).await {
            Ok(()) => Ok(()),
            Err(CommandError::Rejected(Rejected::RunsHere)) => Err(Stop::RunsHere),
            Err(CommandError::Rejected(Rejected::Ended)) => Err(Stop::Ended),
            Err(CommandError::Store(error)) => Err(Stop::Store(error)),
            Err(
                CommandError::Rejected(_)
                | CommandError::Agent(_)
                | CommandError::Unreachable(_)
                | CommandError::TooLarge { .. }
                | CommandError::NoPlace(_)
                | CommandError::Gone,
            ) => Err(Stop::Gone),
        }
    }
}

async fn sleep(pause: Option<Duration>) {
    match pause {
        Some(pause) => tokio::time::sleep(pause).await,
        None => std::future::pending().await,
    }
}

impl Reading {
    /// Keeps what a row tells, unless the log has it.
    fn take(&mut self, seen: Vec<Observed>) {
        if self.count > self.told {
            self.push(seen);
        }
    }

    fn push(&mut self, seen: Vec<Observed>) {
        for one in seen {
            if !self.known.skips(&one) {
                self.pending.push(one);
            }
        }
    }
}
