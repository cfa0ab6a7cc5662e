//! What a screen needs to open a session at its tail.
//!
//! Folding a long log takes a while, so what was folded is kept for the
//! sessions that were looked at last, and only what came since is added.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use baton_protocol::{
    SessionId,
    api::{PastPart, Problem, SessionFacts, SessionView},
};
use baton_session::{agents::AgentKind, views::Overview};

use super::Api;
use crate::problem::Told as _;

/// Sessions whose facts are kept. One more takes the place of the oldest.
const KEPT: usize = 32;
const PAGE: usize = 1000;

/// Facts of the sessions that were looked at last, the newest at the end.
#[derive(Debug, Default)]
pub(crate) struct Overviews(Mutex<VecDeque<(SessionId, Overview)>>);

impl Overviews {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(SessionId, Overview)>> {
        // A panic leaves whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Taken out while more is added, so that two readers do not wait.
    fn take(&self, id: SessionId) -> Overview {
        let mut kept = self.lock();
        let at = kept.iter().position(|(known, _)| *known == id);
        let found = at.and_then(|at| kept.remove(at));
        found.map(|(_, overview)| overview).unwrap_or_default()
    }

    fn keep(&self, id: SessionId, overview: Overview) {
        let mut kept = self.lock();
        kept.retain(|(known, _)| *known != id);
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((id, overview));
    }
}

impl Api {
    /// A session with its facts, both true as of the same event or a later one.
    pub(crate) async fn view(&self, id: SessionId) -> Result<SessionView, Problem> {
        let session = self.session_row(id).await?;
        let facts = self.session_facts(id).await?;
        let mut past = Vec::new();
        if session.forked_from.is_some() {
            let parts = baton_session::past(self.store(), id).await.told()?;
            past.extend(parts.into_iter().map(|part| PastPart {
                session_id: part.session,
                up_to: part.up_to,
            }));
        }
        let agent = AgentKind::from_name(&session.agent);
        let capabilities = agent.map(AgentKind::capabilities);
        Ok(SessionView {
            session,
            capabilities: capabilities.unwrap_or_default(),
            facts,
            past,
            secrets: Vec::new(),
        })
    }

    async fn session_facts(&self, id: SessionId) -> Result<SessionFacts, Problem> {
        let mut overview = self.sessions.overviews.take(id);
        loop {
            let page = self
                .store()
                .read_after(id, overview.seq(), PAGE)
                .await
                .told()?;
            if page.is_empty() {
                break;
            }
            for stored in &page {
                let envelope = stored.envelope();
                overview.event(&envelope.told()?);
            }
        }
        let told = overview.facts();
        self.sessions.overviews.keep(id, overview);
        Ok(told)
    }
}
