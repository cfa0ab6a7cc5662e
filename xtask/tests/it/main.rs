//! The repository's rules, held against this repository and against made-up
//! ones that break them.

#![expect(clippy::unwrap_used, reason = "a test helper fails by panicking")]

mod architecture;
mod attack;
mod bench;
mod codegen;
mod dependencies;
mod licence;
mod tidy;
