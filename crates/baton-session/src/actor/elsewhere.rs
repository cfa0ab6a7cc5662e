//! Somebody else's process on this session: two at once would tear its
//! conversation apart, so none of ours is started then.

use baton_protocol::words::ErrorCode;

use super::Actor;
use crate::{
    agents,
    machine::{Rejected, Trouble},
};

impl Actor {
    /// Why a message may not be taken now: it would want a process where
    /// another one runs.
    pub(super) fn owned_elsewhere(&self) -> Option<Rejected> {
        if self.process.is_some() {
            return None;
        }
        let pid = agents::owner_elsewhere(&self.parts.home, self.parts.machine.facts())?;
        Some(Rejected::OwnedElsewhere { pid })
    }

    /// The same, just before a process is started.
    pub(super) fn start_refused(&self) -> Option<Trouble> {
        let pid = agents::owner_elsewhere(&self.parts.home, self.parts.machine.facts())?;
        Some(Trouble {
            code: ErrorCode::AgentRefused,
            message: Rejected::OwnedElsewhere { pid }.to_string(),
            hint: Some(format!("End process {pid}, then send the message again.")),
            detail: None,
        })
    }
}
