//! HTTP: the same commands as on the control socket, for browsers and programs.
//!
//! Read in this order: `routes` is the table of every path; `route` is what
//! one of them is; `listen` takes connections, and `guard` looks at each
//! request first. [`openapi`] makes the document out of the table.
//!
//! A transport adds framing and sign-in, never meaning: handlers read a request,
//! ask the [`Api`], and write down what it said.

mod answer;
mod budget;
mod docs_page;
mod guard;
mod handlers;
mod headers;
mod input;
mod limits;
mod listen;
mod metrics;
pub mod openapi;
mod pace;
mod page;
mod route;
mod router;
mod routes;
mod sse;
mod stream_body;
mod ws;

use std::{net::SocketAddr, sync::Arc};

use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::guard::{BadUrl, Hosts};
pub use self::limits::{HttpLimits, Pace};
pub use self::listen::HEADER_BYTES;
use self::{budget::Budget, metrics::Metrics};
use crate::api::Api;

/// What HTTP is served with.
pub struct HttpOptions {
    pub hosts: Hosts,
    /// Encrypts every connection.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    pub limits: HttpLimits,
}

/// What handlers share.
pub(crate) struct Site {
    pub(crate) api: Arc<Api>,
    pub(crate) hosts: Hosts,
    pub(crate) tls: bool,
    pub(crate) limits: HttpLimits,
    pub(crate) budget: Budget,
    pub(crate) metrics: Metrics,
    /// Streams and WebSockets, which end when the daemon does.
    pub(crate) streams: TaskTracker,
    pub(crate) cancel: CancellationToken,
}

/// The two ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    /// The address that the client reached.
    pub(crate) local: SocketAddr,
    pub(crate) peer: SocketAddr,
}

/// Serves until `cancel`, then ends streams, lets running requests finish for a
/// moment, and closes.
pub async fn serve(
    listener: TcpListener,
    api: Arc<Api>,
    options: HttpOptions,
    cancel: CancellationToken,
) {
    let site = Arc::new(Site {
        api,
        hosts: options.hosts,
        tls: options.tls.is_some(),
        limits: options.limits,
        budget: Budget::new(options.limits.held),
        metrics: Metrics::default(),
        streams: TaskTracker::new(),
        cancel,
    });
    listen::serve(listener, site, options.tls).await;
}
