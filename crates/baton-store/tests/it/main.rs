#![expect(
    clippy::unwrap_used,
    reason = "a failed step fails the test with its place"
)]

mod by_agent;
mod crash;
mod failures;
mod forget;
mod log;
mod lost;
mod moves;
mod projects;
mod properties;
mod records;
mod removed;
mod rules;
mod sign_in;
mod support;
mod upkeep;
mod usage;
mod versions;
mod wal;
