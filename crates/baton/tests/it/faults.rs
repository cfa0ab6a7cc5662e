//! Everything that can die, dying at every point of a session's life: the
//! daemon, the agent, its holder, and all of them.
//!
//! `house` has the processes, `wire` the socket, `life` leads a session through
//! it all as a client would, `verdict` says what must hold afterwards. The
//! other modules choose who dies when.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a check looks for a few kinds of events and says so"
)]

// What must hold of a log is the same wherever it was written.
#[path = "../../../baton-session/tests/it/accounts.rs"]
mod accounts;
mod calls;
mod house;
mod life;
mod orphans;
mod random;
mod reboot;
#[path = "../../../baton-session/tests/it/rules.rs"]
mod rules;
mod stages;
mod verdict;
mod wire;
