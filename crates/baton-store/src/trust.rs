//! What was last answered about trusting a folder.
//!
//! The digest names the list that the answer was given to; comparing it with
//! the folder of today is for those who can read folders.

use baton_protocol::{ProjectId, Timestamp, words::ClientRef};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{error::StoreError, read::client};

/// One project's answer; the last one counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRecord {
    pub project_id: ProjectId,
    pub path: String,
    /// Of what the folder would have run at that time.
    pub digest: String,
    pub accepted: bool,
    pub at: Timestamp,
    pub client: Option<ClientRef>,
}

pub(crate) fn set(conn: &Connection, trust: &TrustRecord) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO trust (project, path, digest, accepted, at, client)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET path = excluded.path, digest = excluded.digest,
         accepted = excluded.accepted, at = excluded.at, client = excluded.client",
    )?
    .execute(params![
        trust.project_id.to_string(),
        trust.path,
        trust.digest,
        trust.accepted,
        trust.at.as_millis(),
        client::text(trust.client.as_ref())
    ])?;
    Ok(())
}

pub(crate) fn of(conn: &Connection, project: ProjectId) -> Result<Option<TrustRecord>, StoreError> {
    let found = conn
        .prepare_cached("SELECT path, digest, accepted, at, client FROM trust WHERE project = ?1")?
        .query_row([project.to_string()], |row| {
            let trust = TrustRecord {
                project_id: project,
                path: row.get(0)?,
                digest: row.get(1)?,
                accepted: row.get(2)?,
                at: Timestamp::from_millis(row.get(3)?),
                client: None,
            };
            Ok((trust, row.get::<_, Option<String>>(4)?))
        })
        .optional()?;
    let Some((mut trust, text)) = found else {
        return Ok(None);
    };
    trust.client = client::read("trust", text)?;
    Ok(Some(trust))
}
