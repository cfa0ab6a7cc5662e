//! Real processes, real sockets, real files.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say so and stop"
)]

mod child;
mod ending;
mod harness;
mod holder;
mod lent;
mod limits;
mod outside;
mod owners;
mod removal;
mod run;
mod survival;
