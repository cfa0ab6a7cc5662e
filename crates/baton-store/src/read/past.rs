//! Reads over what was asked and said before: past requests, checkpoints.

use baton_protocol::{MessageId, ProjectId, Seq, SeqNo, SessionId, Timestamp, Turn};
use rusqlite::{Connection, params};

use super::{ApprovalRecord, Page, rows};
use crate::error::StoreError;

/// A list of past requests ends with the one that takes it past this.
const REQUEST_BYTES: usize = 8 << 20;

/// How much of a message a checkpoint shows, in characters.
const HEAD: u32 = 200;

/// A request for approval with its answer, to try a rule on.
#[derive(Debug, Clone, PartialEq)]
pub struct PastRequest {
    pub project_id: ProjectId,
    /// Where the session ran, which paths in the input may be relative to.
    pub cwd: Option<String>,
    pub approval: ApprovalRecord,
}

/// A point that files can be brought back to: a message that began a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRecord {
    pub checkpoint_id: MessageId,
    pub seq: Seq,
    pub at: Timestamp,
    pub turn: Turn,
    /// The beginning of the message; `None` if Baton sent it by itself.
    pub text: Option<String>,
}

/// The newest first, of one project or of all.
pub(crate) fn past_requests(
    conn: &Connection,
    project: Option<ProjectId>,
    limit: usize,
) -> Result<Vec<PastRequest>, StoreError> {
    Ok(asked(conn, project, limit, None, Which::All)?.items)
}

/// Those that were answered, the newest first; `before` is the cursor of the
/// page before.
pub(crate) fn past_approvals(
    conn: &Connection,
    project: Option<ProjectId>,
    limit: usize,
    before: Option<SeqNo>,
) -> Result<Page<PastRequest, SeqNo>, StoreError> {
    asked(conn, project, limit, before, Which::Answered)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    Answered,
}

fn asked(
    conn: &Connection,
    project: Option<ProjectId>,
    limit: usize,
    before: Option<SeqNo>,
    which: Which,
) -> Result<Page<PastRequest, SeqNo>, StoreError> {
    let before = before.map_or(i64::MAX, |mark| i64::try_from(mark.0).unwrap_or(i64::MAX));
    let places = conn
        .prepare_cached(
            "SELECT sessions.id, requested_seq, resolved_seq, project,
             json_extract(row, '$.cwd'), requested_no FROM approvals
             JOIN sessions ON sessions.key = approvals.session
             WHERE (?1 IS NULL OR project = ?1) AND requested_no < ?3
             AND (NOT ?4 OR resolved_seq IS NOT NULL)
             ORDER BY requested_no DESC LIMIT ?2",
        )?
        .query_map(
            params![
                project.map(|project| project.to_string()),
                limit.saturating_add(1),
                before,
                which == Which::Answered
            ],
            |row| {
                let project: String = row.get(3)?;
                let cwd: Option<String> = row.get(4)?;
                Ok((rows::place(row)?, project, cwd, SeqNo(row.get(5)?)))
            },
        )?
        .collect::<Result<Vec<_>, _>>()?;
    let mut page = Page::empty();
    let mut bytes = 0;
    let mut last = None;
    for (place, project, cwd, number) in places {
        if page.items.len() >= limit || bytes > REQUEST_BYTES {
            page.next = last;
            break;
        }
        last = Some(number);
        // Further statements read what the first pointed at; events do not change.
        let Some(approval) = rows::approval_at(conn, place)? else {
            continue;
        };
        bytes += approval.requested.input.text().len();
        page.items.push(PastRequest {
            project_id: project
                .parse()
                .map_err(|error| StoreError::row("sessions", error))?,
            cwd,
            approval,
        });
    }
    Ok(page)
}

/// The oldest first.
pub(crate) fn checkpoints(
    conn: &Connection,
    session: SessionId,
) -> Result<Vec<CheckpointRecord>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT checkpoints.id, made.seq, json_extract(made.text, '$.ts'),
         json_extract(made.text, '$.turn'),
         substr(json_extract(said.text, '$.payload.text'), 1, ?2) FROM checkpoints
         JOIN events AS made ON made.session = checkpoints.session AND made.seq = checkpoints.seq
         LEFT JOIN messages ON messages.session = checkpoints.session
         AND messages.id = checkpoints.id
         LEFT JOIN events AS said ON said.session = messages.session AND said.seq = messages.seq
         WHERE checkpoints.session = (SELECT key FROM sessions WHERE id = ?1)
         ORDER BY checkpoints.seq",
    )?;
    let mut rows = select.query(params![session.uuid(), HEAD])?;
    let mut checkpoints = Vec::new();
    while let Some(row) = rows.next()? {
        let at: String = row.get(2)?;
        checkpoints.push(CheckpointRecord {
            checkpoint_id: MessageId::from_uuid(row.get(0)?),
            seq: Seq(row.get(1)?),
            at: at
                .parse()
                .map_err(|error| StoreError::row("events", error))?,
            turn: Turn(row.get(3)?),
            text: row.get(4)?,
        });
    }
    if checkpoints.is_empty() {
        super::head(conn, session)?;
    }
    Ok(checkpoints)
}
