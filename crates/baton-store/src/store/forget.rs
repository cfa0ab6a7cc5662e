//! What a log in memory lets go of.
//!
//! A log on disk keeps everything until its session is removed. One in memory
//! has one reader, and what that reader has is of use to nobody.

use baton_protocol::{Seq, SessionId};
use rusqlite::{Connection, OptionalExtension, params};

use super::Store;
use crate::error::StoreError;

impl Store {
    /// Drops what its only reader has of a session's events, and the blobs that
    /// no event names any more. Messages that the agent may still need are kept.
    /// A log on disk keeps everything.
    pub async fn forget(&self, session: SessionId, up_to: Seq) -> Result<(), StoreError> {
        if self.inner.path.is_some() {
            return Ok(());
        }
        self.change(move |conn| forget(conn, session, up_to)).await
    }

    /// What a log in memory holds, in bytes; nothing for one on disk.
    pub async fn bytes_in_memory(&self) -> Result<u64, StoreError> {
        if self.inner.path.is_some() {
            return Ok(0);
        }
        self.read(|conn| {
            let pragma = |name: &str| {
                conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, u64>(0))
            };
            let used = pragma("page_count")?.saturating_sub(pragma("freelist_count")?);
            Ok(used.saturating_mul(pragma("page_size")?))
        })
        .await
    }
}

fn forget(conn: &Connection, session: SessionId, up_to: Seq) -> Result<(), StoreError> {
    let key: Option<i64> = conn
        .prepare_cached("SELECT key FROM sessions WHERE id = ?1")?
        .query_row([session.uuid()], |row| row.get(0))
        .optional()?;
    let Some(key) = key else {
        return Ok(());
    };
    conn.prepare_cached(
        "DELETE FROM search WHERE rowid IN (
            SELECT seq_no FROM events WHERE session = ?1 AND seq <= ?2
         )",
    )?
    .execute(params![key, up_to.0])?;
    conn.prepare_cached(
        "DELETE FROM events WHERE session = ?1 AND seq <= ?2 AND seq NOT IN (
            SELECT seq FROM messages WHERE session = ?1 AND state IN ('queued', 'sent')
         )",
    )?
    .execute(params![key, up_to.0])?;
    conn.prepare_cached("DELETE FROM approvals WHERE session = ?1 AND resolved_seq <= ?2")?
        .execute(params![key, up_to.0])?;
    conn.prepare_cached(
        "DELETE FROM messages WHERE session = ?1 AND seq <= ?2 AND state NOT IN ('queued', 'sent')",
    )?
    .execute(params![key, up_to.0])?;
    conn.prepare_cached(
        "DELETE FROM blobs WHERE session = ?1 AND NOT EXISTS (
            SELECT 1 FROM events
            WHERE events.session = ?1 AND instr(text, 'blb_' || lower(hex(blobs.id)))
         )",
    )?
    .execute([key])?;
    Ok(())
}
