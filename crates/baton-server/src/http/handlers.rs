//! Handlers that are more than a command: streams, bytes, sign-in, health.

pub(crate) mod bytes;
pub(crate) mod daemon;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod sessions;
pub(crate) mod sign_in;
