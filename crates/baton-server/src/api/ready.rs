//! Whether the daemon can work, asked by anybody and as often as they like.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use baton_protocol::api::{Problem, ProblemCode};
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};

use super::Api;
use crate::problem;

/// A log that takes longer to write one value cannot be worked with.
const PATIENCE: Duration = Duration::from_secs(2);
/// For how long an answer is true enough. Who asks meanwhile gets the same, so
/// that nobody makes the disk busy by asking.
const FRESH: Duration = Duration::from_secs(2);

/// What was found last.
#[derive(Debug)]
pub(super) struct Probe {
    one: Semaphore,
    found: Mutex<Option<(Instant, Result<(), Problem>)>>,
}

impl Default for Probe {
    fn default() -> Self {
        Self {
            one: Semaphore::new(1),
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
    /// Turns are taken, and the log can be written. Bounded in time and work.
    pub(crate) async fn ready(&self) -> Result<(), Problem> {
        self.takes_turns()?;
        let probing = async {
            let _one = self.probe.one.acquire().await;
            if let Some(found) = self.probe.fresh() {
                return found;
            }
            let slow = |_| {
                let detail = format!("the log was not written in {} s", PATIENCE.as_secs());
                Problem::new(ProblemCode::Storage, detail)
            };
            let probed = timeout(PATIENCE, self.store().probe(self.world.now())).await;
            let found = probed
                .map_err(slow)
                .and_then(|written| written.map_err(|error| problem::of_store(&error)));
            *self.probe.found() = Some((Instant::now(), found.clone()));
            found
        };
        // Whoever waits for another's look waits for no more than two of them.
        timeout(2 * PATIENCE, probing).await.unwrap_or_else(|_| {
            let detail = "the log was not written in time";
            Err(Problem::new(ProblemCode::Storage, detail))
        })
    }
}
