//! What a fork's own log does not have: the part of its source's that it began
//! with. It is read where it is, never copied, so it is there once.

use baton_protocol::{
    Event, Seq, SessionId,
    event::{AssistantMessage, AssistantThinking, SessionCreated},
};
use baton_store::{Store, StoreError, StoredEvent};

/// Forks of forks that are followed.
const GENERATIONS: usize = 32;
/// Events read at once.
const PAGE: usize = 500;

/// A part of another session's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past {
    pub session: SessionId,
    /// Its last event that the fork began with.
    pub up_to: Seq,
}

impl Past {
    /// The next of its events; none once there are no more.
    pub async fn read_after(
        &self,
        store: &Store,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let mut page = store.read_after(self.session, after, limit).await?;
        page.retain(|event| event.seq <= self.up_to);
        Ok(page)
    }
}

/// Where the past of a session is, the oldest first. Nothing of one that is no
/// fork, and of sources that were removed.
pub async fn past(store: &Store, session: SessionId) -> Result<Vec<Past>, StoreError> {
    let mut past = Vec::new();
    let mut fork = session;
    while past.len() < GENERATIONS {
        let Some(first) = store.read_after(fork, Seq::START, 1).await?.pop() else {
            break;
        };
        let Event::SessionCreated(created) = first.envelope()?.event else {
            break;
        };
        // One that was cut before the first message began with nothing.
        let (Some(source), Some(_)) = (created.forked_from, &created.resumes) else {
            break;
        };
        if store.session_row(source).await?.is_none() {
            break;
        }
        let up_to = cut(store, source, &created, &first).await?;
        past.push(Past {
            session: source,
            up_to,
        });
        fork = source;
    }
    past.reverse();
    Ok(past)
}

/// The last event of a source that its copy began with: the row at which it
/// was cut, else what was there when it was made.
async fn cut(
    store: &Store,
    source: SessionId,
    created: &SessionCreated,
    made: &StoredEvent,
) -> Result<Seq, StoreError> {
    let made_at = made.envelope()?.ts;
    let mut last = Seq::START;
    let mut after = Seq::START;
    loop {
        let page = store.read_after(source, after, PAGE).await?;
        let Some(end) = page.last() else {
            return Ok(last);
        };
        after = end.seq;
        for stored in &page {
            let envelope = stored.envelope()?;
            let is_in = match &created.forked_at {
                Some(row) => is_row(&envelope.event, row),
                None => envelope.ts <= made_at,
            };
            if is_in {
                last = stored.seq;
            }
        }
    }
}

fn is_row(event: &Event, row: &str) -> bool {
    matches!(
        event,
        Event::AssistantMessage(AssistantMessage(block))
        | Event::AssistantThinking(AssistantThinking(block))
            if block.agent_uuid.as_deref() == Some(row)
    )
}
