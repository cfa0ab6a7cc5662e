//! PINs that were tried, counted before they are judged.

use std::time::Duration;

use baton_protocol::Timestamp;
use rusqlite::{Connection, params};

use crate::error::StoreError;

/// Somebody is about to try a PIN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub at: Timestamp,
    pub address: String,
}

/// At most so many wrong ones within a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimit {
    pub most: u32,
    pub within: Duration,
    /// Counts each address for itself, or all of them together.
    pub per_address: bool,
}

/// What became of an [`Attempt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// It may be judged. Until it is forgiven it counts as wrong.
    Allowed { id: i64 },
    /// It is not even looked at.
    Limited { until: Timestamp },
}

pub(super) fn count(
    conn: &Connection,
    attempt: &Attempt,
    limits: &[AttemptLimit],
) -> Result<Counted, StoreError> {
    let now = attempt.at.as_millis();
    // A clock that was set back must not lock people out for as long.
    conn.prepare_cached("UPDATE attempts SET at = ?1 WHERE at > ?1")?
        .execute([now])?;
    let longest = limits.iter().map(|limit| millis(limit.within)).max();
    conn.prepare_cached("DELETE FROM attempts WHERE at <= ?1")?
        .execute([now - longest.unwrap_or_default()])?;
    let mut until = None;
    for limit in limits {
        until = until.max(over(conn, attempt, limit)?);
    }
    if let Some(until) = until {
        return Ok(Counted::Limited { until });
    }
    conn.prepare_cached("INSERT INTO attempts (at, address) VALUES (?1, ?2)")?
        .execute(params![now, attempt.address])?;
    Ok(Counted::Allowed {
        id: conn.last_insert_rowid(),
    })
}

/// When the limit lets the next one through, if it does not now: the time at
/// which the oldest of those that fill it has been long enough ago.
fn over(
    conn: &Connection,
    attempt: &Attempt,
    limit: &AttemptLimit,
) -> Result<Option<Timestamp>, StoreError> {
    let address = limit.per_address.then_some(attempt.address.as_str());
    let since = attempt.at.as_millis() - millis(limit.within);
    let mut select = conn.prepare_cached(
        "SELECT at FROM attempts WHERE at > ?1 AND (?2 IS NULL OR address = ?2)
         ORDER BY at DESC LIMIT 1 OFFSET ?3",
    )?;
    let mut rows = select.query(params![since, address, limit.most.saturating_sub(1)])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let oldest = Timestamp::from_millis(row.get(0)?);
    Ok(Some(oldest.plus(limit.within)))
}

pub(super) fn forgive(conn: &Connection, id: i64, address: &str) -> Result<(), StoreError> {
    conn.prepare_cached("DELETE FROM attempts WHERE id = ?1")?
        .execute([id])?;
    conn.prepare_cached("UPDATE attempts SET address = '' WHERE address = ?1")?
        .execute([address])?;
    Ok(())
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
