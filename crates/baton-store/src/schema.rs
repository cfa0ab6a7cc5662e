//! Numbered migrations, counted by `PRAGMA user_version`.
//!
//! Each runs in one transaction with the new number, so a crash leaves the old
//! version or the new one. A released file is never edited.

use rusqlite::{Connection, TransactionBehavior};

/// The migrations in order; the version of a database is how many it has seen.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("schema/0001.sql"),
    include_str!("schema/0002.sql"),
    include_str!("schema/0003.sql"),
    include_str!("schema/0004.sql"),
    include_str!("schema/0005.sql"),
    include_str!("schema/0006.sql"),
    include_str!("schema/0007.sql"),
    include_str!("schema/0008.sql"),
];

/// Marks the file as ours in its header: `Batn`.
const APPLICATION_ID: i64 = 0x4261_746e;

/// What stood in the way of bringing a database up to date.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// Someone else's database.
    Foreign,
    Newer {
        found: u32,
        known: u32,
    },
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Obstacle {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Brings the database up to the last of `migrations`.
pub(crate) fn migrate(conn: &mut Connection, migrations: &[&str]) -> Result<(), Obstacle> {
    let known = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    if inspect(conn, known)? == known {
        return Ok(());
    }
    for (version, sql) in (1_u32..).zip(migrations) {
        let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read again under the lock: another process may have been first.
        if user_version(&transaction)? < version {
            transaction.execute_batch(sql)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", version)?;
            tracing::debug!(version, "migrated the event log");
        }
        transaction.commit()?;
    }
    Ok(())
}

/// Says which version a database has, if it is ours and not of the future.
pub(crate) fn inspect(conn: &Connection, known: u32) -> Result<u32, Obstacle> {
    let found = user_version(conn)?;
    let application: i64 = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let ours = if found == 0 && application == 0 {
        tables == 0
    } else {
        application == APPLICATION_ID
    };
    if !ours {
        return Err(Obstacle::Foreign);
    }
    if found > known {
        return Err(Obstacle::Newer { found, known });
    }
    Ok(found)
}

fn user_version(conn: &Connection) -> rusqlite::Result<u32> {
    conn.query_row("PRAGMA user_version", [], |row| row.get(0))
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
