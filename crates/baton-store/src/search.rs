//! Full text over what people and agents said.
//!
//! What a person types is never read as query syntax: every word becomes a
//! quoted term, all of them must occur, and the last one may be a beginning.

use std::{fmt::Write, sync::Arc};

use baton_protocol::{Event, ProjectId, Seq, SeqNo, SessionId};
use rusqlite::{Connection, params};

use crate::{error::StoreError, read::Page};

/// More of a message than this is not indexed, in bytes.
const INDEXED: usize = 256 << 10;

/// A message in which all words of the query occur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub session: SessionId,
    pub seq: Seq,
    pub seq_no: SeqNo,
    /// The text around the match, with the matches between U+E000 and U+E001,
    /// which no text of ours contains by accident and every screen can replace.
    pub snippet: String,
}

/// Marks the beginning of a match in [`Hit::snippet`].
pub const MATCH_START: char = '\u{E000}';
/// Marks the end of a match in [`Hit::snippet`].
pub const MATCH_END: char = '\u{E001}';

/// The text of an event that search finds, if any.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "search covers messages and titles; a new event is not searched until asked for"
)]
pub(crate) fn indexed_text(event: &Event) -> Option<&str> {
    let text = match event {
        Event::UserMessage(message) => &message.text,
        Event::MessageEdited(edited) => &edited.text,
        Event::AssistantMessage(message) => &message.0.content,
        Event::SessionCreated(created) => created.title.as_ref()?,
        Event::SessionUpdated(updated) => updated.title.as_ref()?,
        _ => return None,
    };
    let end = text.floor_char_boundary(INDEXED);
    (end > 0).then(|| &text[..end])
}

/// The newest hits first; `before` is the cursor of the page before.
pub(crate) fn search(
    conn: &Connection,
    query: &str,
    project: Option<ProjectId>,
    limit: usize,
    before: Option<SeqNo>,
) -> Result<Page<Hit, SeqNo>, StoreError> {
    let Some(terms) = terms(query) else {
        return Ok(Page::empty());
    };
    let mut select = conn.prepare_cached(
        "SELECT search.rowid, sessions.id, events.seq,
         snippet(search, 0, ?4, ?5, '…', 24)
         FROM search JOIN events ON events.seq_no = search.rowid
         JOIN sessions ON sessions.key = events.session
         WHERE search MATCH ?1 AND search.rowid < ?2 AND (?6 IS NULL OR sessions.project = ?6)
         ORDER BY search.rowid DESC LIMIT ?3",
    )?;
    let before = before.map_or(i64::MAX, |mark| i64::try_from(mark.0).unwrap_or(i64::MAX));
    let rows = select.query_map(
        params![
            terms,
            before,
            limit.saturating_add(1),
            MATCH_START.to_string(),
            MATCH_END.to_string(),
            project.map(|project| project.to_string())
        ],
        |row| {
            Ok(Hit {
                seq_no: SeqNo(row.get(0)?),
                session: SessionId::from_uuid(row.get(1)?),
                seq: Seq(row.get(2)?),
                snippet: row.get(3)?,
            })
        },
    )?;
    let hits = rows
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| StoreError::Database {
            source: Arc::new(error),
        })?;
    Ok(Page::cut(hits, limit, |hit| hit.seq_no))
}

/// The query in FTS5's syntax; `None` when it has no word.
fn terms(query: &str) -> Option<String> {
    let mut terms = String::new();
    for word in query.split(|c: char| c.is_whitespace() || c == '\0') {
        // A word without a letter or digit has no token to look for.
        if word.chars().any(char::is_alphanumeric) {
            // Writing to a String cannot fail.
            let _ = write!(terms, "\"{}\" ", word.replace('"', "\"\""));
        }
    }
    terms.pop()?;
    terms.push('*');
    Some(terms)
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
