//! The Claude Code CLI's language.

mod client;
mod codec;
mod control;
mod json;
mod message;
mod options;
mod outgoing;
mod peer;
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
