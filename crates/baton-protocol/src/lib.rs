//! The contract: ids, events, live frames and the words both sides share.
//!
//! This crate does no IO, reads no clock and makes no ids; it only says what
//! things are called and how they look on the wire. Every transport (log,
//! HTTP, WebSocket, export, `run --json`, hub) carries these same objects.
//!
//! Read in this order: [`id`], [`envelope`], [`event`], [`live`], [`words`],
//! then [`api`] for what clients and the daemon say to each other.

pub mod api;
pub mod envelope;
pub mod event;
pub mod id;
pub mod live;
pub mod mask;
mod options;
mod row;
pub mod schema;
pub mod seq;
mod text;
pub mod time;
pub mod tool_use;
pub mod unseen;
pub mod words;
pub mod work;

pub use envelope::{Envelope, EventDraft};
pub use event::{Event, EventKind};
pub use id::{
    ApprovalId, BlobId, DeviceId, HolderId, IdError, MessageId, ProjectId, RuleId, RunnerId,
    SessionId,
};
pub use live::{Live, LiveFrame};
pub use seq::{Seq, SeqNo, Turn};
pub use time::Timestamp;
pub use tool_use::{ToolKind, ToolSubject, ToolUse};
