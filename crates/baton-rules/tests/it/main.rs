//! Rules judged from outside, as the rest of Baton uses them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

mod bypass;
mod credentials;
mod differential;
mod docs;
mod found;
mod fuzzed;
mod listed;
mod matching;
mod named;
mod order;
mod patterns;
mod properties;
mod reached;
mod suggest;
mod zsh;
