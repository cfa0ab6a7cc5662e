//! Removal of a whole ended session, the only way anything leaves the log.

use baton_protocol::{
    SeqNo, SessionId, Timestamp,
    words::{ClientRef, Scope},
};
use rusqlite::{Connection, OptionalExtension, params};

use super::Writer;
use crate::{
    error::StoreError,
    removed::{self, Removal},
};

/// What must still be true of a session when it is removed, and who removes it.
#[derive(Debug, Clone)]
pub(crate) struct Conditions {
    pub(crate) ended_by: Option<Timestamp>,
    pub(crate) delivered_up_to: Option<SeqNo>,
    pub(crate) at: Timestamp,
    /// None for retention.
    pub(crate) client: Option<ClientRef>,
}

/// A session that is no longer in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemovedSession {
    pub session: SessionId,
    pub events: u64,
}

impl Writer {
    /// Removes a session with everything of it, unless it has come to life or
    /// a holder still belongs to it.
    pub(super) fn remove(
        &mut self,
        session: SessionId,
        conditions: &Conditions,
    ) -> Result<Option<RemovedSession>, StoreError> {
        let last_seq_no = self.last_seq_no;
        let removed = self.change(|conn| remove_rows(conn, session, conditions, last_seq_no))?;
        if removed.is_some() {
            self.known.remove(&session);
            self.shared.wake(session);
            // Who shows a list of sessions looks again.
            self.shared.publish_all(last_seq_no);
        }
        Ok(removed)
    }
}

fn remove_rows(
    conn: &Connection,
    session: SessionId,
    conditions: &Conditions,
    last_seq_no: SeqNo,
) -> Result<Option<RemovedSession>, StoreError> {
    let ended_by = conditions.ended_by.map(Timestamp::as_millis);
    let delivered = conditions.delivered_up_to.map(|mark| mark.0);
    let found: Option<(i64, u64, String, Option<String>)> = conn
        .prepare_cached(
            "SELECT key, event_count, project, json_extract(row, '$.title') FROM sessions WHERE id = ?1 AND state = 'ended'
             AND (?2 IS NULL OR ended_at <= ?2) AND (?3 IS NULL OR last_seq_no <= ?3)
             AND NOT EXISTS (SELECT 1 FROM holders WHERE holders.session = sessions.key)",
        )?
        .query_row(params![session.uuid(), ended_by, delivered], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    let Some((key, events, project, title)) = found else {
        return Ok(None);
    };
    // Numbers are never given twice, even when the last event is among the removed.
    conn.prepare_cached(
        "INSERT INTO meta (name, value) VALUES ('last_seq_no', ?1)
         ON CONFLICT DO UPDATE SET value = excluded.value",
    )?
    .execute([last_seq_no.0.to_string()])?;
    for delete in [
        "DELETE FROM search WHERE rowid IN (SELECT seq_no FROM events WHERE session = ?1)",
        "DELETE FROM events WHERE session = ?1",
        "DELETE FROM messages WHERE session = ?1",
        "DELETE FROM approvals WHERE session = ?1",
        "DELETE FROM checkpoints WHERE session = ?1",
        "DELETE FROM requests WHERE session = ?1",
        "DELETE FROM blobs WHERE session = ?1",
        "DELETE FROM sessions WHERE key = ?1",
    ] {
        conn.prepare_cached(delete)?.execute([key])?;
    }
    conn.prepare_cached("DELETE FROM rules WHERE scope = ?1 AND scope_id = ?2")?
        .execute(params![Scope::Session.as_str(), session.to_string()])?;
    let removal = Removal {
        session,
        project,
        title,
        events,
        at: conditions.at,
        client: conditions.client.as_ref(),
    };
    removed::record(conn, &removal)?;
    Ok(Some(RemovedSession { session, events }))
}
