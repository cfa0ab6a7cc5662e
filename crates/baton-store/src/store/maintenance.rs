//! Retention, integrity and backup.
//!
//! Check and backup read the whole log. They run on a connection and a thread
//! of their own; while they do, the WAL cannot start over and grows.

use std::{
    fs::{File, OpenOptions},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    time::Duration,
};

use baton_protocol::{SeqNo, SessionId, Timestamp, words::ClientRef};
use rusqlite::{Connection, params};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::Store;
use crate::{
    connection,
    error::{OpenError, StoreError},
    read::SessionFilter,
    writer::{Conditions, RemovedSession, Work},
};

/// What may leave the log: whole ended sessions, the oldest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Sessions that ended longer ago than this go.
    pub max_age: Option<Duration>,
    /// While the log has more events than this, the session that ended first goes.
    pub max_events: Option<u64>,
    /// With a hub: what it has. A session with an event beyond it stays.
    pub delivered_up_to: Option<SeqNo>,
}

/// Sessions that a probe reads.
const PROBED: usize = 50;

/// What an integrity check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// One sentence each; empty when all is well.
    pub problems: Vec<String>,
    /// Sessions of which not everything can be read, as far as they are known.
    pub unreadable: Vec<SessionId>,
}

/// A copy that was read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupReport {
    pub bytes: u64,
    pub sessions: u64,
    pub events: u64,
}

impl CheckReport {
    pub const fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }
}

impl Store {
    /// Removes what `policy` lets go, session by session, so that appends go
    /// on in between. Returns what is gone.
    pub async fn retain(
        &self,
        policy: RetentionPolicy,
        now: Timestamp,
    ) -> Result<Vec<RemovedSession>, StoreError> {
        let (mut events, ended) = self.read(|conn| Ok((count(conn)?, ended(conn)?))).await?;
        let expired = policy.max_age.map(|age| {
            let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            Timestamp::from_millis(now.as_millis().saturating_sub(age))
        });
        let mut gone = Vec::new();
        for (session, ended_at) in ended {
            let old = expired.is_some_and(|limit| ended_at <= limit);
            let many = policy.max_events.is_some_and(|limit| events > limit);
            if !old && !many {
                continue;
            }
            let conditions = Conditions {
                // Resumed and ended again since: it is as young as its last end.
                ended_by: Some(ended_at),
                delivered_up_to: policy.delivered_up_to,
                at: now,
                client: None,
            };
            if let Some(removed) = self.remove(session, conditions).await? {
                events = events.saturating_sub(removed.events);
                gone.push(removed);
            }
        }
        Ok(gone)
    }

    /// Removes one ended session with everything of it, and records that
    /// `client` did. `None` if there is none, if it has not ended, or if a
    /// process of its is still being put away.
    pub async fn remove_session(
        &self,
        session: SessionId,
        at: Timestamp,
        client: ClientRef,
    ) -> Result<Option<RemovedSession>, StoreError> {
        let conditions = Conditions {
            ended_by: None,
            delivered_up_to: None,
            at,
            client: Some(client),
        };
        self.remove(session, conditions).await
    }

    async fn remove(
        &self,
        session: SessionId,
        conditions: Conditions,
    ) -> Result<Option<RemovedSession>, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.write(Work::Remove(session, conditions, answer))
            .await?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Checks the file's structure and that every session's numbers are dense.
    pub async fn check(&self) -> Result<CheckReport, StoreError> {
        self.read_long(check).await
    }

    /// Commits one small value, to see that the log can be written.
    pub async fn probe(&self, now: Timestamp) -> Result<(), StoreError> {
        self.change(move |conn| {
            conn.prepare_cached(
                "INSERT INTO meta (name, value) VALUES ('probed_at', ?1)
                 ON CONFLICT DO UPDATE SET value = excluded.value",
            )?
            .execute([now.as_millis().to_string()])?;
            Ok(())
        })
        .await
    }

    /// Reads what lists begin with, to see that the log can be read.
    pub async fn probe_reading(&self) -> Result<(), StoreError> {
        self.sessions(SessionFilter::default(), None, PROBED)
            .await?;
        self.project_list().await?;
        self.holders().await?;
        self.read(|conn| {
            let newest = "SELECT text FROM events ORDER BY seq_no DESC LIMIT 1";
            let mut newest = conn.prepare_cached(newest)?;
            newest.query([])?.next()?;
            Ok(())
        })
        .await
    }

    /// Writes a copy of the whole log, as of now, to a new file, and reads it
    /// back: a copy that is not whole is removed and is an error.
    pub async fn backup(&self, to: &Path) -> Result<BackupReport, StoreError> {
        let to = to.to_owned();
        self.read_long(move |conn| backup(conn, &to)).await
    }

    async fn read_long<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Some(path) = self.inner.path.clone() else {
            return self.read(read).await;
        };
        let done = tokio::task::spawn_blocking(move || {
            let conn = connection::open_reader(&path).map_err(reopen)?;
            // `VACUUM INTO` writes another file and needs no right to write this one.
            conn.pragma_update(None, "query_only", false)?;
            read(&conn)
        });
        done.await.map_err(|_| StoreError::Closed)?
    }
}

fn reopen(error: OpenError) -> StoreError {
    match error {
        OpenError::Database { source, .. } | OpenError::Corrupt { source, .. } => source.into(),
        OpenError::Io { source, .. } => source.into(),
        OpenError::NotALog { .. }
        | OpenError::Lost { .. }
        | OpenError::DamagedWal { .. }
        | OpenError::ReadOnly { .. }
        | OpenError::Newer { .. }
        | OpenError::MissingFolder { .. }
        | OpenError::Missing { .. }
        | OpenError::NoSpace { .. }
        | OpenError::Busy { .. }
        | OpenError::OldSqlite { .. } => std::io::Error::other(error).into(),
    }
}

fn count(conn: &Connection) -> Result<u64, StoreError> {
    Ok(conn.query_row("SELECT count(*) FROM events", [], |row| row.get(0))?)
}

/// Ended sessions, the first to end first.
fn ended(conn: &Connection) -> Result<Vec<(SessionId, Timestamp)>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT id, ended_at FROM sessions WHERE state = 'ended' AND ended_at IS NOT NULL
         ORDER BY ended_at, key",
    )?;
    let rows = select.query_map([], |row| {
        Ok((
            SessionId::from_uuid(row.get(0)?),
            Timestamp::from_millis(row.get(1)?),
        ))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Damage is a finding, not an error.
fn check(conn: &Connection) -> Result<CheckReport, StoreError> {
    let mut report = CheckReport::default();
    for look in [check_pages, check_numbers] {
        match look(conn, &mut report.problems) {
            Err(error) if error.is_damage() => report.problems.push(error.to_string()),
            looked => looked?,
        }
    }
    if !report.is_ok() {
        report.unreadable = unreadable(conn).unwrap_or_default();
    }
    Ok(report)
}

/// Reads every event of every session.
fn unreadable(conn: &Connection) -> Result<Vec<SessionId>, StoreError> {
    let mut keys = conn.prepare("SELECT key FROM sessions INDEXED BY sessions_by_activity")?;
    let keys = keys.query_map([], |row| row.get(0))?;
    let keys: Vec<i64> = keys.collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for key in keys {
        let events =
            "SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM events WHERE session = ?1";
        let read: rusqlite::Result<i64> = conn.query_row(events, [key], |row| row.get(0));
        if read.is_err() {
            let id = "SELECT id FROM sessions WHERE key = ?1";
            let id: rusqlite::Result<Uuid> = conn.query_row(id, [key], |row| row.get(0));
            found.extend(id.ok().map(SessionId::from_uuid));
        }
    }
    Ok(found)
}

fn check_pages(conn: &Connection, problems: &mut Vec<String>) -> Result<(), StoreError> {
    let mut quick = conn.prepare("PRAGMA quick_check")?;
    for line in quick.query_map([], |row| row.get::<_, String>(0))? {
        let line = line?;
        if line != "ok" {
            problems.push(line);
        }
    }
    Ok(())
}

fn check_numbers(conn: &Connection, problems: &mut Vec<String>) -> Result<(), StoreError> {
    let mut sparse = conn.prepare(
        "SELECT id, event_count, coalesce(low, 0), coalesce(high, 0), coalesce(total, 0)
         FROM sessions LEFT JOIN (
             SELECT session, min(seq) AS low, max(seq) AS high, count(*) AS total
             FROM events GROUP BY session
         ) ON session = key
         WHERE event_count <> coalesce(high, 0) OR coalesce(high, 0) <> coalesce(total, 0)
         OR coalesce(low, 1) <> 1",
    )?;
    let mut rows = sparse.query([])?;
    while let Some(row) = rows.next()? {
        let session = SessionId::from_uuid(row.get(0)?);
        let (head, low, high, total): (u64, u64, u64, u64) =
            (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        problems.push(format!(
            "session {session} should have events 1 to {head}, has {total} from {low} to {high}"
        ));
    }
    let orphans: u64 = conn.query_row(
        "SELECT count(*) FROM events WHERE session NOT IN (SELECT key FROM sessions)",
        [],
        |row| row.get(0),
    )?;
    if orphans > 0 {
        problems.push(format!("{orphans} events belong to no session"));
    }
    Ok(())
}

fn backup(conn: &Connection, to: &Path) -> Result<BackupReport, StoreError> {
    // Made here, so that it is private from its first byte and never overwrites.
    let file: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)?;
    let made = copy(conn, to, &file);
    if made.is_err() {
        // Nobody must take it for a copy.
        std::fs::remove_file(to).ok();
    }
    made
}

fn copy(conn: &Connection, to: &Path, file: &File) -> Result<BackupReport, StoreError> {
    let name = to.to_str().ok_or_else(|| {
        std::io::Error::new(std::io::ErrorKind::InvalidInput, "path is not UTF-8")
    })?;
    conn.execute("VACUUM INTO ?1", params![name])?;
    file.sync_all()?;
    connection::sync_folder(to)?;
    let copy = connection::open_reader(to).map_err(reopen)?;
    if let Some(problem) = check(&copy)?.problems.first() {
        let what = format!("the copy is damaged: {problem}");
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, what).into());
    }
    Ok(BackupReport {
        bytes: file.metadata()?.len(),
        sessions: copy.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0))?,
        events: count(&copy)?,
    })
}
