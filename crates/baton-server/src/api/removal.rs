//! Sessions that are taken out of the log because somebody asks.

use std::time::Duration;

use baton_protocol::{
    SessionId,
    api::{Done, Problem, ProblemCode},
    words::{ClientRef, SessionState},
};
use tokio::time::{Instant, sleep};

use super::Api;
use crate::problem::Told as _;

/// How long the process of a session that has just ended is waited for.
const WAIT: Duration = Duration::from_secs(15);
/// Between two looks whether it is gone.
const LOOK: Duration = Duration::from_millis(50);

impl Api {
    /// Removes an ended session: its events, its files and what it was asked.
    /// That it was there, and who removed it, stays.
    pub(super) async fn delete(&self, client: &ClientRef, id: SessionId) -> Result<Done, Problem> {
        let until = Instant::now() + WAIT;
        loop {
            // Looked up again each time: somebody may take it up or remove it meanwhile.
            let row = self.session_row(id).await?;
            if row.state != SessionState::Ended {
                let detail = format!("{id} has not ended; stop it first");
                return Err(Problem::new(ProblemCode::SessionRunning, detail));
            }
            let now = self.world.now();
            let removed = self.store().remove_session(id, now, client.clone()).await;
            if let Some(removed) = removed.told()? {
                self.supervisor.forget(id);
                self.auth.unshare(id).await.told()?;
                tracing::info!(session = %id, events = removed.events, client = client.name, "a session was removed");
                return Ok(Done {});
            }
            if Instant::now() >= until {
                let detail = format!("a process of {id} is still being put away; try again");
                return Err(Problem::new(ProblemCode::SessionRunning, detail));
            }
            sleep(LOOK).await;
        }
    }

    /// Says that there is no such session, and what became of it.
    pub(super) async fn missing(&self, id: SessionId) -> Problem {
        let removed = self.store().removed_session(id).await.ok().flatten();
        let detail = match removed {
            None => format!("there is no session {id}"),
            Some(gone) => {
                let who = gone.client.map(|client| format!(" by {}", client.name));
                let who = who.unwrap_or_else(|| " by the retention settings".to_owned());
                format!("session {id} was removed at {}{who}", gone.removed_at)
            }
        };
        Problem::new(ProblemCode::NotFound, detail)
    }
}
