//! Files and changes of real folders, with the real git.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod changes;
mod cloned;
mod files;
mod hostile;
mod renames;
mod repository;
