//! Takes connections and speaks HTTP/1.1 on them, within limits of our own.
//!
//! | limit | at it |
//! |---|---|
//! | [`HANDSHAKE`] for TLS | the connection is closed |
//! | [`HEADER_BYTES`] of headers, or 100 of them | 431, and the connection is closed |
//! | a route's body limit | 413 |
//! | [`GRACE`] at the end | what is not finished is cut off |
//!
//! The others are in [`HttpLimits`](super::HttpLimits).

use std::{convert::Infallible, io, sync::Arc, time::Duration};

use axum::{Router, body::Body, http::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

use super::{Ends, Site, pace::Paced, router};

/// The most bytes of a request's headers.
pub const HEADER_BYTES: usize = 32 << 10;
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long running requests may take when the daemon ends.
const GRACE: Duration = Duration::from_secs(2);
/// Without a descriptor left, looking again at once would only spin.
const BREATH: Duration = Duration::from_millis(50);

pub(super) async fn serve(
    listener: TcpListener,
    site: Arc<Site>,
    tls: Option<Arc<rustls::ServerConfig>>,
) {
    let places = Arc::new(Semaphore::new(site.limits.connections));
    let tls = tls.map(TlsAcceptor::from);
    let router = router::router(&site);
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = site.cancel.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be taken");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&places).try_acquire_owned() else {
            refuse(&stream);
            continue;
        };
        let Ok(local) = stream.local_addr() else {
            continue;
        };
        let ends = Ends { local, peer };
        let place = TcpPlace::new(permit, &site);
        let (site, router, tls) = (Arc::clone(&site), router.clone(), tls.clone());
        connections.spawn(async move {
            if let Err(error) = connection(stream, (ends, place), site, router, tls).await {
                tracing::debug!(%error, "a connection broke");
            }
        });
    }
    drop(listener);
    close(&site, connections).await;
}

/// Streams are told to end first: clients reconnect to the next daemon.
async fn close(site: &Site, mut connections: JoinSet<()>) {
    site.streams.close();
    let finished = async {
        site.streams.wait().await;
        while connections.join_next().await.is_some() {}
    };
    if timeout(GRACE, finished).await.is_err() {
        tracing::info!(open = connections.len(), "requests are cut off");
    }
    connections.shutdown().await;
}

/// Written if it fits at once; nobody is waited for.
fn refuse(stream: &TcpStream) {
    let body = r#"{"type":"urn:baton:problem:too_many","code":"too_many","title":"Too many at once","status":503,"detail":"too many connections are open already; try again in a moment"}"#;
    let reply = format!(
        "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 5\r\n\
         content-type: application/problem+json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    if let Err(error) = stream.try_write(reply.as_bytes()) {
        tracing::debug!(%error, "a connection too many was closed");
    }
}

/// One of the places for connections, for as long as anything of it is open:
/// a WebSocket lives on when its request has been answered.
#[derive(Clone)]
pub(super) struct TcpPlace {
    _held: Arc<Held>,
}

struct Held {
    _permit: OwnedSemaphorePermit,
    site: Arc<Site>,
}

impl TcpPlace {
    fn new(permit: OwnedSemaphorePermit, site: &Arc<Site>) -> Self {
        site.metrics.connected();
        let held = Held {
            _permit: permit,
            site: Arc::clone(site),
        };
        Self {
            _held: Arc::new(held),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.site.metrics.disconnected();
    }
}

async fn connection(
    stream: TcpStream,
    (ends, place): (Ends, TcpPlace),
    site: Arc<Site>,
    router: Router,
    tls: Option<TlsAcceptor>,
) -> io::Result<()> {
    // Deltas are small and should not wait for each other.
    stream.set_nodelay(true)?;
    let stream = Paced::new(stream, site.limits.reading);
    let speaker = Speaker {
        ends,
        place,
        site,
        router,
    };
    match tls {
        None => speaker.speak(stream).await,
        Some(tls) => {
            let accepting = timeout(HANDSHAKE, tls.accept(stream)).await;
            let stream = accepting.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            speaker.speak(stream).await
        }
    }
}

/// What requests of one connection have in common.
struct Speaker {
    ends: Ends,
    place: TcpPlace,
    site: Arc<Site>,
    router: Router,
}

impl Speaker {
    async fn speak<S>(self, stream: S) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let cancel = self.site.cancel.clone();
        let header_time = self.site.limits.header_time;
        let service = service_fn(move |request: Request<Incoming>| {
            let (site, router) = (Arc::clone(&self.site), self.router.clone());
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(self.place.clone());
            let ends = self.ends;
            async move { Ok::<_, Infallible>(router::answer(site, router, ends, request).await) }
        });
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(header_time)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        tokio::pin!(serving);
        let mut ending = false;
        loop {
            tokio::select! {
                served = serving.as_mut() => return served.map_err(io::Error::other),
                () = cancel.cancelled(), if !ending => {
                    ending = true;
                    serving.as_mut().graceful_shutdown();
                }
            }
        }
    }
}
