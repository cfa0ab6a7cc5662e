//! What is remembered of sessions that are no longer in the log.

use baton_protocol::{ProjectId, SessionId, Timestamp, words::ClientRef};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::StoreError;

/// A session on its way out.
#[derive(Debug)]
pub(crate) struct Removal<'a> {
    pub(crate) session: SessionId,
    pub(crate) project: String,
    pub(crate) title: Option<String>,
    pub(crate) events: u64,
    pub(crate) at: Timestamp,
    pub(crate) client: Option<&'a ClientRef>,
}

/// A session that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedRecord {
    /// Counts up in the order of removal.
    pub number: u64,
    pub session: SessionId,
    pub project_id: ProjectId,
    pub title: Option<String>,
    pub events: u64,
    pub removed_at: Timestamp,
    /// None if retention did.
    pub client: Option<ClientRef>,
}

/// Part of the transaction that removes the session.
pub(crate) fn record(conn: &Connection, removal: &Removal<'_>) -> Result<(), StoreError> {
    let client = removal.client.map(serde_json::to_string).transpose();
    let client = client.map_err(|error| StoreError::row("removed_sessions", error))?;
    conn.prepare_cached(
        "INSERT INTO removed_sessions (id, project, title, events, removed_at, client)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        removal.session.uuid(),
        removal.project,
        removal.title,
        removal.events,
        removal.at.as_millis(),
        client,
    ])?;
    Ok(())
}

const COLUMNS: &str = "number, id, project, title, events, removed_at, client";

pub(crate) fn find(
    conn: &Connection,
    session: SessionId,
) -> Result<Option<RemovedRecord>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM removed_sessions WHERE id = ?1");
    let found = conn
        .prepare_cached(&sql)?
        .query_row([session.uuid()], |row| Ok(read(row)))
        .optional()?;
    found.transpose()
}

/// At most `limit` after a number, in the order of removal.
pub(crate) fn after(
    conn: &Connection,
    number: u64,
    limit: usize,
) -> Result<Vec<RemovedRecord>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM removed_sessions WHERE number > ?1 ORDER BY number LIMIT ?2"
    );
    let mut select = conn.prepare_cached(&sql)?;
    let mut rows = select.query(params![number, limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// The number of the last removal; 0 before the first.
pub(crate) fn last(conn: &Connection) -> Result<u64, StoreError> {
    let last: Option<u64> =
        conn.query_row("SELECT max(number) FROM removed_sessions", [], |row| {
            row.get(0)
        })?;
    Ok(last.unwrap_or(0))
}

fn read(row: &Row<'_>) -> Result<RemovedRecord, StoreError> {
    let project: String = row.get(2)?;
    let client: Option<String> = row.get(6)?;
    let client = client.as_deref().map(serde_json::from_str).transpose();
    Ok(RemovedRecord {
        number: row.get(0)?,
        session: SessionId::from_uuid(row.get(1)?),
        project_id: project
            .parse()
            .map_err(|error| StoreError::row("removed_sessions", error))?,
        title: row.get(3)?,
        events: row.get(4)?,
        removed_at: Timestamp::from_millis(row.get(5)?),
        client: client.map_err(|error| StoreError::row("removed_sessions", error))?,
    })
}
