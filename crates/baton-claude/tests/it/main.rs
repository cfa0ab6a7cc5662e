//! Tests of `baton-claude` from outside.
#![expect(
    clippy::unwrap_used,
    reason = "a failed unwrap in a test is a failed test"
)]

mod any_bytes;
mod recordings;
mod replies;
