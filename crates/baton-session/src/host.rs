//! A program that agents live in: it talks to them over its own standard
//! input and output, and they end with it.

use std::{fmt::Debug, pin::Pin};

use baton_protocol::words::Json;

/// Tools calls that the host works on at once. More are refused.
pub(crate) const MAX_CALLS: usize = 32;

/// The host of this supervisor's agents.
///
/// Its answers are not recorded: an agent that waits for one ends with the
/// host, so there is never another owner who would have to give it again.
pub trait Host: Send + Sync + Debug {
    /// The name of its MCP server.
    fn server(&self) -> &str;

    /// Answers one JSON-RPC message. For a notification anything will do.
    fn answer(&self, message: Json) -> Answering;
}

/// An answer on its way.
pub type Answering = Pin<Box<dyn Future<Output = Json> + Send>>;
