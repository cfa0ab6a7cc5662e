//! Agents that come up while somebody still writes what they shall do.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use baton_protocol::api::{Problem, Warm, WarmState, Warmed};
use baton_session::{LeaseId, NewSessionSpec, Supervisor};

use super::Api;
use crate::problem::Told as _;

static LEASES: AtomicU64 = AtomicU64::new(1);

/// What a connection has made ready; it goes with the connection.
#[derive(Debug)]
pub(crate) struct Lease {
    supervisor: Arc<Supervisor>,
    id: u64,
}

impl Lease {
    pub(crate) fn new(api: &Api) -> Self {
        Self {
            supervisor: Arc::clone(&api.supervisor),
            id: LEASES.fetch_add(1, Ordering::Relaxed),
        }
    }

    pub(crate) const fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.supervisor.cool(LeaseId(self.id));
    }
}

impl Api {
    pub(super) async fn warm(&self, body: Warm) -> Result<Warmed, Problem> {
        let Some(lease) = body.lease.map(LeaseId) else {
            let message = "it is said over the connection that holds what is made ready";
            return Err(Problem::invalid("project", message));
        };
        let Some(new) = body.session else {
            self.supervisor.cool(lease);
            return Ok(Warmed {
                state: WarmState::None,
            });
        };
        self.takes_turns()?;
        let project = self.folder_of(&body.project).await?;
        let state = if new.resume.is_some() {
            self.supervisor.cool(lease);
            baton_session::Warmed::Not
        } else {
            let spec = NewSessionSpec {
                agent: self.agent_named(new.agent.as_deref())?,
                cwd: new.cwd.as_ref().unwrap_or(&project).into(),
                project: new.cwd.as_ref().map(|_| project.into()),
                title: None,
                runtime: new.runtime,
                options: new.options(),
            };
            self.supervisor.warm(lease, spec).told()?
        };
        Ok(Warmed {
            state: match state {
                baton_session::Warmed::Ready => WarmState::Ready,
                baton_session::Warmed::Starting => WarmState::Starting,
                baton_session::Warmed::Not => WarmState::None,
            },
        })
    }
}
