//! Real processes, real sockets, real files.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so and stop"
)]

mod harness;
mod holder;
