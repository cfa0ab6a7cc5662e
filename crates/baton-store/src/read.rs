//! Reads of the log itself: events after a cursor, heads, blobs.
//!
//! Every function is short and leaves no statement open, because an open read
//! keeps the WAL from starting over. Each is one statement, or says why not.

mod by_agent;
pub(crate) mod client;
mod past;
mod rows;
mod sessions;

use std::{str::FromStr, sync::Arc};

use baton_protocol::{BlobId, Envelope, RunnerId, Seq, SeqNo, SessionId};
use rusqlite::{Connection, OptionalExtension, Rows, params};

pub(crate) use self::by_agent::sessions_by_agent_session;
pub use self::past::{CheckpointRecord, PastRequest};
pub(crate) use self::past::{checkpoints, past_approvals, past_requests};
pub use self::rows::{
    ApprovalRecord, HolderRecord, MessageRecord, MessageState, ProjectRow, RequestRecord,
};
pub(crate) use self::rows::{
    approval, holders, journal_mark, message, open_approvals, open_requests, project,
    sessions_with_message,
};
pub use self::sessions::{BadCursor, SessionCursor, SessionFilter};
pub(crate) use self::sessions::{forks, projects, session_row, sessions};
use crate::error::StoreError;

/// A batch ends with the row that takes it past this. A follower holds two: the
/// one it hands out, and the next.
const BATCH_BYTES: usize = 512 << 10;

/// One committed event, as text to forward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub session: SessionId,
    pub seq: Seq,
    pub seq_no: SeqNo,
    /// The envelope as JSON, byte for byte as every reader gets it.
    pub text: Box<str>,
}

impl StoredEvent {
    /// Decodes the text.
    pub fn envelope(&self) -> Result<Envelope, StoreError> {
        Envelope::parse(&self.text).map_err(|source| StoreError::Undecodable {
            session: self.session,
            seq: self.seq,
            source: Arc::new(source),
        })
    }
}

/// Bytes that an event refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub session: SessionId,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

/// Part of a list and where the next part begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    pub items: Vec<T>,
    /// `None` on the last page.
    pub next: Option<C>,
    /// Items that were passed over because the log is damaged there.
    pub unreadable: u64,
}

impl<T, C> Page<T, C> {
    pub(crate) const fn empty() -> Self {
        Self {
            items: Vec::new(),
            next: None,
            unreadable: 0,
        }
    }

    /// Cuts a list that was read one item beyond `limit`.
    pub(crate) fn cut(mut items: Vec<T>, limit: usize, cursor: impl Fn(&T) -> C) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(cursor);
        Self {
            items,
            next,
            unreadable: 0,
        }
    }
}

pub(crate) fn runner_id(conn: &Connection) -> rusqlite::Result<Option<RunnerId>> {
    let text: Option<String> = conn
        .query_row(
            "SELECT value FROM meta WHERE name = 'runner_id'",
            [],
            |row| row.get(0),
        )
        .optional()?;
    Ok(text.and_then(|text| RunnerId::from_str(&text).ok()))
}

/// At most `limit` events after `after`, at least one if there is one.
pub(crate) fn read_after(
    conn: &Connection,
    session: SessionId,
    after: Seq,
    limit: usize,
) -> Result<Vec<StoredEvent>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT seq, seq_no, text FROM events
         WHERE session = (SELECT key FROM sessions WHERE id = ?1) AND seq > ?2
         ORDER BY seq LIMIT ?3",
    )?;
    let rows = select.query(params![session.uuid(), sql(after.0), limit])?;
    let events = collect(rows, |row| {
        Ok(StoredEvent {
            session,
            seq: Seq(row.get(0)?),
            seq_no: SeqNo(row.get(1)?),
            text: row.get(2)?,
        })
    })?;
    if events.is_empty() {
        head(conn, session)?;
    }
    Ok(events)
}

/// The same over all sessions, in the order of their commits.
pub(crate) fn read_all_after(
    conn: &Connection,
    after: SeqNo,
    limit: usize,
) -> Result<Vec<StoredEvent>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT seq, seq_no, text, id FROM events JOIN sessions ON key = session
         WHERE seq_no > ?1 ORDER BY seq_no LIMIT ?2",
    )?;
    let rows = select.query(params![sql(after.0), limit])?;
    collect(rows, |row| {
        Ok(StoredEvent {
            seq: Seq(row.get(0)?),
            seq_no: SeqNo(row.get(1)?),
            text: row.get(2)?,
            session: SessionId::from_uuid(row.get(3)?),
        })
    })
}

/// One event.
pub(crate) fn event(
    conn: &Connection,
    session: SessionId,
    seq: Seq,
) -> Result<Option<StoredEvent>, StoreError> {
    let before = Seq(seq.0.saturating_sub(1));
    let mut found = read_after(conn, session, before, 1)?;
    Ok(found.pop().filter(|event| event.seq == seq))
}

/// The number of the last event; 0 before the first.
pub(crate) fn head(conn: &Connection, session: SessionId) -> Result<Seq, StoreError> {
    conn.prepare_cached("SELECT event_count FROM sessions WHERE id = ?1")?
        .query_row([session.uuid()], |row| row.get(0))
        .optional()?
        .map(Seq)
        .ok_or(StoreError::UnknownSession(session))
}

pub(crate) fn blob(
    conn: &Connection,
    session: SessionId,
    id: BlobId,
) -> Result<Option<Blob>, StoreError> {
    let blob = conn
        .prepare_cached(
            "SELECT media_type, bytes FROM blobs
             WHERE session = (SELECT key FROM sessions WHERE id = ?1) AND id = ?2",
        )?
        .query_row(rusqlite::params![session.uuid(), id.uuid()], |row| {
            Ok(Blob {
                session,
                media_type: row.get(0)?,
                bytes: row.get(1)?,
            })
        })
        .optional()?;
    Ok(blob)
}

/// A cursor beyond what SQLite can count is beyond every event.
fn sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn collect(
    mut rows: Rows<'_>,
    read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<StoredEvent>,
) -> Result<Vec<StoredEvent>, StoreError> {
    let mut events = Vec::new();
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let event = read(row)?;
        bytes += event.text.len();
        events.push(event);
        if bytes > BATCH_BYTES {
            break;
        }
    }
    Ok(events)
}
