#![expect(
    clippy::unwrap_used,
    reason = "a failed step fails the test with its place"
)]

mod log;
mod support;
