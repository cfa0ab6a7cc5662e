//! The testkit against the real CLIs, and the fake CLI against both.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conversation;
mod differential;
mod fake_cli;
mod model_server;
mod real_cli;
mod sandbox;
