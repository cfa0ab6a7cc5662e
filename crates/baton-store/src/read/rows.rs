//! Reads of what stands beside the log: messages, approvals, requests, holders.
//!
//! Messages and approvals keep only where their event is; the event is the truth.

use std::str::FromStr;

use baton_protocol::{
    ApprovalId, Envelope, Event, HolderId, MessageId, ProjectId, Seq, SessionId, Timestamp, Turn,
    event::{ApprovalRequested, ApprovalResolved, UserMessage},
    words::Json,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::value::RawValue;

use super::StoredEvent;
use crate::{append::JournalMark, error::StoreError};

/// A project that a session was made in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRow {
    pub id: ProjectId,
    pub path: String,
    pub last_used_at: Timestamp,
}

/// Where a user's message stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageState {
    /// On its way to the agent.
    Sent,
    /// Waiting for its turn.
    Queued,
    /// The agent has it.
    Delivered,
    /// Taken back while queued.
    Removed,
}

/// A user's message, to recognise the same one sent again.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRecord {
    pub seq: Seq,
    pub turn: Turn,
    pub state: MessageState,
    pub message: UserMessage,
}

/// An approval and, once there is one, its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRecord {
    pub session: SessionId,
    pub requested_seq: Seq,
    pub requested_at: Timestamp,
    pub requested: ApprovalRequested,
    pub resolved: Option<ApprovalResolved>,
    /// Where and when the answer stands.
    pub resolved_seq: Option<Seq>,
    pub resolved_at: Option<Timestamp>,
}

/// A request from the agent that is not settled: unanswered, or answered
/// without a sign that the agent has the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestRecord {
    pub holder: HolderId,
    pub request_id: String,
    pub approval: Option<ApprovalId>,
    pub body: Json,
    pub answer: Option<Json>,
}

/// A holder that was added and not removed.
#[derive(Debug, Clone, PartialEq)]
pub struct HolderRecord {
    pub session: SessionId,
    pub holder: HolderId,
    pub facts: Json,
    pub mark: JournalMark,
}

const SESSIONS_WITH_MESSAGE: &str =
    "SELECT sessions.id FROM messages JOIN sessions ON sessions.key = messages.session
     WHERE messages.id = ?1 ORDER BY sessions.key";

pub(crate) fn sessions_with_message(
    conn: &Connection,
    id: MessageId,
) -> Result<Vec<SessionId>, StoreError> {
    let mut found = conn.prepare_cached(SESSIONS_WITH_MESSAGE)?;
    let rows = found.query_map(params![id.uuid()], |row| row.get(0))?;
    let ids: Result<Vec<uuid::Uuid>, _> = rows.collect();
    Ok(ids?.into_iter().map(SessionId::from_uuid).collect())
}

pub(crate) fn message(
    conn: &Connection,
    session: SessionId,
    id: MessageId,
) -> Result<Option<MessageRecord>, StoreError> {
    let found: Option<(u64, String)> = conn
        .prepare_cached(
            "SELECT seq, state FROM messages
             WHERE session = (SELECT key FROM sessions WHERE id = ?1) AND id = ?2",
        )?
        .query_row(params![session.uuid(), id.uuid()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((seq, state)) = found else {
        return Ok(None);
    };
    let state = match state.as_str() {
        "queued" => MessageState::Queued,
        "delivered" => MessageState::Delivered,
        "removed" => MessageState::Removed,
        _ => MessageState::Sent,
    };
    // The second statement reads what the first pointed at; events do not change.
    let Some(Envelope {
        seq,
        turn,
        event: Event::UserMessage(message),
        ..
    }) = envelope(conn, session, Seq(seq))?
    else {
        return Ok(None);
    };
    Ok(Some(MessageRecord {
        seq,
        turn,
        state,
        message,
    }))
}

pub(crate) fn approval(
    conn: &Connection,
    id: ApprovalId,
) -> Result<Option<ApprovalRecord>, StoreError> {
    let found = conn
        .prepare_cached(
            "SELECT sessions.id, requested_seq, resolved_seq FROM approvals
             JOIN sessions ON sessions.key = approvals.session WHERE approvals.id = ?1",
        )?
        .query_row([id.uuid()], place)
        .optional()?;
    match found {
        Some(place) => approval_at(conn, place),
        None => Ok(None),
    }
}

/// Of one session, or of all; the oldest first.
pub(crate) fn open_approvals(
    conn: &Connection,
    session: Option<SessionId>,
) -> Result<Vec<ApprovalRecord>, StoreError> {
    let places = conn
        .prepare_cached(
            "SELECT sessions.id, requested_seq, resolved_seq FROM approvals
             JOIN sessions ON sessions.key = approvals.session
             WHERE resolved_seq IS NULL AND (?1 IS NULL OR sessions.id = ?1)
             ORDER BY requested_no",
        )?
        .query_map([session.map(SessionId::uuid)], place)?
        .collect::<Result<Vec<_>, _>>()?;
    let mut open = Vec::with_capacity(places.len());
    for place in places {
        open.extend(approval_at(conn, place)?);
    }
    Ok(open)
}

pub(crate) fn open_requests(
    conn: &Connection,
    session: SessionId,
) -> Result<Vec<RequestRecord>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT holder, request_id, approval, body, answer FROM requests
         WHERE session = (SELECT key FROM sessions WHERE id = ?1) ORDER BY request_id",
    )?;
    let mut rows = select.query([session.uuid()])?;
    let mut requests = Vec::new();
    while let Some(row) = rows.next()? {
        requests.push(RequestRecord {
            holder: HolderId::from_uuid(row.get(0)?),
            request_id: row.get(1)?,
            approval: row
                .get::<_, Option<uuid::Uuid>>(2)?
                .map(ApprovalId::from_uuid),
            body: json("requests", row.get(3)?)?,
            answer: row
                .get::<_, Option<String>>(4)?
                .map(|text| json("requests", text))
                .transpose()?,
        });
    }
    Ok(requests)
}

pub(crate) fn holders(conn: &Connection) -> Result<Vec<HolderRecord>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT sessions.id, holders.id, facts, position, translator FROM holders
         JOIN sessions ON sessions.key = holders.session ORDER BY holders.id",
    )?;
    let mut rows = select.query([])?;
    let mut holders = Vec::new();
    while let Some(row) = rows.next()? {
        let holder = HolderId::from_uuid(row.get(1)?);
        holders.push(HolderRecord {
            session: SessionId::from_uuid(row.get(0)?),
            holder,
            facts: json("holders", row.get(2)?)?,
            mark: JournalMark {
                holder,
                position: row.get(3)?,
                translator: row.get(4)?,
            },
        });
    }
    Ok(holders)
}

pub(crate) fn journal_mark(
    conn: &Connection,
    holder: HolderId,
) -> Result<Option<JournalMark>, StoreError> {
    let mark = conn
        .prepare_cached("SELECT position, translator FROM holders WHERE id = ?1")?
        .query_row([holder.uuid()], |row| {
            Ok(JournalMark {
                holder,
                position: row.get(0)?,
                translator: row.get(1)?,
            })
        })
        .optional()?;
    Ok(mark)
}

pub(crate) fn project(row: &Row<'_>) -> Result<ProjectRow, StoreError> {
    let id: String = row.get(0)?;
    Ok(ProjectRow {
        id: ProjectId::from_str(&id).map_err(|error| StoreError::row("projects", error))?,
        path: row.get(1)?,
        last_used_at: Timestamp::from_millis(row.get(2)?),
    })
}

pub(super) type RequestAt = (SessionId, Seq, Option<Seq>);

pub(super) fn place(row: &Row<'_>) -> rusqlite::Result<RequestAt> {
    Ok((
        SessionId::from_uuid(row.get(0)?),
        Seq(row.get(1)?),
        row.get::<_, Option<u64>>(2)?.map(Seq),
    ))
}

pub(super) fn approval_at(
    conn: &Connection,
    (session, requested_seq, resolved_seq): RequestAt,
) -> Result<Option<ApprovalRecord>, StoreError> {
    let Some(Envelope {
        ts,
        event: Event::ApprovalRequested(requested),
        ..
    }) = envelope(conn, session, requested_seq)?
    else {
        return Ok(None);
    };
    let answer = match resolved_seq {
        Some(seq) => envelope(conn, session, seq)?,
        None => None,
    };
    let (resolved, resolved_at) = if let Some(Envelope {
        ts,
        event: Event::ApprovalResolved(resolved),
        ..
    }) = answer
    {
        (Some(resolved), Some(ts))
    } else {
        (None, None)
    };
    Ok(Some(ApprovalRecord {
        session,
        requested_seq,
        requested_at: ts,
        requested,
        resolved,
        resolved_seq,
        resolved_at,
    }))
}

fn envelope(
    conn: &Connection,
    session: SessionId,
    seq: Seq,
) -> Result<Option<Envelope>, StoreError> {
    super::event(conn, session, seq)?
        .as_ref()
        .map(StoredEvent::envelope)
        .transpose()
}

fn json(what: &'static str, text: String) -> Result<Json, StoreError> {
    RawValue::from_string(text)
        .map(Json::from_raw)
        .map_err(|error| StoreError::row(what, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_found_without_looking_at_all_of_them() {
        let conn = crate::connection::open_in_memory().unwrap();
        let plan = format!("EXPLAIN QUERY PLAN {SESSIONS_WITH_MESSAGE}");
        let mut plan = conn.prepare(&plan).unwrap();
        let steps = plan.query_map([uuid::Uuid::nil()], |row| row.get::<_, String>(3));
        let steps: Vec<String> = steps.unwrap().map(Result::unwrap).collect();
        assert!(
            steps.iter().all(|step| !step.starts_with("SCAN")),
            "{steps:?}"
        );
        assert!(
            steps.iter().any(|step| step.contains("messages_by_id")),
            "{steps:?}"
        );
    }
}
