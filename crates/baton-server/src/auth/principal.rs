//! Who came in, and what they may do.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};
use std::time::Duration;

use baton_protocol::{
    DeviceId, SessionId, Timestamp,
    api::{Problem, ProblemCode},
    words::ClientRef,
};
use baton_session::World;
use tokio_util::sync::CancellationToken;

use super::{Scope, SignedIn, token::Master};

/// Streams, WebSockets and exports that one device may have open. One more is
/// refused, so that no device takes the places of the others.
pub const STREAMS_OF_A_DEVICE: usize = 32;
/// The same for all that show the API token itself, which may be many programs.
pub const STREAMS_OF_THE_TOKEN: usize = 192;

/// Between two looks at the clock whether a shared link has run out.
const LOOK: Duration = Duration::from_secs(30);

/// Somebody who was let in. Good for one request, or for as long as something
/// stays open and [`until_revoked`](Self::until_revoked) does not return.
#[derive(Debug, Clone)]
pub struct Principal {
    pub scope: Scope,
    /// How the log names them.
    pub client: ClientRef,
    /// None for the API token itself and for the terminal.
    pub device: Option<DeviceId>,
    /// The one session that a shared link shows. All else is not there for it.
    pub only: Option<SessionId>,
    /// When it runs out, by this clock.
    ends: Option<(Timestamp, Option<Arc<dyn World>>)>,
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
            only: None,
            ends: None,
            revoked: CancellationToken::new(),
            streams: Arc::default(),
        }
    }

    pub(super) fn token(master: &Master) -> Self {
        Self {
            scope: Scope::Admin,
            client: client("token", "API token"),
            device: None,
            only: None,
            ends: None,
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
            only: record.share.map(|share| share.session),
            ends: record.share.map(|share| (share.expires_at, None)),
            revoked: entry.revoked.clone(),
            streams: Arc::clone(&entry.streams),
        }
    }

    /// With the clock that its end is counted by.
    pub(super) fn in_time(mut self, world: &Arc<dyn World>) -> Self {
        if let Some((_, clock)) = &mut self.ends {
            *clock = Some(Arc::clone(world));
        }
        self
    }

    /// How long it may still be here; none is for as long as it is not revoked.
    fn left(&self) -> Option<Duration> {
        let (at, clock) = self.ends.as_ref()?;
        Some(
            clock
                .as_ref()
                .map_or(Duration::ZERO, |clock| at.since(clock.now())),
        )
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
        let over = async {
            // A clock that is set forward, or a machine that slept, is noticed.
            while let Some(left) = self.left().filter(|left| !left.is_zero()) {
                tokio::time::sleep(left.min(LOOK)).await;
            }
            if self.ends.is_none() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = self.revoked.cancelled() => {}
            () = over => {}
        }
    }

    pub fn is_revoked(&self) -> bool {
        self.revoked.is_cancelled() || self.left().is_some_and(|left| left.is_zero())
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
