//! The daemon's outside, against real sessions of the demo agent.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failed step is a failed test"
)]

mod auth;
mod clients;
mod clones;
mod commands;
mod documented;
mod ending;
mod http;
mod moves;
mod projects;
mod socket;
mod world;
