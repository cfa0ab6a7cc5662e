//! Projects whose folders were moved.
//!
//! A project is named by its folder, so one that was moved has another name.
//! What belongs to it beside its sessions gets the new name in one transaction,
//! which also keeps the move until every session has followed with an event of
//! its own: what a crash interrupts is gone on with.

use baton_protocol::ProjectId;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::{
    error::StoreError,
    projects::{self, ProjectEntry, ProjectKey},
};

/// Where a project was and is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectMove {
    pub from: ProjectId,
    pub from_path: String,
    pub to: ProjectId,
    pub to_path: String,
}

/// Gives everything but the sessions to the new names.
pub(crate) fn begin(conn: &Connection, moves: &[ProjectMove]) -> Result<(), StoreError> {
    for one in moves {
        make_room(conn, one)?;
        list(conn, one)?;
        let ids = params![one.from.to_string(), one.to.to_string()];
        // A rule that both have is one rule.
        for statement in [
            "UPDATE OR IGNORE rules SET scope_id = ?2 WHERE scope = 'project' AND scope_id = ?1",
            "DELETE FROM rules WHERE scope = 'project' AND scope_id = ?1 AND ?2 <> ?1",
            "UPDATE removed_sessions SET project = ?2 WHERE project = ?1",
            "INSERT INTO usage
             SELECT day, ?2, model, cost, input_tokens, output_tokens, cache_read_tokens,
             cache_creation_tokens, turns FROM usage WHERE project = ?1
             ON CONFLICT DO UPDATE SET cost = cost + excluded.cost,
             input_tokens = input_tokens + excluded.input_tokens,
             output_tokens = output_tokens + excluded.output_tokens,
             cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
             cache_creation_tokens = cache_creation_tokens + excluded.cache_creation_tokens,
             turns = turns + excluded.turns",
            "DELETE FROM usage WHERE project = ?1 AND ?2 <> ?1",
        ] {
            conn.prepare_cached(statement)?.execute(ids)?;
        }
    }
    let text = baton_protocol::words::Json::of(&moves);
    conn.prepare_cached("INSERT OR REPLACE INTO meta (name, value) VALUES ('moving', ?1)")?
        .execute([text.text()])?;
    Ok(())
}

/// The place in the table that sessions refer to.
fn make_room(conn: &Connection, one: &ProjectMove) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO projects (id, path, last_used_at)
         SELECT ?2, ?3, last_used_at FROM projects WHERE id = ?1
         ON CONFLICT DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)",
    )?
    .execute(params![
        one.from.to_string(),
        one.to.to_string(),
        one.to_path
    ])?;
    Ok(())
}

/// The project keeps its slug. One that the new folder has already stays with
/// the old folder, so that no third one gets it.
fn list(conn: &Connection, one: &ProjectMove) -> Result<(), StoreError> {
    let Some(old) = projects::find(conn, &ProjectKey::Id(one.from))? else {
        return Ok(());
    };
    let new = projects::find(conn, &ProjectKey::Id(one.to))?;
    let mut delete = conn.prepare_cached("DELETE FROM project_list WHERE id = ?1")?;
    for id in [one.from, one.to] {
        delete.execute([id.to_string()])?;
    }
    let title = new.as_ref().and_then(|new| new.title.clone());
    put(
        conn,
        &ProjectEntry {
            id: one.to,
            path: one.to_path.clone(),
            title: old.title.clone().or(title),
            listed: true,
            ..old
        },
    )?;
    let Some(new) = new else { return Ok(()) };
    put(
        conn,
        &ProjectEntry {
            id: one.from,
            path: one.from_path.clone(),
            title: None,
            listed: false,
            ..new
        },
    )
}

fn put(conn: &Connection, entry: &ProjectEntry) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO project_list (id, path, slug, title, listed, added_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        entry.id.to_string(),
        entry.path,
        entry.slug,
        entry.title,
        entry.listed,
        entry.added_at.as_millis()
    ])?;
    Ok(())
}

/// What was begun and not finished.
pub(crate) fn pending(conn: &Connection) -> Result<Vec<ProjectMove>, StoreError> {
    let text: Option<String> = conn
        .prepare_cached("SELECT value FROM meta WHERE name = 'moving'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    serde_json::from_str(&text).map_err(|error| StoreError::row("meta", error))
}

/// Every session has followed.
pub(crate) fn finish(conn: &Connection) -> Result<(), StoreError> {
    for one in pending(conn)? {
        conn.prepare_cached(
            "DELETE FROM projects WHERE id = ?1
             AND NOT EXISTS (SELECT 1 FROM sessions WHERE project = ?1)",
        )?
        .execute([one.from.to_string()])?;
    }
    conn.prepare_cached("DELETE FROM meta WHERE name = 'moving'")?
        .execute([])?;
    Ok(())
}
