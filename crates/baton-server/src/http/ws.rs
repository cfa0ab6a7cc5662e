//! The frames of the contract over a WebSocket.
//!
//! Signed in by header, or by a first message `hello` with a token; never by
//! the URL, which ends up in logs.

mod hello;

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};
use baton_protocol::api::{Problem, ProblemCode, ServerFrame};
use futures_util::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use hyper::upgrade::{OnUpgrade, Upgraded as Io};
use hyper_util::rt::TokioIo;
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, interval_at, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Message, Utf8Bytes,
        handshake::derive_accept_key,
        protocol::{CloseFrame, Role, WebSocketConfig},
    },
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::{
    Site,
    answer::{Answer, Reply},
    budget::{Meter, Metered},
    listen::TcpPlace,
    route::{Call, Content, ProjectInPath, Replies},
};
use crate::{
    api::{Rights, not_shared},
    auth::Principal,
    connection::{Connection, Line, QUEUE},
    lines::MAX_LINE,
};

/// What is read of a socket at once. Commands are short, and each tab of each
/// browser has such a buffer for as long as it is open.
const READ_BUFFER: usize = 4 * 1024;

/// For messages of at most so many bytes.
fn within(most: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .max_message_size(Some(most))
        .max_frame_size(Some(most))
}

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
    let signed = call.parts.headers.contains_key(header::AUTHORIZATION);
    let guest = if signed {
        let principal = call.site.principal(&call.parts.headers).await?;
        // Known before the upgrade, so it can be told as any other problem.
        Guest::let_in(&call.site, principal, &call.place).await?
    } else {
        Guest::Unknown(call.place)
    };
    let accept = accept(&call.parts.headers).map_err(|what| {
        let detail = format!("this path takes WebSocket upgrades only: {what}");
        Problem::new(ProblemCode::InvalidRequest, detail)
    })?;
    let upgrading = call.parts.extensions.remove::<OnUpgrade>();
    let upgrading = upgrading.ok_or_else(|| {
        let detail = "this connection cannot be upgraded";
        Problem::new(ProblemCode::InvalidRequest, detail)
    })?;
    // A WebSocket is a connection for as long as it is open.
    let place = call.parts.extensions.remove::<TcpPlace>();
    let site = Arc::clone(&call.site);
    call.site.streams.spawn(async move {
        match upgrading.await {
            Ok(io) => serve(TokioIo::new(io), site, guest).await,
            Err(error) => tracing::debug!(%error, "a client left before its WebSocket began"),
        }
        drop(place);
    });
    let mut reply = Response::new(Body::empty());
    *reply.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = reply.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    Ok(Upgraded(reply))
}

/// What the client's key is answered with, if this is an upgrade.
fn accept(headers: &HeaderMap) -> Result<HeaderValue, &'static str> {
    let says = |name: header::HeaderName, word: &str| {
        let values = headers.get_all(name).iter();
        let mut values = values.filter_map(|value| value.to_str().ok());
        values.any(|value| {
            let mut words = value.split(',').map(str::trim);
            words.any(|one| one.eq_ignore_ascii_case(word))
        })
    };
    if !says(header::CONNECTION, "upgrade") || !says(header::UPGRADE, "websocket") {
        return Err("`Connection: upgrade` and `Upgrade: websocket` are needed");
    }
    if !says(header::SEC_WEBSOCKET_VERSION, "13") {
        return Err("`Sec-WebSocket-Version` is 13");
    }
    let key = headers.get(header::SEC_WEBSOCKET_KEY);
    let key = key.ok_or("`Sec-WebSocket-Key` is missing")?;
    let accept = derive_accept_key(key.as_bytes());
    HeaderValue::from_str(&accept).map_err(|_| "`Sec-WebSocket-Key` makes no sense")
}

type Socket = WebSocketStream<Metered<TokioIo<Io>>>;
type Sink = SplitSink<Socket, Message>;
type Stream = SplitStream<Socket>;

/// Who is at the other end.
enum Guest {
    /// Says it with the first message; until then no project is looked up, so
    /// that nobody learns which there are.
    Unknown(ProjectInPath),
    Known(Box<(Principal, Rights)>),
}

impl Guest {
    async fn let_in(
        site: &Site,
        principal: Principal,
        place: &ProjectInPath,
    ) -> Result<Self, Problem> {
        if principal.only.is_some() && place.0.is_some() {
            return Err(not_shared());
        }
        let rights = Rights::of(&principal, place.limit(&site.api).await?);
        Ok(Self::Known(Box::new((principal, rights))))
    }
}

async fn serve(io: TokioIo<Io>, site: Arc<Site>, guest: Guest) {
    let (io, read, guest) = match guest {
        known @ Guest::Known(_) => (io, Vec::new(), Ok(known)),
        Guest::Unknown(place) => {
            let said = hello::read(io, &site, site.limits.hello_time);
            let Some((io, read, who)) = site.cancel.run_until_cancelled(said).await else {
                return;
            };
            let guest = match who {
                Ok(principal) => Guest::let_in(&site, principal, &place).await,
                Err(problem) => Err(problem),
            };
            (io, read, guest)
        }
    };
    let config = within(MAX_LINE);
    let meter = Arc::new(Meter::new(&site.budget));
    let io = Metered {
        io,
        meter: Arc::clone(&meter),
    };
    let socket = WebSocketStream::from_partially_read(io, read, Role::Server, Some(config)).await;
    let (mut sink, stream) = socket.split();
    match guest {
        Ok(Guest::Known(known)) => {
            let heard = Heard { stream, meter };
            let span = tracing::info_span!(parent: None, "client", id = known.1.client.id);
            let talk = talk(sink, heard, site, known.0, known.1);
            talk.instrument(span).await;
        }
        Ok(Guest::Unknown(_)) => {}
        Err(problem) => refuse(&mut sink, problem, close::POLICY).await,
    }
}

/// What a client says, and how much memory it takes to hear it.
struct Heard {
    stream: Stream,
    meter: Arc<Meter>,
}

async fn talk(
    mut sink: Sink,
    mut heard: Heard,
    site: Arc<Site>,
    principal: Principal,
    rights: Rights,
) {
    let (out, lines) = mpsc::channel(QUEUE);
    let opened = site.api.guest_place(&principal, rights.limit());
    let mut connection = match opened {
        Ok(place) => Connection::of_guest(place, &site.api, rights, out),
        Err(problem) => return refuse(&mut sink, problem, close::LATER).await,
    };
    let counted = site.metrics.stream();
    // One more than is ever asked for at once; the reader waits otherwise.
    let (asks, asked) = mpsc::channel(4);
    let mut writer = JoinSet::new();
    let revoked = CancellationToken::new();
    writer.spawn(write(sink, lines, asked, revoked.clone()));
    let why = tokio::select! {
        () = site.cancel.cancelled() => Some((close::RESTART, "the daemon ends; connect again")),
        () = principal.until_revoked() => {
            // At once: what is queued is not for this client any more.
            revoked.cancel();
            None
        }
        _ = writer.join_next() => None,
        () = read(&mut heard, &mut connection, &asks) => {
            let full = heard.meter.is_full();
            full.then_some((close::LATER, "others send too much; try again later"))
        }
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

/// What the reader wants written beside the frames.
enum Ask {
    Ping,
    Close(u16, &'static str),
}

/// Reads until the client leaves or is silent for too long.
async fn read(heard: &mut Heard, connection: &mut Connection, asks: &mpsc::Sender<Ask>) {
    let mut last = Instant::now();
    let mut beat = interval_at(last + PING, PING);
    loop {
        let message = tokio::select! {
            message = heard.stream.next() => message,
            _ = beat.tick() => {
                if last.elapsed() > SILENCE {
                    return;
                }
                // A full queue means that the client does not read anyway.
                asks.try_send(Ask::Ping).ok();
                continue;
            }
        };
        last = Instant::now();
        match message {
            Some(Ok(Message::Text(text))) => connection.frame(text.as_bytes()).await,
            Some(Ok(Message::Binary(bytes))) => connection.frame(&bytes).await,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(_) | Message::Frame(_)) | Err(_)) | None => return,
        }
        heard.meter.reset();
    }
}

/// Writes until nothing more can come, or until the client is signed out.
async fn write(
    mut sink: Sink,
    lines: mpsc::Receiver<Line>,
    asks: mpsc::Receiver<Ask>,
    revoked: CancellationToken,
) {
    tokio::select! {
        biased;
        () = revoked.cancelled() => {}
        () = write_all(&mut sink, lines, asks) => return,
    }
    bye(&mut sink, close::POLICY, "this device was signed out").await;
}

/// Writes what is there in one go, until nothing more can come.
async fn write_all(
    sink: &mut Sink,
    mut lines: mpsc::Receiver<Line>,
    mut asks: mpsc::Receiver<Ask>,
) {
    let mut batch = Vec::new();
    let mut open = (true, true);
    while open.0 || open.1 {
        tokio::select! {
            biased;
            count = lines.recv_many(&mut batch, QUEUE), if open.0 => {
                open.0 = count > 0;
                for lines in batch.drain(..) {
                    if feed(sink, &lines).await.is_err() {
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
                Some(Ask::Close(code, why)) => return bye(sink, code, why).await,
            },
        }
        if sink.flush().await.is_err() {
            return;
        }
    }
    sink.close().await.ok();
}

/// A message for each line.
async fn feed(sink: &mut Sink, lines: &Line) -> Result<(), tungstenite::Error> {
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
        code: code.into(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_socket_costs_little_whatever_it_may_send() {
        for most in [MAX_LINE, 64] {
            let config = within(most);
            assert!(config.read_buffer_size <= 4096);
            assert_eq!(
                (config.max_message_size, config.max_frame_size),
                (Some(most), Some(most))
            );
        }
    }
}
