//! What goes into the log in one atomic unit.

use baton_protocol::{
    ApprovalId, BlobId, Envelope, EventDraft, HolderId, ProjectId, RunnerId, Seq, SessionId,
    Timestamp, words::Json,
};

use crate::{
    rules::{RuleChange, RuleOutcome},
    wire::Pieces,
};

/// One unit: all of it is committed, or none.
#[derive(Debug, Clone, PartialEq)]
pub struct Append {
    pub session: SessionId,
    /// Set in the first append of a session and in no other.
    pub create: Option<NewSession>,
    /// May be empty, when only the rest has something to say.
    pub events: Vec<EventDraft>,
    pub journal: Option<JournalMark>,
    pub holder: Option<HolderChange>,
    pub requests: Vec<RequestChange>,
    pub blobs: Vec<NewBlob>,
    pub rules: Vec<RuleChange>,
}

impl Append {
    /// A unit with nothing in it yet.
    pub const fn to(session: SessionId) -> Self {
        Self {
            session,
            create: None,
            events: Vec::new(),
            journal: None,
            holder: None,
            requests: Vec::new(),
            blobs: Vec::new(),
            rules: Vec::new(),
        }
    }
}

/// A session's project, known before its first event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    pub project_id: ProjectId,
    pub project_path: String,
    pub created_at: Timestamp,
}

/// How far a holder's journal has been turned into events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalMark {
    pub holder: HolderId,
    /// Never less than the mark before.
    pub position: u64,
    /// The translation's state at that position, as JSON that only the translation reads.
    pub translator: Option<String>,
}

/// A holder comes or goes.
#[derive(Debug, Clone, PartialEq)]
pub enum HolderChange {
    /// Committed before the process is spawned, so that a crash leaves no unknown process.
    Added {
        holder: HolderId,
        /// What taking it over needs, as JSON that only the caller reads.
        facts: Json,
    },
    /// Committed once its exit is in the log. Its mark and its requests go with it.
    Removed { holder: HolderId },
}

/// The life of a request from the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestChange {
    /// The agent asks. The same id from the same holder again changes nothing.
    Opened {
        holder: HolderId,
        request_id: String,
        approval: Option<ApprovalId>,
        body: Json,
    },
    /// The answer is decided; it is sent after the commit, and again after a restart.
    Answered { request_id: String, answer: Json },
    /// The agent has acted on the answer.
    Confirmed { request_id: String },
    /// The agent took the request back.
    Dropped { request_id: String },
}

/// Bytes too large for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBlob {
    pub id: BlobId,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

/// Where a unit's events stand. Without events `first` is one beyond `last`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    pub first: Seq,
    pub last: Seq,
    /// What became of each of the unit's rules.
    pub rules: Vec<RuleOutcome>,
    /// Roughly how much it has added.
    pub bytes: usize,
}

/// An [`Append`] with its payloads serialised, which the caller's task does so
/// that the one writer thread does not have to.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) session: SessionId,
    pub(crate) create: Option<NewSession>,
    pub(crate) events: Vec<PreparedEvent>,
    pub(crate) journal: Option<JournalMark>,
    pub(crate) holder: Option<HolderChange>,
    pub(crate) requests: Vec<RequestChange>,
    pub(crate) blobs: Vec<NewBlob>,
    pub(crate) rules: Vec<RuleChange>,
    /// Roughly what it adds to a transaction.
    pub(crate) bytes: usize,
}

/// An envelope whose `seq` and `project_id` the writer fills in, and its text.
#[derive(Debug)]
pub(crate) struct PreparedEvent {
    pub(crate) envelope: Envelope,
    pub(crate) pieces: Pieces,
}

impl Unit {
    pub(crate) fn prepare(append: Append, runner_id: RunnerId) -> Self {
        let session = append.session;
        let events: Vec<PreparedEvent> = append
            .events
            .into_iter()
            .map(|draft| {
                let payload = draft.event.payload();
                let envelope = Envelope {
                    session_id: session,
                    seq: Seq::START,
                    ts: draft.ts,
                    runner_id,
                    project_id: ProjectId::from_digest(&[0; 32]),
                    turn: draft.turn,
                    agent_id: draft.agent_id,
                    event: draft.event,
                };
                let pieces = Pieces::of(&envelope, &payload);
                PreparedEvent { envelope, pieces }
            })
            .collect();
        let texts: usize = events.iter().map(|event| event.pieces.len()).sum();
        let blobs: usize = append.blobs.iter().map(|blob| blob.bytes.len()).sum();
        Self {
            session,
            create: append.create,
            events,
            journal: append.journal,
            holder: append.holder,
            requests: append.requests,
            blobs: append.blobs,
            rules: append.rules,
            bytes: texts + blobs,
        }
    }
}
