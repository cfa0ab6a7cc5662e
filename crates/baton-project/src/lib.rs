//! Projects: where they are, what a folder would run by itself, which tools it
//! wants, what its repository says, its files, its changes, and what was
//! remarked on them.
//!
//! Every read is of a regular file, bounded in size, and blocking: callers that
//! must not wait put it on another thread. Git is run so
//! that nothing of the repository runs with it. What a folder says is a stranger's
//! word until somebody has accepted it, so nothing here fails on it: what cannot
//! be read or understood is told as such.
//!
//! This crate does not know sessions, HTTP or storage.
//!
//! Read in this order: [`discovery`], [`trust`], [`accepted`], [`surface`], [`git`],
//! [`secrets`], [`files`], [`diff`], [`comments`].

pub mod accepted;
pub mod cli_rules;
pub mod clone;
pub mod comments;
mod config;
pub mod diff;
pub mod discovery;
mod file;
pub mod files;
pub mod git;
pub mod marketplaces;
pub mod profile;
pub mod secrets;
pub mod surface;
mod text;
pub mod trust;
