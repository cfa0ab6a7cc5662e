//! What is done before a session is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::options::Create;

/// What this client is about to make, so that its agent is up by then. It is
/// said again at least every 60 seconds for as long as that holds, over the same
/// connection; when that closes, so does what was started for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Warm {
    pub project: String,
    /// The body of the session; its first message and title do not matter.
    /// Absent: nothing is about to be made any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<Create>>,
    /// The connection that it came over.
    #[serde(skip)]
    #[schemars(skip)]
    pub lease: Option<u64>,
}

/// How far that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Warmed {
    pub state: WarmState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WarmState {
    /// An agent waits for the first message.
    Ready,
    Starting,
    /// None does: the folder is not trusted, something in it or in the user's
    /// settings would run at the start, or there is no room.
    None,
}
