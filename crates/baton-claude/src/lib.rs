//! The Claude Code CLI's language, and a driver for it: a Rust agent SDK.
//!
//! The `claude` CLI is a program that works on code with a language model. Run
//! with pipes it speaks JSON lines: messages and events one way, prompts the
//! other, and a control protocol both ways for permissions, hooks, MCP servers
//! and settings. This crate speaks that language, completely and with types.
//! It knows nothing of HTTP, of databases or of any program built on it.
//!
//! # A session
//!
//! ```no_run
//! use baton_claude::{Claude, Event, Initialize, Limits, Message, Options};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // Nothing is inherited: say which environment the CLI gets.
//! let env = [("HOME", "/home/user"), ("PATH", "/usr/bin:/bin")];
//! let env = env.map(|(name, value)| (name.into(), value.into()));
//! let options = Options::new("claude", "/home/user/project", env);
//!
//! // `()` refuses every tool that needs asking; see `Handler` for better.
//! let mut claude = Claude::start(&options, Initialize::default(), (), Limits::default()).await?;
//! claude.say("What does this project do?").await?;
//! while let Some(event) = claude.next().await {
//!     if let Event::Message(Message::Result(result)) = event {
//!         println!("{}", result.result.unwrap_or_default());
//!         break;
//!     }
//! }
//! claude.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! `examples/ask.rs` streams the answer, asks on the terminal before each tool
//! runs, and takes a second turn on the same process.
//!
//! # What answers the CLI's questions
//!
//! Implement [`Handler`]. Each question has a task of its own, so a person may
//! think about one while others are answered:
//!
//! ```
//! use baton_claude::{CanUseTool, Handler, PermissionDecision};
//!
//! struct ReadOnly;
//!
//! impl Handler for ReadOnly {
//!     async fn can_use_tool(&self, ask: CanUseTool) -> PermissionDecision {
//!         match &*ask.tool_name {
//!             "Read" | "Glob" | "Grep" => PermissionDecision::allow(&ask),
//!             tool => PermissionDecision::deny(format!("{tool} is not allowed here")),
//!         }
//!     }
//! }
//! ```
//!
//! # The parts, from the bottom up
//!
//! - [`decode`] and [`encode`]: lines to [`Message`], [`Outgoing`] to lines. No
//!   IO. What the crate does not know is carried as [`RawJson`], never lost and
//!   never an error. Stream events borrow from their line and allocate nothing.
//! - [`HostRequest`] and [`Request`]: what can be asked of the CLI, each with
//!   its typed answer; [`CliRequest`]: what the CLI asks.
//! - [`Options`]: how to start it, as argument list and environment.
//! - [`Capabilities`]: every difference between CLI versions, in one place.
//! - [`Peer`]: who owes whom an answer. No IO and no clock.
//! - [`Claude`], [`Client`]: a running CLI, over any [`Transport`].
//! - [`transcript`]: sessions on disk.
//!
//! # What to know about the CLI
//!
//! - It says nothing until it is spoken to; [`Claude::start`] introduces the
//!   host first and waits for the answer.
//! - Turns and messages do not pair up: messages sent while a turn runs are
//!   folded into it or merged, and background work starts turns by itself.
//! - A turn that failed has a [`TurnResult`] of subtype `success`; use
//!   [`TurnResult::ending`].
//! - Every uuid you give a message stays its name: in replays, on disk, for
//!   [`Client::rewind_files`] and [`Client::cancel_message`].

mod client;
mod codec;
mod control;
mod json;
mod message;
mod options;
mod outgoing;
mod peer;
pub mod transcript;
mod version;

pub use client::{
    Claude, Client, Ended, Event, Handler, Input, Limits, Output, Process, SendError, StartError,
    Transport,
};
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
pub use options::{Fork, Options, Session, SettingSource, Thinking};
pub use outgoing::*;
pub use peer::{Arrival, Gone, Peer, RequestError, Settled};
pub use version::{Capabilities, DanglingTool, Version, VersionError};
