//! The daemon's end: no new turns, a while for the running ones, then the agents.

use std::{collections::BTreeSet, time::Duration};

use baton_protocol::{SessionId, words::SessionState};
use baton_session::SessionHandle;
use baton_store::{SessionFilter, StoreError};
use tokio::{
    task::JoinSet,
    time::{Instant, timeout, timeout_at},
};

use crate::api::Api;

/// How long an agent may take for what each step asks of it.
const INTERRUPTED: Duration = Duration::from_secs(5);
/// Even without patience it is to hear the interrupt: a kill closes its input
/// first, and one that has not heard would take that for a word to finish.
const HEARD: Duration = Duration::from_millis(300);
const CLOSED: Duration = Duration::from_secs(5);
/// A kill goes through several stages itself, and one that does not work is
/// followed by an end from outside.
const KILLED: Duration = Duration::from_secs(30);
/// States are looked at again this often at least.
const LOOK: Duration = Duration::from_millis(250);

/// How the agents' end went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ended {
    pub ended: usize,
    /// They could not be ended and go on under their holders.
    pub left: usize,
}

impl Api {
    /// Takes no more turns, and waits until no turn runs or `grace` has passed.
    /// A turn that waits for a person is not waited for. Says whether all is quiet.
    pub async fn drain(&self, grace: Duration) -> Result<bool, StoreError> {
        self.refuse_turns();
        self.hold_queues().await?;
        let until = Instant::now() + grace;
        let mut commits = self.store().watch_all();
        loop {
            commits.mark_unchanged();
            if self.working().await? == 0 {
                return Ok(true);
            }
            if Instant::now() >= until {
                return Ok(false);
            }
            let look = until.min(Instant::now() + LOOK);
            timeout_at(look, commits.changed()).await.ok();
        }
    }

    /// Lets no session begin a message that waits: the end of a turn would
    /// start the next, and a process would be left. The next daemon begins it.
    async fn hold_queues(&self) -> Result<(), StoreError> {
        let holders = self.store().holders().await?;
        let mut busy: BTreeSet<SessionId> = holders.iter().map(|holder| holder.session).collect();
        for state in [SessionState::Starting, SessionState::Processing] {
            busy.extend(self.in_state(state).await?);
        }
        for session in busy {
            // One that has ended, or cannot be opened, begins nothing either.
            if let Ok(handle) = self.supervisor.open(session).await {
                handle.hold().await.ok();
            }
        }
        Ok(())
    }

    async fn in_state(&self, state: SessionState) -> Result<Vec<SessionId>, StoreError> {
        let filter = SessionFilter {
            state: Some(state),
            ..SessionFilter::default()
        };
        let rows = self.store().sessions(filter, None, 1000).await?.items;
        Ok(rows.iter().map(|row| row.id).collect())
    }

    /// Sessions in which something happens without a person.
    pub async fn working(&self) -> Result<usize, StoreError> {
        let mut working = 0;
        for state in [SessionState::Starting, SessionState::Processing] {
            working += self.in_state(state).await?.len();
        }
        Ok(working)
    }

    /// Ends every agent: interrupt, end of input, then by force. Sessions stay
    /// and can go on later. `patient` is whether a turn gets time to obey.
    pub async fn end_agents(&self, patient: bool) -> Result<Ended, StoreError> {
        let first = self.end_agents_once(patient).await?;
        // An end must be recorded too.
        if first.left == 0 || !self.use_spare() {
            return Ok(first);
        }
        let second = self.end_agents_once(patient).await?;
        Ok(Ended {
            ended: first.ended + second.ended,
            left: second.left,
        })
    }

    async fn end_agents_once(&self, patient: bool) -> Result<Ended, StoreError> {
        self.refuse_turns();
        self.hold_queues().await?;
        let mut result = Ended::default();
        let mut ending = JoinSet::new();
        for holder in self.store().holders().await? {
            // One that cannot be opened cannot be told anything either.
            let Ok(handle) = self.supervisor.open(holder.session).await else {
                tracing::warn!(session = %holder.session, "an agent cannot be reached to end it");
                result.left += 1;
                continue;
            };
            let store = self.store().clone();
            ending.spawn(async move { end_agent(&store, &handle, patient).await });
        }
        while let Some(ended) = ending.join_next().await {
            if ended.unwrap_or(false) {
                result.ended += 1;
            } else {
                result.left += 1;
            }
        }
        Ok(result)
    }

    /// Lets agents go that have nothing to do; the others go on.
    pub async fn close_idle_agents(&self) -> Result<(), StoreError> {
        for holder in self.store().holders().await? {
            if let Ok(handle) = self.supervisor.open(holder.session).await {
                handle.close().await.ok();
                if handle.progress().closing {
                    gone(&handle, CLOSED).await;
                }
            }
        }
        Ok(())
    }
}

/// Refusals mean that the step is not needed; the next one follows anyway.
async fn end_agent(store: &baton_store::Store, handle: &SessionHandle, patient: bool) -> bool {
    handle.interrupt().await.ok();
    let resting = async {
        let mut commits = store.watch_all();
        while !is_resting(store, handle).await {
            timeout(LOOK, commits.changed()).await.ok();
            // The first stops the turn, the next what goes on beside it.
            handle.interrupt().await.ok();
        }
    };
    let patience = if patient { INTERRUPTED } else { HEARD };
    timeout(patience, resting).await.ok();
    if patient {
        handle.close().await.ok();
        if gone(handle, CLOSED).await {
            return true;
        }
    }
    handle.kill().await.ok();
    gone(handle, KILLED).await
}

async fn is_resting(store: &baton_store::Store, handle: &SessionHandle) -> bool {
    let row = store.session_row(handle.id()).await.ok().flatten();
    row.is_none_or(|row| matches!(row.state, SessionState::Idle | SessionState::Ended))
}

async fn gone(handle: &SessionHandle, limit: Duration) -> bool {
    let gone = handle.wait_for(|progress| !progress.has_process);
    // A task that gave up has no process either, but its agent may.
    matches!(timeout(limit, gone).await, Ok(progress) if progress.failed.is_none())
}
