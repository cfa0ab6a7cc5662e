//! A session's events: pages, a stream, and the whole of it.

use std::fmt::Write as _;

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
};
use baton_protocol::{Seq, SessionId, api::Problem};
use baton_store::Store;
use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::super::{
    answer::{Answer, Reply, json_text, with_type},
    input::Query,
    route::{Call, Content, Replies, SchemaOf},
    sse,
    stream_body::StreamBody,
};
use crate::problem;

const DEFAULT_LIMIT: u32 = 500;
const MAX_LIMIT: u32 = 5000;
/// Events read at once for an export.
const PAGE: usize = 500;

/// Which events.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct EventsQuery {
    /// Only events with a greater number; from the beginning when absent.
    after: Option<u64>,
    /// At most 5,000; 500 when absent. Fewer come when they are large.
    #[schemars(range(min = 1, max = 5000))]
    limit: Option<u32>,
}

/// Part of a session's events.
struct EventPage;

impl JsonSchema for EventPage {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EventPage".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "Part of a session's events.",
            "required": ["events", "nextAfter", "done"],
            "properties": {
                "events": {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/Envelope"},
                },
                "nextAfter": {
                    "type": "integer", "minimum": 0,
                    "description": "`after` of the next part.",
                },
                "done": {
                    "type": "boolean",
                    "description": "There is nothing after this part yet.",
                },
            },
        })
    }
}

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

/// The stored texts, put together without reading them.
async fn page(call: &Call, id: SessionId, after: Seq, limit: usize) -> Result<String, Problem> {
    let store = call.site.api.store();
    let events = store.read_after(id, after, limit).await;
    let events = events.map_err(|error| problem::of_store(&error))?;
    let head = call.site.api.head(id).await?;
    let next = events.last().map_or(after, |last| last.seq);
    let length: usize = events.iter().map(|event| event.text.len() + 1).sum();
    let mut text = String::with_capacity(length + 64);
    text.push_str("{\"events\":[");
    for (index, event) in events.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&event.text);
    }
    let done = next >= head;
    write!(text, "],\"nextAfter\":{},\"done\":{done}}}", next.0).ok();
    Ok(text)
}

/// Every event, one per line.
pub(crate) struct Export {
    body: StreamBody,
    session: SessionId,
}

impl Answer for Export {
    fn replies() -> Vec<Replies> {
        vec![Replies {
            status: 200,
            content: Content::Text("application/x-ndjson"),
        }]
    }

    fn reply(self) -> Reply {
        let mut reply = with_type(StatusCode::OK, "application/x-ndjson", Body::new(self.body));
        let name = format!("attachment; filename=\"{}.ndjson\"", self.session);
        if let Ok(name) = HeaderValue::from_str(&name) {
            reply
                .headers_mut()
                .insert(header::CONTENT_DISPOSITION, name);
        }
        reply
    }
}

/// A log of any length, in little memory. What is not sent to its end breaks
/// off, so that nobody takes a part of a log for the whole of it.
pub(crate) async fn export(call: Call, (): ()) -> Result<Export, Problem> {
    let session = call.session().await?;
    let principal = call.signed()?.clone();
    let place = call.site.api.guest_place(&principal)?;
    let head = call.site.api.head(session).await?;
    let store = call.site.api.store().clone();
    // When full, the next page is read once the client has read.
    let (out, queue) = mpsc::channel(2);
    let (cut, cancel) = (CancellationToken::new(), call.site.cancel.clone());
    let body = StreamBody::new(queue, cut.clone());
    call.site.streams.spawn(async move {
        let whole = tokio::select! {
            whole = send_all(&store, session, head, &out) => whole,
            () = cancel.cancelled() => false,
            () = principal.until_revoked() => false,
        };
        if !whole {
            cut.cancel();
        }
        drop((out, place));
    });
    Ok(Export { body, session })
}

/// Sends every event there is; says whether all up to `head` were among them.
async fn send_all(store: &Store, session: SessionId, head: Seq, out: &mpsc::Sender<Bytes>) -> bool {
    let mut after = Seq::START;
    loop {
        let page = match store.read_after(session, after, PAGE).await {
            Ok(page) => page,
            Err(error) => {
                tracing::warn!(%error, %session, "an export broke off");
                return false;
            }
        };
        let Some(last) = page.last() else {
            return after >= head;
        };
        after = last.seq;
        let mut text = String::new();
        for event in &page {
            text.push_str(&event.text);
            text.push('\n');
        }
        if out.send(Bytes::from(text)).await.is_err() {
            return false;
        }
    }
}
