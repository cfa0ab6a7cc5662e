//! The daemon's outside: what clients may say, and the control socket they say it on.
//!
//! [`Api`] carries commands out over the sessions and the log. A [`Connection`]
//! is one client of it: frames in, frames out, whatever carries them. The
//! control socket in [`socket`] is the first such carrier. [`auth`] says who may
//! come in by any other way.
//!
//! This crate does not know Claude or child processes: it speaks to sessions.

mod api;
pub mod auth;
mod connection;
mod ending;
pub mod http;
mod lines;
mod problem;
mod remote;
mod sight;
pub mod socket;
mod spare;
pub mod tls;

pub use api::{Api, DaemonFacts, Errand, ErrandAnswer, ProjectSearch, Uploads};
pub use connection::{Connection, Line, QUEUE};
pub use ending::Ended;
pub use spare::{Room, Spare, is_full};
