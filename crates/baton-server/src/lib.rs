//! The daemon's outside: the control socket and what its clients may say.
//!
//! This crate does not know Claude or child processes: it speaks to sessions.
