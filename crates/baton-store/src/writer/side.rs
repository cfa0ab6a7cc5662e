//! The tables beside the events: search, messages, approvals, checkpoints,
//! usage, requests, holders.

use baton_protocol::{ApprovalId, Event, SeqNo, SessionId};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{
    append::{JournalMark, PreparedEvent, RequestChange},
    error::StoreError,
    projection::SessionRow,
    search, usage,
};

/// Keeps what answers "where is the event about this id, or with this word",
/// and what turns cost. `row` is the session's before this event.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only events that name something others ask for have such a table"
)]
pub(super) fn index_event(
    conn: &Connection,
    (key, row): (i64, &SessionRow),
    seq_no: SeqNo,
    event: &PreparedEvent,
) -> rusqlite::Result<()> {
    let envelope = &event.envelope;
    let seq = envelope.seq.0;
    if let Some(body) = search::indexed_text(&envelope.event) {
        conn.prepare_cached("INSERT INTO search (rowid, body) VALUES (?1, ?2)")?
            .execute(params![seq_no.0, body])?;
    }
    match &envelope.event {
        Event::UserMessage(message) => {
            let state = if message.queued { "queued" } else { "sent" };
            // The first one with an id is the message; refusing a second is its sender's matter.
            conn.prepare_cached(
                "INSERT INTO messages (session, id, seq, state) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![key, message.message_id.uuid(), seq, state])?;
            conn.prepare_cached(
                "UPDATE projects SET last_used_at = max(last_used_at, ?2) WHERE id = ?1",
            )?
            .execute(params![
                envelope.project_id.to_string(),
                envelope.ts.as_millis()
            ])?;
        }
        Event::MessageDelivered(delivered) => {
            set_message(conn, key, delivered.message_id.uuid(), "delivered")?;
        }
        Event::MessageRemoved(removed) => {
            set_message(conn, key, removed.message_id.uuid(), "removed")?;
        }
        Event::ApprovalRequested(asked) => {
            conn.prepare_cached(
                "INSERT INTO approvals (id, session, requested_seq, requested_no)
                 VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )?
            .execute(params![asked.approval_id.uuid(), key, seq, seq_no.0])?;
        }
        Event::ApprovalResolved(resolved) => {
            // The first answer is the answer.
            conn.prepare_cached(
                "UPDATE approvals SET resolved_seq = ?3
                 WHERE id = ?1 AND session = ?2 AND resolved_seq IS NULL",
            )?
            .execute(params![resolved.approval_id.uuid(), key, seq])?;
        }
        Event::CheckpointCreated(made) => {
            conn.prepare_cached(
                "INSERT INTO checkpoints (session, id, seq) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![key, made.checkpoint_id.uuid(), seq])?;
        }
        Event::TurnCompleted(turn) => usage::count(conn, row, envelope.ts, turn)?,
        _ => {}
    }
    Ok(())
}

fn set_message(conn: &Connection, key: i64, id: uuid::Uuid, state: &str) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE messages SET state = ?3 WHERE session = ?1 AND id = ?2")?
        .execute(params![key, id, state])?;
    Ok(())
}

pub(super) fn change_request(
    conn: &Connection,
    session: SessionId,
    key: i64,
    change: &RequestChange,
) -> Result<(), StoreError> {
    match change {
        RequestChange::Opened {
            holder,
            request_id,
            approval,
            body,
        } => {
            let known = conn
                .prepare_cached("SELECT 1 FROM holders WHERE id = ?1 AND session = ?2")?
                .exists(params![holder.uuid(), key])?;
            if !known {
                return Err(StoreError::UnknownHolder(*holder));
            }
            // Ids are a process's own: another process may use one again.
            conn.prepare_cached(
                "INSERT INTO requests (session, request_id, holder, approval, body)
                 VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO UPDATE SET holder = excluded.holder, approval = excluded.approval,
                 body = excluded.body, answer = NULL WHERE holder <> excluded.holder",
            )?
            .execute(params![
                key,
                request_id,
                holder.uuid(),
                approval.map(ApprovalId::uuid),
                body.text()
            ])?;
        }
        RequestChange::Answered { request_id, answer } => {
            let found = conn
                .prepare_cached(
                    "UPDATE requests SET answer = ?3 WHERE session = ?1 AND request_id = ?2",
                )?
                .execute(params![key, request_id, answer.text()])?;
            if found == 0 {
                return Err(StoreError::UnknownRequest {
                    session,
                    request_id: request_id.clone(),
                });
            }
        }
        RequestChange::Confirmed { request_id } | RequestChange::Dropped { request_id } => {
            conn.prepare_cached("DELETE FROM requests WHERE session = ?1 AND request_id = ?2")?
                .execute(params![key, request_id])?;
        }
    }
    Ok(())
}

pub(super) fn set_mark(conn: &Connection, key: i64, mark: &JournalMark) -> Result<(), StoreError> {
    let stored: Option<u64> = conn
        .prepare_cached("SELECT position FROM holders WHERE id = ?1 AND session = ?2")?
        .query_row(params![mark.holder.uuid(), key], |row| row.get(0))
        .optional()?;
    let stored = stored.ok_or(StoreError::UnknownHolder(mark.holder))?;
    if mark.position < stored {
        return Err(StoreError::JournalBackwards {
            holder: mark.holder,
            stored,
            given: mark.position,
        });
    }
    conn.prepare_cached("UPDATE holders SET position = ?2, translator = ?3 WHERE id = ?1")?
        .execute(params![mark.holder.uuid(), mark.position, mark.translator])?;
    Ok(())
}
