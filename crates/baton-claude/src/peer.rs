//! Who still owes whom an answer, in both directions. No IO and no clock.
//!
//! Every entry ends in exactly one way. A question of ours is answered, runs
//! out of time, or dies with the process; a question of the CLI is replied to,
//! taken back, or dies with the process. What is not in the table is not ours
//! (the CLI repeats our own answers when replay is on), comes late, or comes
//! twice, and is ignored.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use crate::control::{ControlRefusal, ControlResponse, HostRequest};
use crate::json::RawJson;
use crate::outgoing::Outgoing;

/// The table. `T` travels with each question of ours, so that whoever asked
/// can be found again.
#[derive(Debug)]
pub struct Peer<T> {
    ours: BTreeMap<Uuid, Ours<T>>,
    theirs: BTreeMap<String, ()>,
}

#[derive(Debug)]
struct Ours<T> {
    token: T,
    subtype: &'static str,
    asked_at: Instant,
    deadline: Instant,
}

/// How a question of ours ended, other than with success.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The CLI will not or cannot do it.
    #[error("{subtype} was refused")]
    Refused {
        /// What was asked.
        subtype: &'static str,
        /// The CLI's words.
        #[source]
        refusal: ControlRefusal,
    },
    /// The CLI said nothing in time. 2.1.197 can hang for good after a bad
    /// request, so this is a reason to end the process.
    #[error("{subtype} was not answered within {} ms", .after.as_millis())]
    Silent {
        /// What was asked.
        subtype: &'static str,
        /// How long we waited.
        after: Duration,
    },
    /// The process ended first.
    #[error("the process ended before it answered {subtype}")]
    Gone {
        /// What was asked.
        subtype: &'static str,
    },
    /// The answer does not have the shape it should.
    #[error("the answer to {subtype} has an unknown shape: {detail}")]
    BadAnswer {
        /// What was asked.
        subtype: &'static str,
        /// What is wrong with it.
        detail: String,
    },
}

/// The end of a question of ours.
#[derive(Debug, PartialEq)]
pub struct Settled<T> {
    /// What travelled with it.
    pub token: T,
    /// How it ended.
    pub outcome: Result<Option<RawJson>, RequestError>,
}

/// What an arriving question of the CLI is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// A new one, to be answered.
    New,
    /// One that is open already; answer it once.
    Repeated,
}

/// Everything that was open when the process ended.
#[derive(Debug, PartialEq)]
pub struct Gone<T> {
    /// Our questions.
    pub ours: Vec<Settled<T>>,
    /// Ids of the CLI's questions; nobody waits for their answers any more.
    pub theirs: Vec<String>,
}

impl<T> Default for Peer<T> {
    fn default() -> Self {
        Self {
            ours: BTreeMap::new(),
            theirs: BTreeMap::new(),
        }
    }
}

impl<T> Peer<T> {
    /// Enters a question of ours and makes its line. `id` must be fresh.
    pub fn ask(
        &mut self,
        id: Uuid,
        request: HostRequest,
        token: T,
        now: Instant,
        limit: Duration,
    ) -> Outgoing {
        let subtype = request.subtype();
        let entry = Ours {
            token,
            subtype,
            asked_at: now,
            deadline: now + limit,
        };
        self.ours.insert(id, entry);
        Outgoing::Request {
            request_id: id,
            request,
        }
    }

    /// Takes an answer. None when it is not for us or no longer wanted.
    pub fn answer(&mut self, response: ControlResponse) -> Option<Settled<T>> {
        let id: Uuid = response.request_id.parse().ok()?;
        let Ours { token, subtype, .. } = self.ours.remove(&id)?;
        let outcome = response
            .outcome
            .map_err(|refusal| RequestError::Refused { subtype, refusal });
        Some(Settled { token, outcome })
    }

    /// When [`Peer::expire`] should be called next.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.ours.values().map(|entry| entry.deadline).min()
    }

    /// Ends the questions of ours whose time is up.
    pub fn expire(&mut self, now: Instant) -> Vec<Settled<T>> {
        let late = self.ours.extract_if(.., |_, entry| entry.deadline <= now);
        late.map(|(_, entry)| Settled {
            token: entry.token,
            outcome: Err(RequestError::Silent {
                subtype: entry.subtype,
                after: entry.deadline.duration_since(entry.asked_at),
            }),
        })
        .collect()
    }

    /// Enters a question of the CLI.
    pub fn arrive(&mut self, request_id: &str) -> Arrival {
        match self.theirs.entry(request_id.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(());
                Arrival::New
            }
            Entry::Occupied(_) => Arrival::Repeated,
        }
    }

    /// Ends a question of the CLI with a reply. False when it ended before:
    /// the reply is then of no use and must not be sent.
    pub fn reply(&mut self, request_id: &str) -> bool {
        self.theirs.remove(request_id).is_some()
    }

    /// Ends a question that the CLI takes back. False when it ended before.
    pub fn take_back(&mut self, request_id: &str) -> bool {
        self.theirs.remove(request_id).is_some()
    }

    /// Whether the CLI waits for an answer of ours.
    #[must_use]
    pub fn owes_answers(&self) -> bool {
        !self.theirs.is_empty()
    }

    /// Ends everything, because the process did.
    pub fn gone(&mut self) -> Gone<T> {
        let ours = std::mem::take(&mut self.ours);
        Gone {
            ours: ours
                .into_values()
                .map(|entry| Settled {
                    token: entry.token,
                    outcome: Err(RequestError::Gone {
                        subtype: entry.subtype,
                    }),
                })
                .collect(),
            theirs: std::mem::take(&mut self.theirs).into_keys().collect(),
        }
    }
}

#[cfg(test)]
#[path = "peer_tests.rs"]
mod tests;
