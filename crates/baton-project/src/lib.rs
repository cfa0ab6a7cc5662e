//! Projects: what a folder would run by itself, which tools it wants, and what
//! its repository says, read without running anything in it.
//!
//! Every read is of a regular file, bounded in size, and blocking: callers that
//! must not wait put it on another thread. What a folder says is a stranger's
//! word until somebody has accepted it, so nothing here fails on it: what cannot
//! be read or understood is told as such.
//!
//! This crate does not know sessions, HTTP or storage.
//!
//! Read in this order: [`trust`], [`surface`], [`git`].

mod config;
mod file;
pub mod git;
pub mod surface;
mod text;
pub mod trust;
