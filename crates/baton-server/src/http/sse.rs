//! A session as server-sent events: what was, then what is, then that it ended.

use std::{fmt::Write as _, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};
use baton_protocol::{
    Seq, SessionId,
    api::{Problem, ProblemCode},
    words::SessionState,
};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{answer, route::Call, stream_body::StreamBody};
use crate::connection::{Follow, QUEUE, Sent};

/// Proxies and phones close what is silent for longer.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A comment.
const BEAT: &[u8] = b":\n\n";
/// How long a client waits before it connects again, in milliseconds.
const RETRY: &str = "retry: 1000\n\n";

const LAST_EVENT_ID: &str = "last-event-id";

/// Whether a client asks for a stream rather than for a page.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut accepted = accepted.filter_map(|value| value.to_str().ok());
    accepted.any(|value| {
        let mut types = value
            .split(',')
            .map(|one| one.split(';').next().unwrap_or(""));
        types.any(|one| one.trim().eq_ignore_ascii_case("text/event-stream"))
    })
}

/// Where a client that lost its connection was; it counts more than the query,
/// which is the same in each try.
pub(crate) fn last_seen(headers: &HeaderMap) -> Result<Option<Seq>, Problem> {
    let Some(value) = headers.get(LAST_EVENT_ID) else {
        return Ok(None);
    };
    let seq = value
        .to_str()
        .ok()
        .and_then(|text| text.trim().parse().ok());
    match seq {
        Some(seq) => Ok(Some(Seq(seq))),
        None => Err(Problem::invalid(
            "Last-Event-ID",
            "it is the number of an event",
        )),
    }
}

/// Follows a session. Where it has ended and the client knows all of it, there
/// is nothing to reconnect for.
pub(crate) async fn follow(
    call: &Call,
    session: SessionId,
    after: Seq,
) -> Result<Response<Body>, Problem> {
    let (site, api) = (&call.site, &call.site.api);
    let row = api.session_row(session).await?;
    if row.state == SessionState::Ended && after.0 >= row.event_count {
        return Ok(answer::empty(StatusCode::NO_CONTENT));
    }
    let principal = call.signed()?.clone();
    let place = api.guest_place(&principal, call.rights().limit())?;
    let (out, queue) = mpsc::channel(QUEUE);
    api.watch_queue(&out);
    out.send(Bytes::from_static(RETRY.as_bytes())).await.ok();
    let cancel = site.cancel.child_token();
    let revoked = CancellationToken::new();
    let following = Follow {
        handle: api.open(session).await?,
        after,
        head: Seq(row.event_count),
        out: out.clone(),
        cancel,
        framing: events,
        sight: call.sight(),
        leaves: Some(api.store().clone()),
    };
    let cut = revoked.clone();
    let counted = site.metrics.stream();
    site.streams.spawn(async move {
        tokio::select! {
            () = following.run() => {}
            () = out.closed() => {}
            () = principal.until_revoked() => cut.cancel(),
        }
        drop((place, counted));
    });
    let body = StreamBody::new(queue, revoked).with_beat(HEARTBEAT, BEAT);
    let mut reply = answer::with_type(StatusCode::OK, "text/event-stream", Body::new(body));
    let headers = reply.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // A proxy that collects the answer first would show nothing.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(reply)
}

/// What is sent, as server-sent events. JSON has no line ends in it.
fn events(sent: Sent<'_>, text: &mut String) {
    let written = match sent {
        Sent::Event(seq, event) => write!(
            text,
            "event: session_event\nid: {}\ndata: {event}\n\n",
            seq.0
        ),
        Sent::Live(frame) => write!(text, "event: session_live\ndata: {frame}\n\n"),
        Sent::CaughtUp(_, seq) => write!(text, ": caught up at {}\n\n", seq.0),
        Sent::Done(id, seq) => write!(
            text,
            "event: session_done\ndata: {{\"sessionId\":\"{id}\",\"seq\":{}}}\n\n",
            seq.0
        ),
        // The client connects again and hears then how it stands.
        Sent::Over(_, None) => write!(text, ": goodbye\n\n"),
        Sent::Over(_, Some(problem)) => {
            let code: ProblemCode = problem.code;
            write!(text, ": {code}\n\n")
        }
    };
    // A string takes whatever is written to it.
    written.ok();
}
