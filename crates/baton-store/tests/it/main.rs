#![expect(
    clippy::unwrap_used,
    reason = "a failed step fails the test with its place"
)]

mod crash;
mod log;
mod records;
mod support;
