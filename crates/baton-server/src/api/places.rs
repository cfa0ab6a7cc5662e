//! Places for clients: how many may be connected, and how many of one device.

use std::sync::{Arc, atomic::Ordering};

use baton_protocol::api::{Problem, ProblemCode};

use super::Api;
use crate::auth::{Principal, StreamPlace};

/// Connections at once. One more is told so and closed.
const MAX_CONNECTIONS: usize = 256;

/// Of these, so many are for the control socket alone: those who come in over
/// the network cannot keep out the one who could sign them out.
const KEPT_FREE: usize = 32;

/// One of the places for connections.
#[derive(Debug)]
pub(crate) struct Place {
    api: Arc<Api>,
    /// Of the device that has it, where it is one.
    _stream: Option<StreamPlace>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let before = self.api.connections.fetch_sub(1, Ordering::Relaxed);
        self.api.connected.send_replace(before.saturating_sub(1));
    }
}

impl Api {
    /// A place among the connections, until it is dropped.
    pub(crate) fn place(self: &Arc<Self>) -> Result<Place, Problem> {
        self.place_among(MAX_CONNECTIONS, None)
    }

    /// The same for one who signed in.
    pub(crate) fn guest_place(self: &Arc<Self>, guest: &Principal) -> Result<Place, Problem> {
        let stream = guest.open_stream()?;
        self.place_among(MAX_CONNECTIONS - KEPT_FREE, Some(stream))
    }

    fn place_among(
        self: &Arc<Self>,
        most: usize,
        stream: Option<StreamPlace>,
    ) -> Result<Place, Problem> {
        let place = Place {
            api: Arc::clone(self),
            _stream: stream,
        };
        let before = self.connections.fetch_add(1, Ordering::Relaxed);
        self.connected.send_replace(before + 1);
        if before >= most {
            return Err(Problem::new(
                ProblemCode::TooMany,
                format!("{most} clients are connected already"),
            ));
        }
        Ok(place)
    }
}
