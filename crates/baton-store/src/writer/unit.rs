//! One unit of an append, inside a transaction that is already open.

use std::collections::HashMap;

use baton_protocol::{Event, RunnerId, Seq, SeqNo, SessionId};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{
    append::{
        Committed, HolderChange, JournalMark, NewSession, PreparedEvent, RequestChange, Unit,
    },
    error::StoreError,
    projection::{self, SessionRow},
    search, wire,
};

/// A session as the writer needs it to number and fold the next event.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) key: i64,
    pub(super) row: SessionRow,
    pub(super) last_seq_no: SeqNo,
}

/// What the open transaction has changed; it becomes the writer's memory with the commit.
#[derive(Debug, Default)]
pub(super) struct Staged {
    pub(super) sessions: HashMap<SessionId, Known>,
    pub(super) last_seq_no: SeqNo,
}

/// Reads of the writer's own committed memory.
pub(super) struct Context<'a> {
    pub(super) conn: &'a Connection,
    pub(super) known: &'a HashMap<SessionId, Known>,
    pub(super) runner_id: RunnerId,
}

/// Does everything a unit says, in the order in which its parts may refer to
/// each other. On an error the caller rolls back and `staged` is untouched.
pub(super) fn apply(
    context: &Context<'_>,
    staged: &mut Staged,
    unit: &mut Unit,
    text: &mut String,
) -> Result<Committed, StoreError> {
    let conn = context.conn;
    let session = unit.session;
    let fail = |error| StoreError::of_append(session, error);
    let mut known = match &unit.create {
        Some(new) => create(conn, session, new)?,
        None => find(context, staged, session)?,
    };
    if let Some(HolderChange::Added { holder, facts }) = &unit.holder {
        conn.prepare_cached(
            "INSERT INTO holders (id, session, facts, position) VALUES (?1, ?2, ?3, 0)",
        )
        .and_then(|mut insert| insert.execute(params![holder.uuid(), known.key, facts.text()]))
        .map_err(fail)?;
    }
    for blob in &unit.blobs {
        conn.prepare_cached(
            "INSERT INTO blobs (id, session, media_type, bytes) VALUES (?1, ?2, ?3, ?4)",
        )
        .and_then(|mut insert| {
            insert.execute(params![
                blob.id.uuid(),
                known.key,
                blob.media_type,
                blob.bytes
            ])
        })
        .map_err(fail)?;
    }
    let mut seq = Seq(known.row.event_count);
    let mut seq_no = staged.last_seq_no;
    let first = seq.next();
    for event in &mut unit.events {
        seq = seq.next();
        seq_no = SeqNo(seq_no.0 + 1);
        event.envelope.seq = seq;
        event.envelope.runner_id = context.runner_id;
        event.envelope.project_id = known.row.project_id;
        insert_event(conn, known.key, seq_no, event, text).map_err(fail)?;
        projection::apply(&mut known.row, &event.envelope);
    }
    if !unit.events.is_empty() {
        known.last_seq_no = seq_no;
        save(conn, &known).map_err(fail)?;
    }
    for change in &unit.requests {
        change_request(conn, session, known.key, change)?;
    }
    if let Some(mark) = &unit.journal {
        set_mark(conn, known.key, mark)?;
    }
    if let Some(HolderChange::Removed { holder }) = &unit.holder {
        let gone = conn
            .prepare_cached("DELETE FROM holders WHERE id = ?1 AND session = ?2")
            .and_then(|mut delete| delete.execute(params![holder.uuid(), known.key]))
            .map_err(fail)?;
        if gone == 0 {
            return Err(StoreError::UnknownHolder(*holder));
        }
    }
    staged.last_seq_no = seq_no;
    staged.sessions.insert(session, known);
    Ok(Committed { first, last: seq })
}

fn create(conn: &Connection, session: SessionId, new: &NewSession) -> Result<Known, StoreError> {
    let exists = conn
        .prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")?
        .exists([session.uuid()])?;
    if exists {
        return Err(StoreError::SessionExists(session));
    }
    conn.prepare_cached(
        "INSERT INTO projects (id, path, last_used_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET path = excluded.path,
         last_used_at = max(last_used_at, excluded.last_used_at)",
    )?
    .execute(params![
        new.project_id.to_string(),
        new.project_path,
        new.created_at.as_millis()
    ])?;
    let row = SessionRow::new(session, new.project_id, new.created_at);
    conn.prepare_cached(
        "INSERT INTO sessions
         (id, project, state, last_activity_at, event_count, last_seq_no, row)
         VALUES (?1, ?2, ?3, ?4, 0, 0, ?5)",
    )?
    .execute(params![
        session.uuid(),
        new.project_id.to_string(),
        row.state.as_str(),
        row.last_activity_at.as_millis(),
        encode(&row)
    ])?;
    Ok(Known {
        key: conn.last_insert_rowid(),
        row,
        last_seq_no: SeqNo(0),
    })
}

fn find(context: &Context<'_>, staged: &Staged, session: SessionId) -> Result<Known, StoreError> {
    let remembered = staged
        .sessions
        .get(&session)
        .or_else(|| context.known.get(&session));
    if let Some(known) = remembered {
        return Ok(known.clone());
    }
    let stored: Option<(i64, u64, String)> = context
        .conn
        .prepare_cached("SELECT key, last_seq_no, row FROM sessions WHERE id = ?1")?
        .query_row([session.uuid()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let (key, last_seq_no, row) = stored.ok_or(StoreError::UnknownSession(session))?;
    Ok(Known {
        key,
        row: serde_json::from_str(&row).map_err(|error| StoreError::row("sessions", error))?,
        last_seq_no: SeqNo(last_seq_no),
    })
}

fn encode(row: &SessionRow) -> String {
    baton_protocol::words::Json::of(row).text().to_owned()
}

fn save(conn: &Connection, known: &Known) -> rusqlite::Result<()> {
    let row = &known.row;
    conn.prepare_cached(
        "UPDATE sessions SET state = ?2, last_activity_at = ?3, ended_at = ?4, event_count = ?5,
         last_seq_no = ?6, row = ?7 WHERE key = ?1",
    )?
    .execute(params![
        known.key,
        row.state.as_str(),
        row.last_activity_at.as_millis(),
        row.ended_at.map(baton_protocol::Timestamp::as_millis),
        row.event_count,
        known.last_seq_no.0,
        encode(row)
    ])?;
    Ok(())
}

fn insert_event(
    conn: &Connection,
    key: i64,
    seq_no: SeqNo,
    event: &PreparedEvent,
    text: &mut String,
) -> rusqlite::Result<()> {
    let envelope = &event.envelope;
    wire::compose(text, envelope, &event.payload);
    conn.prepare_cached("INSERT INTO events (seq_no, session, seq, text) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![seq_no.0, key, envelope.seq.0, &*text])?;
    if let Some(body) = search::indexed_text(&envelope.event) {
        conn.prepare_cached("INSERT INTO search (rowid, body) VALUES (?1, ?2)")?
            .execute(params![seq_no.0, body])?;
    }
    side_tables(conn, key, event)
}

/// Tables that answer "where is the event about this id".
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only events that name a message or an approval have such a table"
)]
fn side_tables(conn: &Connection, key: i64, event: &PreparedEvent) -> rusqlite::Result<()> {
    let envelope = &event.envelope;
    let seq = envelope.seq.0;
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
                "INSERT INTO approvals (id, session, requested_seq) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![asked.approval_id.uuid(), key, seq])?;
        }
        Event::ApprovalResolved(resolved) => {
            // The first answer is the answer.
            conn.prepare_cached(
                "UPDATE approvals SET resolved_seq = ?3
                 WHERE id = ?1 AND session = ?2 AND resolved_seq IS NULL",
            )?
            .execute(params![resolved.approval_id.uuid(), key, seq])?;
        }
        _ => {}
    }
    Ok(())
}

fn set_message(conn: &Connection, key: i64, id: uuid::Uuid, state: &str) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE messages SET state = ?3 WHERE session = ?1 AND id = ?2")?
        .execute(params![key, id, state])?;
    Ok(())
}

fn change_request(
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
                approval.map(baton_protocol::ApprovalId::uuid),
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

fn set_mark(conn: &Connection, key: i64, mark: &JournalMark) -> Result<(), StoreError> {
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
