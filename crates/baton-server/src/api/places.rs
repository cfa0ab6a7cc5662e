//! Places for clients: how many may be connected, and how many of one device.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
};

use baton_protocol::{
    ProjectId,
    api::{Problem, ProblemCode},
};

use super::Api;
use crate::auth::{Principal, StreamPlace};

/// Connections at once. One more is told so and closed.
const MAX_CONNECTIONS: usize = 256;

/// Of these, so many are for the control socket alone: those who come in over
/// the network cannot keep out the one who could sign them out.
const KEPT_FREE: usize = 32;

/// How many of the connections are limited to a project, by project.
#[derive(Debug, Default)]
pub(super) struct Limited(Mutex<BTreeMap<ProjectId, u64>>);

impl Limited {
    fn all(&self) -> MutexGuard<'_, BTreeMap<ProjectId, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn to(&self, project: ProjectId) -> u64 {
        self.all().get(&project).copied().unwrap_or_default()
    }

    fn enter(&self, project: ProjectId) {
        *self.all().entry(project).or_default() += 1;
    }

    fn leave(&self, project: ProjectId) {
        let mut all = self.all();
        let left = all.get(&project).copied().unwrap_or_default();
        match left {
            0 | 1 => all.remove(&project),
            _ => all.insert(project, left - 1),
        };
    }
}

/// One of the places for connections.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    api: Arc<Api>,
    /// What the connection is limited to.
    project: Option<ProjectId>,
    /// Of the device that has it, where it is one.
    _stream: Option<StreamPlace>,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let before = self.api.clients.connections.fetch_sub(1, Ordering::Relaxed);
        self.api
            .clients
            .connected
            .send_replace(before.saturating_sub(1));
        if let Some(project) = self.project {
            self.api.clients.limited.leave(project);
        }
    }
}

impl Api {
    /// A place among the connections, until it is dropped.
    pub(crate) fn place(self: &Arc<Self>) -> Result<ConnectionSlot, Problem> {
        self.place_among(MAX_CONNECTIONS, None, None)
    }

    /// The same for one who signed in, to one project or to all.
    pub(crate) fn guest_place(
        self: &Arc<Self>,
        guest: &Principal,
        project: Option<ProjectId>,
    ) -> Result<ConnectionSlot, Problem> {
        let stream = guest.open_stream()?;
        self.place_among(MAX_CONNECTIONS - KEPT_FREE, project, Some(stream))
    }

    fn place_among(
        self: &Arc<Self>,
        most: usize,
        project: Option<ProjectId>,
        stream: Option<StreamPlace>,
    ) -> Result<ConnectionSlot, Problem> {
        if let Some(project) = project {
            self.clients.limited.enter(project);
        }
        let place = ConnectionSlot {
            api: Arc::clone(self),
            project,
            _stream: stream,
        };
        let before = self.clients.connections.fetch_add(1, Ordering::Relaxed);
        self.clients.connected.send_replace(before + 1);
        if before >= most {
            return Err(Problem::new(
                ProblemCode::TooMany,
                format!("{most} clients are connected already"),
            ));
        }
        Ok(place)
    }
}
