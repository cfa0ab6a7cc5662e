//! The only place that opens SQLite, so that every connection has the same
//! settings and the file is private from its first byte.

use std::{
    fs::{File, OpenOptions},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use crate::{
    error::OpenError,
    found::{self, Beginning},
    schema::{self, MIGRATIONS},
};

/// Versions before this can damage a database in WAL mode when a checkpoint
/// resets the log under a writer.
const NEEDED: (i32, &str) = (3_051_003, "3.51.3");

/// How long a read waits for another process's lock.
const BUSY: Duration = Duration::from_secs(5);

/// Large enough for every statement this crate prepares.
const STATEMENTS: usize = 64;

/// Opens for writing: creates the file, sets the journal mode, migrates.
pub(crate) fn open_writer(
    path: &Path,
    journal_size_limit: u64,
    busy: Duration,
    beginning: &Beginning,
) -> Result<Connection, OpenError> {
    check_version()?;
    found::is_there_or_new(path, beginning)?;
    found::wal_is_whole(path)?;
    create_private(path)?;
    let fail = |source| OpenError::from_sqlite(path.to_owned(), source);
    let mut conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(fail)?;
    conn.busy_timeout(busy).map_err(fail)?;
    // SQLite falls back to reading silently when it may not write.
    if conn.is_readonly("main").map_err(fail)? {
        return Err(OpenError::ReadOnly {
            path: path.to_owned(),
        });
    }
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    // Looked at before the journal mode, which would already change a foreign
    // file. One that is refused keeps what lies beside it, too.
    keep_wal(&conn, true).map_err(fail)?;
    let found = schema::inspect(&conn, known)
        .map_err(|obstacle| OpenError::from_obstacle(path.to_owned(), obstacle))?;
    if let (0, Beginning::NotNew { shown_by }) = (found, beginning) {
        return Err(OpenError::Lost {
            path: path.to_owned(),
            shown_by: shown_by.clone(),
        });
    }
    keep_wal(&conn, false).map_err(fail)?;
    set_up_writer(&conn, journal_size_limit).map_err(fail)?;
    schema::migrate(&mut conn, MIGRATIONS)
        .map_err(|obstacle| OpenError::from_obstacle(path.to_owned(), obstacle))?;
    Ok(conn)
}

/// Whether the WAL stays when the last connection closes.
fn keep_wal(conn: &Connection, keep: bool) -> rusqlite::Result<()> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep)?;
    Ok(())
}

/// Puts everything into the one file, after all connections have closed.
///
/// SQLite does this when the last connection closes, but two that close at the
/// same moment each take the other for one that stays. Another process that
/// looks at the log may keep it from happening, which loses nothing.
pub(crate) fn tidy(path: &Path) -> Result<(), rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Pages the writer keeps to itself: those that every commit touches, many
/// times over. More would only be filled by long answers and never given back.
const WRITER_CACHE_KIB: i64 = 512;

/// Pages a reader keeps to itself. A log is read onwards, hardly ever again,
/// and the system has its pages anyway.
const READER_CACHE_KIB: i64 = 256;

/// Opens a further connection to a log that [`open_writer`] has set up.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, OpenError> {
    check_version()?;
    if !path.exists() {
        return Err(OpenError::Missing {
            path: path.to_owned(),
        });
    }
    // SQLite deletes what lies beside an empty file, even for a reader.
    found::is_there_or_new(path, &Beginning::MayBeNew)?;
    let fail = |source| OpenError::from_sqlite(path.to_owned(), source);
    let conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(fail)?;
    conn.busy_timeout(BUSY).map_err(fail)?;
    conn.pragma_update(None, "query_only", true).map_err(fail)?;
    // Negative counts kibibytes, not pages.
    conn.pragma_update(None, "cache_size", -READER_CACHE_KIB)
        .map_err(fail)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    let found = schema::inspect(&conn, known)
        .map_err(|obstacle| OpenError::from_obstacle(path.to_owned(), obstacle))?;
    if found < known {
        // Its owner migrates it; an empty file is no log yet.
        return Err(OpenError::NotALog {
            path: path.to_owned(),
            source: None,
        });
    }
    Ok(conn)
}

/// Opens a connection that only moves the WAL into the database.
pub(crate) fn open_checkpointer(path: &Path) -> Result<Connection, OpenError> {
    let fail = |source| OpenError::from_sqlite(path.to_owned(), source);
    let conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(fail)?;
    set_durable(&conn).map_err(fail)?;
    Ok(conn)
}

/// A log that lives and dies with the process.
pub(crate) fn open_in_memory() -> Result<Connection, OpenError> {
    check_version()?;
    let path = PathBuf::from(":memory:");
    let fail = |source| OpenError::from_sqlite(path.clone(), source);
    let mut conn = Connection::open_in_memory().map_err(fail)?;
    conn.pragma_update(None, "foreign_keys", true)
        .map_err(fail)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    schema::migrate(&mut conn, MIGRATIONS)
        .map_err(|obstacle| OpenError::from_obstacle(path.clone(), obstacle))?;
    Ok(conn)
}

fn set_up_writer(conn: &Connection, journal_size_limit: u64) -> rusqlite::Result<()> {
    conn.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))?;
    set_durable(conn)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "journal_size_limit", journal_size_limit)?;
    // Checkpoints are ours: see `checkpoint`.
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    conn.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

fn set_durable(conn: &Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "synchronous", "FULL")?;
    // Without it an Apple disk may keep a "synced" write in its cache.
    conn.pragma_update(None, "fullfsync", true)?;
    conn.pragma_update(None, "checkpoint_fullfsync", true)
}

fn check_version() -> Result<(), OpenError> {
    if rusqlite::version_number() < NEEDED.0 {
        return Err(OpenError::OldSqlite {
            found: rusqlite::version(),
            needed: NEEDED.1,
        });
    }
    Ok(())
}

/// Makes the file with mode 0600 before SQLite would make it with the umask's;
/// SQLite gives its side files the mode of the main one.
fn create_private(path: &Path) -> Result<(), OpenError> {
    let fail = |source| OpenError::from_io(path.to_owned(), source);
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match made {
        Ok(file) => {
            file.sync_all().map_err(fail)?;
            sync_folder(path).map_err(fail)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(fail(error)),
    }
}

/// Makes a new name in a folder survive power loss.
pub(crate) fn sync_folder(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
