//! The Claude Code CLI's language: its lines, its arguments, its files.
//!
//! The `claude` CLI is a program that works on code with a language model. Run
//! with pipes it speaks JSON lines: messages and events one way, prompts the
//! other, and a control protocol both ways for permissions, hooks, MCP servers
//! and settings. This crate speaks what Baton needs of that language, with types.
//! It starts no process and knows nothing of HTTP, of databases or of any program built on it.
//!
//! # The parts, from the bottom up
//!
//! - [`decode`] and [`encode`]: lines to [`Message`], [`Outgoing`] to lines. No
//!   IO. What the crate does not know is carried as [`RawJson`], never lost and
//!   never an error. Stream events borrow from their line and allocate nothing.
//! - [`HostRequest`]: what is asked of the CLI; [`CliRequest`]: what it asks.
//! - [`Options`]: how to start it, as argument list and environment.
//! - [`transcript`]: sessions on disk.
//!
//! # What to know about the CLI
//!
//! - It says nothing until it is spoken to: [`Initialize`] comes first.
//! - Turns and messages do not pair up: messages sent while a turn runs are
//!   folded into it or merged, and background work starts turns by itself.
//! - A turn that failed has a [`TurnResult`] of subtype `success`; use
//!   [`TurnResult::ending`].
//! - Every uuid you give a message stays its name: in replays, on disk and in
//!   [`RewindFiles`].

mod codec;
mod control;
mod json;
mod message;
mod options;
mod outgoing;
pub mod transcript;
mod version;

pub use codec::{DecodeError, decode, encode};
pub use control::*;
pub use json::RawJson;
pub use message::Message;
pub use message::chat::*;
pub use message::content::*;
pub use message::notice::*;
pub use message::result::*;
pub use message::stream::{ApiEvent, Delta, MessageStart, StreamEvent};
pub use message::system::*;
pub use message::tasks::*;
pub use message::usage::*;
pub use options::{ForkedAs, Options, Session, SettingSource, Thinking};
pub use outgoing::*;
pub use version::{Version, VersionError};
