//! The repository's own rules and chores, as code.
//!
//! Rules (`architecture`, `dependencies`, `tidy`) are functions from facts to
//! a list of problems, so the tests in `tests/it` can hold them against this
//! repository and against made-up ones. Chores (`attack`, `bench`, `codegen`, `dist`) do
//! what `cargo xtask` is asked for.
//! Nothing here is part of the product.

pub mod architecture;
pub mod attack;
pub mod bench;
pub mod codegen;
pub mod dependencies;
pub mod dist;
pub mod licence;
pub mod metadata;
pub mod repository;
pub mod tidy;

mod cargo;
