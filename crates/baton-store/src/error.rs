//! What can go wrong, by what a person or a caller can do about it.

use std::{io, path::PathBuf, sync::Arc};

use baton_protocol::{HolderId, Seq, SessionId};
use rusqlite::ErrorCode;

use crate::schema::Obstacle;

/// Why an event log cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} is not an event log of Baton", path.display())]
    NotALog {
        path: PathBuf,
        #[source]
        source: Option<rusqlite::Error>,
    },
    #[error("event log {} is damaged", path.display())]
    Corrupt {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    /// It is not there or empty, and nothing was begun in its place.
    #[error("event log {} is missing or empty, though there was one: {shown_by}", path.display())]
    Lost { path: PathBuf, shown_by: String },
    /// To open it would drop what was committed.
    #[error("{} is damaged: {commits} commits lie behind the damage", path.display())]
    DamagedWal { path: PathBuf, commits: usize },
    #[error("event log {} cannot be written: no permission, or a read-only disk", path.display())]
    ReadOnly { path: PathBuf },
    /// A newer Baton has written it; this one would not understand it.
    #[error("event log {} was written by a newer Baton (format {found}, this one knows {known})", path.display())]
    Newer {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error("folder of event log {} does not exist", path.display())]
    MissingFolder { path: PathBuf },
    /// Only from [`Store::open_read_only`](crate::Store::open_read_only), which creates nothing.
    #[error("event log {} does not exist", path.display())]
    Missing { path: PathBuf },
    #[error("no space left on the disk of event log {}", path.display())]
    NoSpace { path: PathBuf },
    #[error("event log {} is locked by another process", path.display())]
    Busy { path: PathBuf },
    /// The linked SQLite has a bug that can damage a log in WAL mode.
    #[error("linked SQLite {found} is older than {needed}")]
    OldSqlite {
        found: &'static str,
        needed: &'static str,
    },
    #[error("event log {} cannot be opened", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("event log {} cannot be opened", path.display())]
    Database {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
}

impl OpenError {
    pub(crate) fn from_sqlite(path: PathBuf, source: rusqlite::Error) -> Self {
        match Cause::of(&source) {
            Cause::NotADatabase => Self::NotALog {
                path,
                source: Some(source),
            },
            Cause::Corrupt => Self::Corrupt { path, source },
            Cause::ReadOnly => Self::ReadOnly { path },
            Cause::NoSpace => Self::NoSpace { path },
            Cause::Busy => Self::Busy { path },
            Cause::Conflict | Cause::Other => Self::Database { path, source },
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the list of kinds is long and open; the rest has no remedy of its own"
    )]
    pub(crate) fn from_io(path: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::MissingFolder { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { path }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace { path },
            _ => Self::Io { path, source },
        }
    }

    pub(crate) fn from_obstacle(path: PathBuf, obstacle: Obstacle) -> Self {
        match obstacle {
            Obstacle::Foreign => Self::NotALog { path, source: None },
            Obstacle::Newer { found, known } => Self::Newer { path, found, known },
            Obstacle::Sqlite(source) => Self::from_sqlite(path, source),
        }
    }
}

/// Why an open log did not do what was asked. Nothing of a failed append is in the log.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    #[error("session {0} is unknown")]
    UnknownSession(SessionId),
    #[error("session {0} exists already")]
    SessionExists(SessionId),
    #[error("holder {0} is unknown")]
    UnknownHolder(HolderId),
    /// The journal was turned into events beyond this point before.
    #[error("journal of {holder} is already taken up to {stored}, not {given}")]
    JournalBackwards {
        holder: HolderId,
        stored: u64,
        given: u64,
    },
    #[error("no request `{request_id}` of {session} is open")]
    UnknownRequest {
        session: SessionId,
        request_id: String,
    },
    /// Something with this id is stored already.
    #[error("append to {session} repeats an id")]
    Conflict {
        session: SessionId,
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("event log is open for reading only")]
    ReadOnly,
    #[error("no space left on the disk of the event log")]
    NoSpace {
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("event log is damaged")]
    Corrupt {
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("event {seq} of {session} cannot be decoded")]
    Undecodable {
        session: SessionId,
        seq: Seq,
        #[source]
        source: Arc<serde_json::Error>,
    },
    #[error("row `{what}` of the event log cannot be decoded")]
    UndecodableRow {
        what: &'static str,
        #[source]
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    #[error("event log is locked by another process")]
    Busy {
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("file beside the event log cannot be written")]
    Io {
        #[source]
        source: Arc<io::Error>,
    },
    #[error("event log failed")]
    Database {
        #[source]
        source: Arc<rusqlite::Error>,
    },
    #[error("event log is closed")]
    Closed,
}

impl StoreError {
    /// Whether it means that what is on disk is not what was written.
    pub const fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Corrupt { .. } | Self::Undecodable { .. } | Self::UndecodableRow { .. }
        )
    }

    /// A failed statement of an append to `session`.
    pub(crate) fn of_append(session: SessionId, source: rusqlite::Error) -> Self {
        match Cause::of(&source) {
            Cause::Conflict => Self::Conflict {
                session,
                source: Arc::new(source),
            },
            Cause::NotADatabase
            | Cause::Corrupt
            | Cause::ReadOnly
            | Cause::NoSpace
            | Cause::Busy
            | Cause::Other => source.into(),
        }
    }

    pub(crate) fn row<E>(what: &'static str, source: E) -> Self
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        Self::UndecodableRow {
            what,
            source: Arc::new(source),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(source: rusqlite::Error) -> Self {
        let cause = Cause::of(&source);
        let source = Arc::new(source);
        match cause {
            Cause::NotADatabase | Cause::Corrupt => Self::Corrupt { source },
            Cause::ReadOnly => Self::ReadOnly,
            Cause::NoSpace => Self::NoSpace { source },
            Cause::Busy => Self::Busy { source },
            Cause::Conflict | Cause::Other => Self::Database { source },
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(source: io::Error) -> Self {
        Self::Io {
            source: Arc::new(source),
        }
    }
}

enum Cause {
    NotADatabase,
    Corrupt,
    ReadOnly,
    NoSpace,
    Busy,
    Conflict,
    Other,
}

impl Cause {
    fn of(error: &rusqlite::Error) -> Self {
        // The memory shared by readers is a file too, and a full disk stops it
        // from growing before anything is written to the log itself.
        let shared_memory = rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
        if error.sqlite_error().map(|error| error.extended_code) == Some(shared_memory) {
            return Self::NoSpace;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotADatabase,
            Some(ErrorCode::DatabaseCorrupt) => Self::Corrupt,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly,
            Some(ErrorCode::DiskFull) => Self::NoSpace,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::ConstraintViolation) => Self::Conflict,
            _ => Self::Other,
        }
    }
}
