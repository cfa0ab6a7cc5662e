//! Lists of sessions and projects.

use std::{fmt, str::FromStr};

use baton_protocol::{
    ProjectId, SessionId,
    words::{ListedState, SessionState},
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{Page, ProjectRow, rows};
use crate::{
    error::StoreError,
    projection::{SessionRow, SessionStatus},
};

/// Which sessions a list shows. The default is all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionFilter {
    pub project: Option<ProjectId>,
    pub state: Option<SessionState>,
    /// Of ended sessions only those that are asleep, or only the others.
    pub asleep: Option<bool>,
    /// Leaves ended sessions out.
    pub running: bool,
}

impl SessionFilter {
    /// Those that a list calls so.
    #[must_use]
    pub fn in_state(self, state: Option<ListedState>) -> Self {
        let (state, asleep) = state.map_or((None, None), |state| {
            let (state, asleep) = state.parts();
            (Some(state), asleep)
        });
        Self {
            state,
            asleep,
            ..self
        }
    }

    fn shows(&self, row: &SessionRow) -> bool {
        self.project.is_none_or(|project| project == row.project_id)
            && self.state.is_none_or(|state| state == row.state)
            && self
                .asleep
                .is_none_or(|asleep| asleep == (row.status == SessionStatus::Asleep))
            && !(self.running && row.state == SessionState::Ended)
    }
}

/// Where the next page of sessions begins: after this second, this session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionCursor {
    active_s: i64,
    key: i64,
}

impl fmt::Display for SessionCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.active_s, self.key)
    }
}

/// The text is no cursor of a list of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cursor is not one that a list of sessions returned")]
pub struct BadCursor;

impl FromStr for SessionCursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let (active_s, key) = text.split_once('.').ok_or(BadCursor)?;
        Ok(Self {
            active_s: active_s.parse().map_err(|_| BadCursor)?,
            key: key.parse().map_err(|_| BadCursor)?,
        })
    }
}

pub(crate) fn session_row(
    conn: &Connection,
    session: SessionId,
) -> Result<Option<SessionRow>, StoreError> {
    conn.prepare_cached("SELECT row FROM sessions WHERE id = ?1")?
        .query_row([session.uuid()], |row| row.get::<_, String>(0))
        .optional()?
        .map(|text| decode(&text))
        .transpose()
}

/// The latest activity first, to the second. Where the log is damaged each row
/// is read for itself, and the page says how many could not be.
pub(crate) fn sessions(
    conn: &Connection,
    filter: SessionFilter,
    cursor: Option<SessionCursor>,
    limit: usize,
) -> Result<Page<SessionRow, SessionCursor>, StoreError> {
    let from = cursor.unwrap_or(SessionCursor {
        active_s: i64::MAX,
        key: i64::MAX,
    });
    match at_once(conn, filter, from, limit) {
        Err(error) if error.is_damage() => {
            tracing::warn!(%error, "the list of sessions is read row by row");
            row_by_row(conn, filter, from, limit)
        }
        page => page,
    }
}

/// Passes over rows that cannot be read. The index by which they are found has
/// pages of its own; when those are damaged there is no list.
fn row_by_row(
    conn: &Connection,
    filter: SessionFilter,
    from: SessionCursor,
    limit: usize,
) -> Result<Page<SessionRow, SessionCursor>, StoreError> {
    let mut keys = conn.prepare_cached(
        "SELECT active_s, key FROM sessions INDEXED BY sessions_by_activity
         WHERE (active_s, key) < (?1, ?2) ORDER BY active_s DESC, key DESC",
    )?;
    let mut keys = keys.query([from.active_s, from.key])?;
    let (mut found, mut unreadable) = (Vec::new(), 0);
    while let Some(row) = keys.next()?
        && found.len() <= limit
    {
        let cursor = SessionCursor {
            active_s: row.get(0)?,
            key: row.get(1)?,
        };
        match one(conn, cursor.key) {
            Ok(row) if filter.shows(&row) => found.push((cursor, row)),
            Ok(_) => {}
            Err(error) if error.is_damage() => unreadable += 1,
            Err(error) => return Err(error),
        }
    }
    let page = Page::cut(found, limit, |(cursor, _)| *cursor);
    Ok(Page {
        items: page.items.into_iter().map(|(_, row)| row).collect(),
        next: page.next,
        unreadable,
    })
}

fn one(conn: &Connection, key: i64) -> Result<SessionRow, StoreError> {
    let mut select = conn.prepare_cached("SELECT row FROM sessions WHERE key = ?1")?;
    let text: String = select.query_row([key], |row| row.get(0))?;
    decode(&text)
}

fn at_once(
    conn: &Connection,
    filter: SessionFilter,
    from: SessionCursor,
    limit: usize,
) -> Result<Page<SessionRow, SessionCursor>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT active_s, key, row FROM sessions
         WHERE (active_s, key) < (?1, ?2) AND (?3 IS NULL OR project = ?3)
         AND (?4 IS NULL OR state = ?4) AND NOT (?5 AND state = 'ended')
         AND (?7 IS NULL OR (json_extract(row, '$.status') = 'asleep') = ?7)
         ORDER BY active_s DESC, key DESC LIMIT ?6",
    )?;
    let mut rows = select.query(params![
        from.active_s,
        from.key,
        filter.project.map(|id| id.to_string()),
        filter.state.map(SessionState::as_str),
        filter.running,
        limit.saturating_add(1),
        filter.asleep
    ])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let cursor = SessionCursor {
            active_s: row.get(0)?,
            key: row.get(1)?,
        };
        found.push((
            cursor,
            decode(
                row.get_ref(2)?
                    .as_str()
                    .map_err(|error| StoreError::row("sessions", error))?,
            )?,
        ));
    }
    let page = Page::cut(found, limit, |(cursor, _)| *cursor);
    Ok(Page {
        items: page.items.into_iter().map(|(_, row)| row).collect(),
        next: page.next,
        unreadable: 0,
    })
}

/// Sessions that are copies of others, each with the one it is a copy of.
pub(crate) fn forks(conn: &Connection) -> Result<Vec<(SessionId, SessionId)>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT id, json_extract(row, '$.forkedFrom') FROM sessions
         WHERE json_extract(row, '$.forkedFrom') IS NOT NULL ORDER BY key",
    )?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    rows.map(|row| {
        let (id, from): (uuid::Uuid, String) = row?;
        let from = from.parse();
        let from = from.map_err(|error| StoreError::row("sessions", error))?;
        Ok((SessionId::from_uuid(id), from))
    })
    .collect()
}

/// The last used first.
pub(crate) fn projects(conn: &Connection) -> Result<Vec<ProjectRow>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT id, path, last_used_at FROM projects ORDER BY last_used_at DESC, id",
    )?;
    let mut rows = select.query([])?;
    let mut projects = Vec::new();
    while let Some(row) = rows.next()? {
        projects.push(rows::project(row)?);
    }
    Ok(projects)
}

pub(super) fn decode(text: &str) -> Result<SessionRow, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::row("sessions", error))
}
