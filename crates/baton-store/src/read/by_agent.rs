//! Sessions by the name that their agent gave them.

use rusqlite::Connection;

use super::sessions::decode;
use crate::{error::StoreError, projection::SessionRow};

/// One scan over the rows, however many ids are asked for.
pub(crate) fn sessions_by_agent_session(
    conn: &Connection,
    ids: &[String],
) -> Result<Vec<SessionRow>, StoreError> {
    let ids = serde_json::to_string(ids).map_err(|error| StoreError::row("sessions", error))?;
    let mut select = conn.prepare_cached(
        "SELECT row FROM sessions
         WHERE json_extract(row, '$.agentSessionId') IN (SELECT value FROM json_each(?1))
         ORDER BY key",
    )?;
    let mut rows = select.query([ids])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?;
        let text = text
            .as_str()
            .map_err(|error| StoreError::row("sessions", error))?;
        found.push(decode(text)?);
    }
    Ok(found)
}
