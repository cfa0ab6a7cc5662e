//! What the CLI answers to the host's requests, where somebody looks into it.

use serde::Deserialize;

use crate::json::RawJson;

/// Answer to `interrupt`; empty in 2.1.197.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Interrupted {
    /// Messages that will run next.
    pub still_queued: Option<Vec<String>>,
    /// Messages that were withdrawn.
    pub cancelled: Option<Vec<String>>,
}

impl Interrupted {
    /// Reads the body of a success; an absent one counts as empty.
    ///
    /// # Errors
    /// Fails when the body does not have the answer's shape.
    pub fn read(body: Option<&RawJson>) -> Result<Self, serde_json::Error> {
        serde_json::from_str(body.map_or("{}", RawJson::get))
    }
}
