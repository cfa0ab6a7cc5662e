//! The event log: append-only, per session, in SQLite.
//!
//! The log is the only source of events for every reader. Live delivery is a
//! wake-up, never a payload, so catching up and following are one code path.
//! An append is answered after its commit is on disk, and what is derived from
//! events (session rows, messages, approvals, checkpoints, usage, the search
//! index) changes in the same transaction. Rules, trust and sign-in stand beside
//! it: they are answers of people that hold beyond a session.
//!
//! The crate does not know what drives a session, nor HTTP, nor the clock: ids
//! and times come in with the events.
//!
//! Read in this order: [`Append`], [`Store`], [`Follow`], [`projection`], then
//! `writer` and `checkpoint` for how it is done.

mod append;
mod checkpoint;
mod connection;
mod error;
mod follow;
mod found;
mod moves;
pub mod projection;
mod projects;
mod read;
mod reader;
mod removed;
mod rules;
mod schema;
mod search;
mod shared;
mod sign_in;
mod store;
mod trust;
mod usage;
mod wire;
mod writer;

pub use append::{
    Append, Committed, HolderChange, JournalMark, NewBlob, NewSession, RequestChange,
};
pub use checkpoint::WalLimits;
pub use error::{OpenError, StoreError};
pub use follow::Follow;
pub use found::Beginning;
pub use moves::ProjectMove;
pub use projection::{LabelledCall, Retrying, SessionRow, SessionStatus};
pub use projects::{NewProject, ProjectChange, ProjectEntry, ProjectKey};
pub use read::{
    ApprovalRecord, BadCursor, Blob, CheckpointRecord, HolderRecord, MessageRecord, MessageState,
    Page, PastRequest, ProjectRow, RequestRecord, SessionCursor, SessionFilter, StoredEvent,
};
pub use removed::RemovedRecord;
pub use rules::{RuleChange, RuleOutcome, RuleRecord, RuleScope};
pub use search::{Hit, MATCH_END, MATCH_START};
pub use shared::{AppendTimes, StoreQueues, StoreStats};
pub use sign_in::{
    Attempt, AttemptLimit, Counted, DeviceRecord, LinkRecord, SecretHash, ShareRecord,
    SignInRecord, SignInRoot, SignInValue,
};
pub use store::{BackupReport, CheckReport, RetentionPolicy, Store, StoreOptions};
pub use trust::TrustRecord;
pub use usage::{BadDay, Day, UsageFilter, UsageRow};
pub use writer::RemovedSession;
