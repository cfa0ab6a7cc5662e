//! Who came in, and what they may do.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use baton_protocol::{
    DeviceId,
    api::{Problem, ProblemCode},
    words::ClientRef,
};
use tokio_util::sync::CancellationToken;

use super::{Scope, SignedIn, token::Master};

/// Streams, WebSockets and exports that one device may have open. One more is
/// refused, so that no device takes the places of the others.
pub const STREAMS_OF_A_DEVICE: usize = 32;
/// The same for all that show the API token itself, which may be many programs.
pub const STREAMS_OF_THE_TOKEN: usize = 192;

/// Somebody who was let in. Good for one request, or for as long as something
/// stays open and [`until_revoked`](Self::until_revoked) does not return.
#[derive(Debug, Clone)]
pub struct Principal {
    pub scope: Scope,
    /// How the log names them.
    pub client: ClientRef,
    /// None for the API token itself and for the terminal.
    pub device: Option<DeviceId>,
    revoked: CancellationToken,
    streams: Arc<AtomicUsize>,
}

/// One of the streams that somebody has open, until it is dropped.
#[derive(Debug)]
pub struct StreamPlace(Arc<AtomicUsize>);

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Principal {
    /// Whoever may open the control socket's file.
    pub fn terminal() -> Self {
        Self {
            scope: Scope::Admin,
            client: client("terminal", "terminal"),
            device: None,
            revoked: CancellationToken::new(),
            streams: Arc::default(),
        }
    }

    pub(super) fn token(master: &Master) -> Self {
        Self {
            scope: Scope::Admin,
            client: client("token", "API token"),
            device: None,
            revoked: master.revoked.clone(),
            streams: Arc::clone(&master.streams),
        }
    }

    pub(super) fn device(entry: &SignedIn) -> Self {
        let record = &entry.record;
        Self {
            scope: record.scope,
            client: client(&record.id.to_string(), &record.name),
            device: Some(record.id),
            revoked: entry.revoked.clone(),
            streams: Arc::clone(&entry.streams),
        }
    }

    /// A place for one more stream, unless they have as many as they may.
    pub fn open_stream(&self) -> Result<StreamPlace, Problem> {
        let most = match self.device {
            Some(_) => STREAMS_OF_A_DEVICE,
            None => STREAMS_OF_THE_TOKEN,
        };
        let before = self.streams.fetch_add(1, Relaxed);
        let place = StreamPlace(Arc::clone(&self.streams));
        if before < most {
            return Ok(place);
        }
        let detail = format!("you have {most} streams open already; close one first");
        Err(Problem::new(ProblemCode::TooMany, detail))
    }

    /// Returns when they may not be here any more. Cancel-safe.
    pub async fn until_revoked(&self) {
        self.revoked.cancelled().await;
    }

    pub fn is_revoked(&self) -> bool {
        self.revoked.is_cancelled()
    }

    /// Refuses what needs more than they have.
    pub fn needs(&self, scope: Scope) -> Result<(), Problem> {
        if self.scope >= scope {
            return Ok(());
        }
        let detail = format!(
            "this needs the scope `{scope}`, and you signed in with `{}`",
            self.scope
        );
        Err(Problem::new(ProblemCode::Forbidden, detail))
    }

    /// How links name who made them.
    pub(super) fn origin(&self) -> &str {
        &self.client.id
    }
}

fn client(id: &str, name: &str) -> ClientRef {
    ClientRef {
        id: id.to_owned(),
        name: name.to_owned(),
    }
}
