//! Permission rules: what a tool call may do, decided without a person.
//!
//! This crate does not know sessions, agents or storage: a call and the rules
//! come in, a verdict goes out. Reading order: [`Pattern`] (the text of a
//! rule), [`Call`] and [`Resolved`] (what a call would do, links followed),
//! [`judge()`] (the order of rules and modes). Allowing is strict and denying is
//! generous: whatever cannot be understood ends with a person.

mod call;
mod environment;
mod glob;
mod harmless;
mod input;
mod judge;
mod limits;
mod matching;
mod mentions;
mod paths;
mod pattern;
mod plan;
mod preview;
mod shell;
mod suggest;
mod tools;
mod weight;
mod words;

pub use call::{Call, Resolved};
pub use judge::{By, Rule, RuleRef, Stage, Surroundings, UNCOVERED, Verdict, judge};
pub use limits::obeyed_names;
pub use paths::{FakePaths, FileId, Link, PathForms, Paths, RealPaths};
pub use pattern::{Pattern, PatternError};
pub use plan::{Plans, read_only_command};
pub use preview::{PastCall, PreviewRow, concerns, preview};
pub use shell::MAX_COMMAND;
pub use suggest::{exact_rule, suggestions};
pub use tools::{READ, tool_of_server};
pub use weight::{Weight, weight};
pub use words::words;
