//! Sessions whose task gave up: opened again, so that none stays as it was for
//! want of a command.
//!
//! A task gives up when the log does not take something, or when its agent has
//! another owner. Both can pass by themselves: space is freed, the other owner
//! goes.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use baton_protocol::SessionId;
use tokio::sync::Notify;

use super::{Supervisor, SupervisorError};

/// Before the first try, and at most between two of them.
const FIRST: Duration = Duration::from_secs(2);
const MOST: Duration = Duration::from_secs(60);

/// The sessions whose task gave up since they were last looked at.
#[derive(Debug, Default)]
pub(crate) struct GivenUp {
    sessions: Mutex<BTreeSet<SessionId>>,
    some: Notify,
}

impl GivenUp {
    pub(crate) fn add(&self, session: SessionId) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.insert(session);
        self.some.notify_one();
    }

    fn take(&self) -> BTreeSet<SessionId> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *sessions)
    }
}

impl Supervisor {
    /// Opens again what gave up, for as long as it is polled. One that gives up
    /// again and again is tried less and less often.
    pub async fn mend(&self) {
        let mut pause = FIRST;
        let mut before = BTreeSet::new();
        loop {
            self.given_up.some.notified().await;
            tokio::time::sleep(pause).await;
            let sessions = self.given_up.take();
            let again = sessions.iter().any(|session| before.contains(session));
            pause = if again { (pause * 2).min(MOST) } else { FIRST };
            for session in &sessions {
                match self.open(*session).await {
                    Ok(_) | Err(SupervisorError::UnknownSession(_)) => {}
                    Err(error) => {
                        tracing::warn!(%session, %error, "a session cannot be opened again yet");
                        self.given_up.add(*session);
                    }
                }
            }
            before = sessions;
        }
    }
}
