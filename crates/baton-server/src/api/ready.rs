//! Whether the daemon can work, asked by anybody and as often as they like.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use baton_protocol::api::{Problem, ProblemCode};
use tokio::{
    sync::Semaphore,
    task::spawn_blocking,
    time::{Instant, timeout},
};

use super::Api;
use crate::problem::Told as _;

/// A log that takes longer to write and read a little cannot be worked with.
const PATIENCE: Duration = Duration::from_secs(2);
/// For how long an answer is true enough. Who asks meanwhile gets the same, so
/// that nobody makes the disk busy by asking.
const FRESH: Duration = Duration::from_secs(2);

/// What was found last.
#[derive(Debug)]
pub(super) struct Probe {
    one: Semaphore,
    /// A look at the disk that never comes back keeps its place here, and is
    /// not followed by another.
    looking: Arc<Semaphore>,
    found: Mutex<Option<(Instant, Result<(), Problem>)>>,
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            one: Semaphore::new(1),
            looking: Arc::new(Semaphore::new(1)),
            found: Mutex::default(),
        }
    }
}

impl Probe {
    fn found(&self) -> MutexGuard<'_, Option<(Instant, Result<(), Problem>)>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh(&self) -> Option<Result<(), Problem>> {
        let found = self.found().clone();
        let fresh = found.filter(|(at, _)| at.elapsed() < FRESH);
        fresh.map(|(_, result)| result)
    }
}

impl Api {
    /// Turns are taken, the log can be written and read, and the agent that is
    /// used by default can be started. Bounded in time and work.
    pub(crate) async fn ready(&self) -> Result<(), Problem> {
        self.takes_turns()?;
        let probing = async {
            let _one = self.serving.probe.one.acquire().await;
            if let Some(found) = self.serving.probe.fresh() {
                return found;
            }
            let found = match self.reaches_log().await {
                Ok(()) => self.reaches_agent().await,
                Err(problem) => Err(problem),
            };
            *self.serving.probe.found() = Some((Instant::now(), found.clone()));
            found
        };
        // Whoever waits for another's look waits for no more than two of them.
        timeout(2 * PATIENCE, probing).await.unwrap_or_else(|_| {
            let detail = "the log did not answer in time";
            Err(Problem::new(ProblemCode::Storage, detail))
        })
    }

    async fn reaches_log(&self) -> Result<(), Problem> {
        let looking = async {
            self.store().probe(self.world.now()).await?;
            self.store().probe_reading().await
        };
        let looked = timeout(PATIENCE, looking).await;
        let looked = looked.map_err(|_| {
            let detail = format!("the log did not answer in {} s", PATIENCE.as_secs());
            Problem::new(ProblemCode::Storage, detail)
        })?;
        looked.told()?;
        // Whoever came upon it, it does not go away by itself.
        match self.store().damage() {
            None => Ok(()),
            Some(damage) => {
                let detail = format!("the log is damaged: {damage}; `baton doctor` says more");
                Err(Problem::new(ProblemCode::Storage, detail))
            }
        }
    }

    async fn reaches_agent(&self) -> Result<(), Problem> {
        let Some(kind) = self.facts.agents.first().copied() else {
            return Ok(());
        };
        let home = self.supervisor.agent_home().clone();
        let there = match Arc::clone(&self.serving.probe.looking).try_acquire_owned() {
            Ok(place) => {
                let look = spawn_blocking(move || {
                    let _place = place;
                    home.can_start(kind)
                });
                matches!(timeout(PATIENCE, look).await, Ok(Ok(true)))
            }
            Err(_) => false,
        };
        if there {
            return Ok(());
        }
        let detail = format!("the agent {} cannot be started", kind.name());
        Err(Problem::new(ProblemCode::AgentUnreachable, detail))
    }
}
