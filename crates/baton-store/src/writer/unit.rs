//! One unit of an append, inside a transaction that is already open.

use std::collections::HashMap;

use baton_protocol::{ProjectId, Seq, SeqNo, SessionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::side;
use crate::{
    append::{Committed, HolderChange, NewSession, PreparedEvent, Unit},
    error::StoreError,
    projection::{self, SessionRow},
    rules,
};

/// A session as the writer needs it to number and fold the next event.
#[derive(Debug)]
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

/// The connection, and what the writer remembers of committed sessions.
pub(super) struct Context<'a> {
    pub(super) conn: &'a Connection,
    /// A session leaves it for `Staged` while a transaction changes it. If that
    /// fails it is forgotten, and read again when it is next needed.
    pub(super) known: &'a mut HashMap<SessionId, Known>,
}

/// Does everything a unit says, in the order in which its parts may refer to
/// each other. On an error the caller rolls back, and nothing is remembered of
/// the session.
pub(super) fn apply(
    context: &mut Context<'_>,
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
            "INSERT INTO blobs (id, session, media_type, bytes) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING",
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
    let first = Seq(known.row.event_count).next();
    let before = (seconds(&known.row), known.row.project_id);
    let mut changed = !unit.events.is_empty();
    let mut last_seq_no = staged.last_seq_no;
    if changed {
        last_seq_no =
            insert_events(conn, &mut known, last_seq_no, &mut unit.events, text).map_err(fail)?;
    }
    for change in &unit.requests {
        side::change_request(conn, session, known.key, change)?;
    }
    if let Some(mark) = &unit.journal {
        side::set_mark(conn, known.key, mark)?;
    }
    if let Some(HolderChange::Removed { holder }) = &unit.holder {
        let gone = conn
            .prepare_cached("DELETE FROM holders WHERE id = ?1 AND session = ?2")
            .and_then(|mut delete| delete.execute(params![holder.uuid(), known.key]))
            .map_err(fail)?;
        if gone == 0 {
            return Err(StoreError::UnknownHolder(*holder));
        }
        // The next process may be there before the last one's holder has gone.
        let held = conn
            .prepare_cached("SELECT 1 FROM holders WHERE session = ?1")
            .and_then(|mut select| select.exists([known.key]))
            .map_err(fail)?;
        if !held {
            changed |= projection::holder_gone(&mut known.row);
        }
    }
    if changed {
        save(conn, &known, before).map_err(fail)?;
    }
    let rules = unit
        .rules
        .iter()
        .map(|change| rules::change(conn, change))
        .collect::<Result<_, _>>()?;
    let last = Seq(known.row.event_count);
    staged.last_seq_no = last_seq_no;
    staged.sessions.insert(session, known);
    Ok(Committed {
        first,
        last,
        rules,
        bytes: unit.bytes,
    })
}

/// Takes a session into the transaction's changes as it is stored.
pub(super) fn stage(
    context: &mut Context<'_>,
    staged: &mut Staged,
    session: SessionId,
) -> Result<(), StoreError> {
    let known = find(context, staged, session)?;
    staged.sessions.insert(session, known);
    Ok(())
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
         (id, project, state, active_s, event_count, last_seq_no, row)
         VALUES (?1, ?2, ?3, ?4, 0, 0, ?5)",
    )?
    .execute(params![
        session.uuid(),
        new.project_id.to_string(),
        row.state.as_str(),
        seconds(&row),
        encode(&row)
    ])?;
    Ok(Known {
        key: conn.last_insert_rowid(),
        row,
        last_seq_no: SeqNo(0),
    })
}

fn find(
    context: &mut Context<'_>,
    staged: &mut Staged,
    session: SessionId,
) -> Result<Known, StoreError> {
    let staged = staged.sessions.remove(&session);
    if let Some(known) = staged.or_else(|| context.known.remove(&session)) {
        return Ok(known);
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

/// The value of `active_s`.
fn seconds(row: &SessionRow) -> i64 {
    row.last_activity_at.as_millis().div_euclid(1000)
}

/// Writes the row back. `before` is the `active_s` and the project that are
/// stored: an UPDATE that names an indexed column pays for the index even when
/// nothing changes, and hardly ever is a project moved.
fn save(
    conn: &Connection,
    known: &Known,
    (active, project): (i64, ProjectId),
) -> rusqlite::Result<()> {
    let row = &known.row;
    if row.project_id != project {
        conn.prepare_cached("UPDATE sessions SET project = ?2 WHERE key = ?1")?
            .execute(params![known.key, row.project_id.to_string()])?;
    }
    let now = seconds(row);
    if now != active {
        conn.prepare_cached("UPDATE sessions SET active_s = ?2 WHERE key = ?1")?
            .execute(params![known.key, now])?;
    }
    conn.prepare_cached(
        "UPDATE sessions SET state = ?2, ended_at = ?3, event_count = ?4, last_seq_no = ?5,
         row = ?6 WHERE key = ?1",
    )?
    .execute(params![
        known.key,
        row.state.as_str(),
        row.ended_at.map(Timestamp::as_millis),
        row.event_count,
        known.last_seq_no.0,
        encode(row)
    ])?;
    Ok(())
}

/// Numbers, stores and folds the unit's events.
fn insert_events(
    conn: &Connection,
    known: &mut Known,
    last: SeqNo,
    events: &mut [PreparedEvent],
    text: &mut String,
) -> rusqlite::Result<SeqNo> {
    let mut seq = Seq(known.row.event_count);
    let mut seq_no = last;
    let mut insert = conn.prepare_cached(
        "INSERT INTO events (seq_no, session, seq, text) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for event in events {
        seq = seq.next();
        seq_no = SeqNo(seq_no.0 + 1);
        event.envelope.seq = seq;
        event.envelope.project_id = known.row.project_id;
        event.pieces.join(text, seq, known.row.project_id);
        insert.execute(params![seq_no.0, known.key, seq.0, &*text])?;
        side::index_event(conn, (known.key, &known.row), seq_no, event)?;
        projection::apply(&mut known.row, &event.envelope);
    }
    known.last_seq_no = seq_no;
    Ok(seq_no)
}
