//! What turns under way have cost so far, over all sessions.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use baton_protocol::SessionId;

/// The log knows what turns have cost that are over; this knows the rest.
#[derive(Debug, Default)]
pub(crate) struct Purse {
    running: Mutex<BTreeMap<SessionId, f64>>,
}

impl Purse {
    /// Remembers what a session's turn has cost so far; none, that none runs.
    pub(crate) fn set(&self, session: SessionId, cost: Option<f64>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match cost {
            Some(cost) => running.insert(session, cost),
            None => running.remove(&session),
        };
    }

    pub(crate) fn total(&self) -> f64 {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.values().sum()
    }
}
