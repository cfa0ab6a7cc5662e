//! Whole sessions through the library: the real CLIs against the scripted
//! model, the fake CLI where misbehaviour is wanted, and owners that go.
//!
//! `world` is the harness, `both` runs a scenario with both pinned CLIs and
//! shows where they differ, `show` renders logs, `usual` shortens them, `rules`
//! and `accounts` hold what is true of every log. The others are scenarios.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a scenario looks for a few kinds of events and says so"
)]

#[macro_use]
mod talk;

mod accepted;
mod accounts;
mod both;
mod rules;
mod show;
mod skills;
mod usual;
mod warmed;
mod wholes;
mod world;

mod approvals;
mod background;
mod begins;
mod beside;
mod budgets;
mod crashes;
mod cuts;
mod doubts;
mod elsewhere;
mod failures;
mod folders;
mod foreign;
mod forks;
mod gate;
mod hangs;
mod images;
mod imports;
mod interrupts;
mod killed;
mod limits;
mod lines;
mod lives;
mod memory;
mod mentions;
mod notes;
mod owners;
mod prompts;
mod questions;
mod secrets;
mod settings;
mod subagents;
mod switched;
mod texts;
mod tiers;
mod tools;
mod turns;
mod unasked;
mod unreadable;
mod unsaid;
mod ways;
