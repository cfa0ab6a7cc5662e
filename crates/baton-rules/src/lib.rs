//! Permission rules: what a tool call may do, decided without a person.
//!
//! This crate does not know sessions, agents or storage: a call and the rules
//! come in, a verdict goes out.
