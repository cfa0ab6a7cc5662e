//! The list of projects: folders by their slugs, which are given once for good.
//!
//! What a folder is today is for those who can read folders. Taking a project
//! off the list removes nothing else: its sessions, rules and trust stay.

use baton_protocol::{ProjectId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    error::StoreError,
    read::{self, ProjectRow},
};

/// A folder that is or was listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectEntry {
    pub id: ProjectId,
    pub path: String,
    pub slug: String,
    pub title: Option<String>,
    /// False once it was taken off the list.
    pub listed: bool,
    pub added_at: Timestamp,
    /// When a session in it was last used.
    pub last_used_at: Option<Timestamp>,
}

/// A folder to be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProject {
    pub id: ProjectId,
    pub path: String,
    /// The slug it gets if no other folder has it; else it gets a number.
    pub slug: String,
    pub at: Timestamp,
}

/// A change of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectChange {
    /// Somebody chose the folder: it is listed, also if it was taken off before.
    Add(NewProject),
    /// The folder was found: it is listed unless somebody took it off.
    Find(NewProject),
    Remove(ProjectId),
    /// No title calls it by its folder.
    Title(ProjectId, Option<String>),
}

/// Which projects are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectKey {
    Id(ProjectId),
    Slug(String),
}

const COLUMNS: &str = "project_list.id, project_list.path, slug, title, listed, added_at,
     projects.last_used_at FROM project_list LEFT JOIN projects ON projects.id = project_list.id";

/// Carries a change out; the project as it is then, `None` for one that never was.
pub(crate) fn change(
    conn: &Connection,
    change: &ProjectChange,
) -> Result<Option<ProjectEntry>, StoreError> {
    let id = match change {
        ProjectChange::Add(new) => {
            insert(conn, new)?;
            conn.prepare_cached("UPDATE project_list SET listed = 1 WHERE id = ?1")?
                .execute([new.id.to_string()])?;
            new.id
        }
        ProjectChange::Find(new) => {
            insert(conn, new)?;
            new.id
        }
        ProjectChange::Remove(id) => {
            conn.prepare_cached("UPDATE project_list SET listed = 0 WHERE id = ?1")?
                .execute([id.to_string()])?;
            *id
        }
        ProjectChange::Title(id, title) => {
            conn.prepare_cached("UPDATE project_list SET title = ?2 WHERE id = ?1")?
                .execute(params![id.to_string(), title])?;
            *id
        }
    };
    find(conn, &ProjectKey::Id(id))
}

fn insert(conn: &Connection, new: &NewProject) -> Result<(), StoreError> {
    let known = conn
        .prepare_cached("SELECT 1 FROM project_list WHERE id = ?1")?
        .exists([new.id.to_string()])?;
    if known {
        return Ok(());
    }
    let mut slug = new.slug.clone();
    let mut taken = conn.prepare_cached("SELECT 1 FROM project_list WHERE slug = ?1")?;
    let mut number = 1_u64;
    while taken.exists([&slug])? {
        number += 1;
        slug = format!("{}-{number}", new.slug);
    }
    conn.prepare_cached(
        "INSERT INTO project_list (id, path, slug, listed, added_at) VALUES (?1, ?2, ?3, 1, ?4)",
    )?
    .execute(params![
        new.id.to_string(),
        new.path,
        slug,
        new.at.as_millis()
    ])?;
    Ok(())
}

/// Listed or not.
pub(crate) fn find(
    conn: &Connection,
    key: &ProjectKey,
) -> Result<Option<ProjectEntry>, StoreError> {
    let (column, value) = match key {
        ProjectKey::Id(id) => ("project_list.id", id.to_string()),
        ProjectKey::Slug(slug) => ("slug", slug.clone()),
    };
    let found = conn
        .prepare_cached(&format!("SELECT {COLUMNS} WHERE {column} = ?1"))?
        .query_row([value], |row| Ok(entry(row)))
        .optional()?;
    found.transpose()
}

/// Those on the list, the last used or added first.
pub(crate) fn listed(conn: &Connection) -> Result<Vec<ProjectEntry>, StoreError> {
    let mut select = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} WHERE listed
         ORDER BY max(added_at, coalesce(last_used_at, 0)) DESC, slug"
    ))?;
    let rows = select.query_map([], |row| Ok(entry(row)))?;
    rows.map(|row| row?).collect()
}

/// Folders of sessions that never were on the list. Those of sessions that are
/// about to follow a moved project are gone.
pub(crate) fn unlisted(conn: &Connection) -> Result<Vec<ProjectRow>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT id, path, last_used_at FROM projects
         WHERE id NOT IN (SELECT id FROM project_list) AND id NOT IN (
             SELECT json_extract(moving.value, '$.from')
             FROM meta, json_each(meta.value) AS moving WHERE meta.name = 'moving'
         ) ORDER BY last_used_at, id",
    )?;
    let rows = select.query_map([], |row| Ok(read::project(row)))?;
    rows.map(|row| row?).collect()
}

fn entry(row: &Row<'_>) -> Result<ProjectEntry, StoreError> {
    let id: String = row.get(0)?;
    Ok(ProjectEntry {
        id: id
            .parse()
            .map_err(|error| StoreError::row("project_list", error))?,
        path: row.get(1)?,
        slug: row.get(2)?,
        title: row.get(3)?,
        listed: row.get(4)?,
        added_at: Timestamp::from_millis(row.get(5)?),
        last_used_at: row.get::<_, Option<i64>>(6)?.map(Timestamp::from_millis),
    })
}
