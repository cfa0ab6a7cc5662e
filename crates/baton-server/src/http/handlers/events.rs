//! A session's events: pages and a stream.

use std::fmt::Write as _;

use axum::http::StatusCode;
use baton_protocol::{
    Seq, SessionId,
    api::{EventPage, EventsQuery, Problem},
};

use super::super::{
    answer::{Answer, Reply, json_text},
    input::Query,
    route::{Call, Content, Replies, SchemaOf},
    sse,
};
use crate::problem::Told as _;

const DEFAULT_LIMIT: u32 = 500;
const MAX_LIMIT: u32 = 5000;

/// A page or a stream, as the client accepts.
pub(crate) struct Events(Reply);

impl Answer for Events {
    fn replies() -> Vec<Replies> {
        vec![
            Replies {
                status: 200,
                content: Content::Json(SchemaOf::of::<EventPage>()),
            },
            Replies {
                status: 200,
                content: Content::Events,
            },
            Replies {
                status: 204,
                content: Content::None,
            },
        ]
    }

    fn reply(self) -> Reply {
        self.0
    }
}

pub(crate) async fn events(
    call: Call,
    Query(query): Query<EventsQuery>,
) -> Result<Events, Problem> {
    let session = call.session().await?;
    let after = Seq(query.after.unwrap_or(0));
    if sse::is_wanted(&call.parts.headers) {
        let after = sse::last_seen(&call.parts.headers)?.unwrap_or(after);
        return sse::follow(&call, session, after).await.map(Events);
    }
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        let message = format!("it is between 1 and {MAX_LIMIT}");
        return Err(Problem::invalid("limit", message));
    }
    let text = page(&call, session, after, limit as usize).await?;
    Ok(Events(json_text(StatusCode::OK, text)))
}

/// The stored texts, as they may be shown, put together.
async fn page(call: &Call, id: SessionId, after: Seq, limit: usize) -> Result<String, Problem> {
    let (store, sight) = (call.site.api.store(), call.sight());
    let events = store.read_after(id, after, limit).await.told()?;
    let head = call.site.api.head(id).await?;
    let next = events.last().map_or(after, |last| last.seq);
    let length: usize = events.iter().map(|event| event.text.len() + 1).sum();
    let mut text = String::with_capacity(length + 64);
    text.push_str("{\"events\":[");
    for (index, event) in events.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&sight.event(event));
    }
    let done = next >= head;
    write!(text, "],\"nextAfter\":{},\"done\":{done}}}", next.0).ok();
    Ok(text)
}
