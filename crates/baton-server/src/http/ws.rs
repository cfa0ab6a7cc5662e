//! The frames of the contract over a WebSocket.
//!
//! Signed in by header, or by a first message `hello` with a token; never by
//! the URL, which ends up in logs.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{
        FromRequestParts as _,
        ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade},
    },
    http::header,
};
use baton_protocol::api::{Problem, ProblemCode, ServerFrame};
use futures_util::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use serde::Deserialize;
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, interval_at, timeout},
};

use super::{
    Site,
    answer::{Answer, Reply},
    route::{Call, Content, Replies},
};
use crate::{
    api::{Limit, Rights},
    auth::Principal,
    connection::{Connection, Line, QUEUE},
    lines::MAX_LINE,
};

/// How long a client may take to say who it is.
const HELLO: Duration = Duration::from_secs(5);
/// A client that said nothing for this long is asked whether it is there.
const PING: Duration = Duration::from_secs(30);
/// One that did not answer for this long is gone.
const SILENCE: Duration = Duration::from_secs(90);
/// A client that is told goodbye reads it within this time or not at all.
const GOODBYE: Duration = Duration::from_millis(500);

/// Why the daemon closes: RFC 6455 and its registry.
mod close {
    /// It ends or restarts; connect again.
    pub(super) const RESTART: u16 = 1012;
    /// The credential is missing, wrong or revoked: sign in again.
    pub(super) const POLICY: u16 = 1008;
    /// Too many clients; try again later.
    pub(super) const LATER: u16 = 1013;
}

/// The beginning of a WebSocket.
pub(crate) struct Upgraded(Reply);

impl Answer for Upgraded {
    fn replies() -> Vec<Replies> {
        vec![Replies {
            status: 101,
            content: Content::None,
        }]
    }

    fn reply(self) -> Reply {
        self.0
    }
}

/// A route for anyone, because a browser cannot set headers here; whoever does
/// is looked at before the upgrade.
pub(crate) async fn upgrade(mut call: Call, (): ()) -> Result<Upgraded, Problem> {
    let principal = match call.parts.headers.contains_key(header::AUTHORIZATION) {
        true => Some(call.site.principal(&call.parts.headers).await?),
        false => None,
    };
    let upgrade = WebSocketUpgrade::from_request_parts(&mut call.parts, &()).await;
    let upgrade = upgrade.map_err(|error| {
        let detail = format!("this path takes WebSocket upgrades only: {error}");
        Problem::new(ProblemCode::InvalidRequest, detail)
    })?;
    let site = Arc::clone(&call.site);
    let (project, streams) = (call.project, site.streams.clone());
    let reply = upgrade
        .max_message_size(MAX_LINE)
        .max_frame_size(MAX_LINE)
        .on_upgrade(move |socket| streams.track_future(serve(socket, site, principal, project)));
    Ok(Upgraded(reply))
}

type Sink = SplitSink<WebSocket, Message>;
type Stream = SplitStream<WebSocket>;

async fn serve(
    socket: WebSocket,
    site: Arc<Site>,
    principal: Option<Principal>,
    project: Option<Limit>,
) {
    let (mut sink, mut stream) = socket.split();
    let (principal, hello) = match principal {
        Some(principal) => (principal, None),
        None => match first(&mut stream, &site).await {
            Ok((principal, hello)) => (principal, Some(hello)),
            Err(problem) => return refuse(&mut sink, problem, close::POLICY).await,
        },
    };
    let rights = Rights {
        client: principal.client.clone(),
        scope: principal.scope,
        project,
    };
    let (out, lines) = mpsc::channel(QUEUE);
    let mut connection = match Connection::of_guest(&site.api, rights, out) {
        Ok(connection) => connection,
        Err(problem) => return refuse(&mut sink, problem, close::LATER).await,
    };
    let counted = site.metrics.stream();
    if let Some(hello) = hello {
        connection.frame(hello.as_bytes()).await;
    }
    // One more than is ever asked for at once; the reader waits otherwise.
    let (asks, asked) = mpsc::channel(4);
    let mut writer = JoinSet::new();
    writer.spawn(write(sink, lines, asked));
    let why = tokio::select! {
        () = site.cancel.cancelled() => Some((close::RESTART, "the daemon ends; connect again")),
        () = principal.until_revoked() => {
            // At once: what is queued is not for this client any more.
            writer.abort_all();
            None
        }
        _ = writer.join_next() => None,
        () = read(&mut stream, &mut connection, &asks) => None,
    };
    let closing = async {
        connection.close().await;
        if let Some(why) = why {
            asks.send(Ask::Close(why.0, why.1)).await.ok();
        }
        drop(asks);
        writer.join_next().await;
    };
    timeout(GOODBYE, closing).await.ok();
    writer.shutdown().await;
    drop(counted);
}

#[derive(Deserialize)]
struct Hello {
    r#type: String,
    #[serde(default)]
    token: Option<String>,
}

/// The first message, and who sent it.
async fn first(stream: &mut Stream, site: &Site) -> Result<(Principal, String), Problem> {
    let refuse = |detail: &str| Problem::new(ProblemCode::Unauthorized, detail);
    let said = async {
        loop {
            match stream.next().await {
                Some(Ok(Message::Text(text))) => return Some(text.as_str().to_owned()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => return None,
            }
        }
    };
    let said = timeout(HELLO, said).await;
    let said = said.map_err(|_| refuse("nothing was said in time; begin with `hello`"))?;
    let said = said.ok_or_else(|| refuse("begin with `hello` as text"))?;
    let hello: Option<Hello> = serde_json::from_str(&said).ok();
    let hello = hello.filter(|hello| hello.r#type == "hello");
    let token = hello.and_then(|hello| hello.token);
    let token = token.ok_or_else(|| refuse("begin with `hello` and a token"))?;
    let principal = site.check(&token).await?;
    Ok((principal, said))
}

/// What the reader wants written beside the frames.
enum Ask {
    Ping,
    Close(u16, &'static str),
}

/// Reads until the client leaves or is silent for too long.
async fn read(stream: &mut Stream, connection: &mut Connection, asks: &mpsc::Sender<Ask>) {
    let mut heard = Instant::now();
    let mut beat = interval_at(heard + PING, PING);
    loop {
        let message = tokio::select! {
            message = stream.next() => message,
            _ = beat.tick() => {
                if heard.elapsed() > SILENCE {
                    return;
                }
                // A full queue means that the client does not read anyway.
                asks.try_send(Ask::Ping).ok();
                continue;
            }
        };
        heard = Instant::now();
        match message {
            Some(Ok(Message::Text(text))) => connection.frame(text.as_bytes()).await,
            Some(Ok(Message::Binary(bytes))) => connection.frame(&bytes).await,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(_)) | Err(_)) | None => return,
        }
    }
}

/// Writes what is there in one go, until nothing more can come.
async fn write(mut sink: Sink, mut lines: mpsc::Receiver<Line>, mut asks: mpsc::Receiver<Ask>) {
    let mut batch = Vec::new();
    let mut open = (true, true);
    while open.0 || open.1 {
        tokio::select! {
            biased;
            count = lines.recv_many(&mut batch, QUEUE), if open.0 => {
                open.0 = count > 0;
                for lines in batch.drain(..) {
                    if feed(&mut sink, &lines).await.is_err() {
                        return;
                    }
                }
            }
            ask = asks.recv(), if open.1 => match ask {
                None => open.1 = false,
                Some(Ask::Ping) => {
                    if sink.feed(Message::Ping(bytes::Bytes::new())).await.is_err() {
                        return;
                    }
                }
                Some(Ask::Close(code, why)) => return bye(&mut sink, code, why).await,
            },
        }
        if sink.flush().await.is_err() {
            return;
        }
    }
    sink.close().await.ok();
}

/// A message for each line.
async fn feed(sink: &mut Sink, lines: &Line) -> Result<(), axum::Error> {
    let mut start = 0;
    while start < lines.len() {
        let end = memchr::memchr(b'\n', &lines[start..]).map_or(lines.len(), |at| start + at);
        // It was text, so it is; a message that is not would end the connection.
        if let Ok(text) = Utf8Bytes::try_from(lines.slice(start..end)) {
            sink.feed(Message::Text(text)).await?;
        }
        start = end + 1;
    }
    Ok(())
}

async fn bye(sink: &mut Sink, code: u16, reason: &'static str) {
    let frame = CloseFrame {
        code,
        reason: reason.into(),
    };
    sink.send(Message::Close(Some(frame))).await.ok();
}

/// Says why, for people and for programs, and closes.
async fn refuse(sink: &mut Sink, problem: Problem, code: u16) {
    let frame = ServerFrame::refused(None, problem);
    let text = serde_json::to_string(&frame).unwrap_or_default();
    let telling = async {
        sink.send(Message::Text(text.into())).await.ok();
        bye(sink, code, "refused; the frame before says why").await;
    };
    timeout(GOODBYE, telling).await.ok();
}
