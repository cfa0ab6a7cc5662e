//! Projects: what a folder would run by itself, which tools it wants, and what
//! its repository says, read without running anything in it.
//!
//! This crate does not know sessions, HTTP or storage.
