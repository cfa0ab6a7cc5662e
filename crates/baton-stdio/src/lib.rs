//! The embedding mode: one conversation as JSON lines on stdin and stdout.
//!
//! `input` and `output` are the two vocabularies. `translate` turns a session's
//! events into output, `act` turns input into commands; both know nothing of
//! pipes. `conversation` is the thin loop between them, `outbox` the one writer
//! of lines, and `ledger` what it has said and not yet finished. `validate`
//! holds the rules of the order, as a check over recorded lines.
//!
//! This crate does not know Claude, the environment or how sessions are made.

mod act;
mod context;
mod conversation;
mod folder;
mod input;
mod ledger;
mod line;
mod options;
mod outbox;
mod output;
mod output_schema;
mod pending;
pub mod schema;
mod servers;
mod stdin;
mod translate;
pub mod validate;

pub use context::Context;
pub use conversation::{Conversation, Ending, Signals, converse, farewell};
pub use folder::{Folder, FolderAnswer, FolderAsk, Folders};
pub use input::{Input, Wrong, parse};
pub use line::{MAX_LINE, line};
pub use options::{BadOption, Flags, Options};
pub use outbox::{Out, Outbox};
pub use output::{Output, Shutdown};
pub use servers::{Merged, ServersError, merge, names_of, servers_of};
pub use translate::Translator;

/// Every input message's type, for documentation and tests.
pub mod messages {
    pub use crate::{input::*, output::*};
}
