//! One-time links.

use baton_protocol::{Timestamp, words::AccessScope};
use rusqlite::{Connection, OptionalExtension, params};

use super::{DeviceRecord, SecretHash, devices, parse};
use crate::error::StoreError;

/// A link that lets one device in, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRecord {
    pub hash: SecretHash,
    /// What the device will be allowed.
    pub scope: AccessScope,
    /// A device's id, `token` or `terminal`.
    pub made_by: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

pub(super) fn add(conn: &Connection, link: &LinkRecord, most: usize) -> Result<bool, StoreError> {
    conn.prepare_cached("DELETE FROM links WHERE expires_at <= ?1")?
        .execute([link.created_at.as_millis()])?;
    let count: usize = conn
        .prepare_cached("SELECT count(*) FROM links")?
        .query_row([], |row| row.get(0))?;
    if count >= most {
        return Ok(false);
    }
    conn.prepare_cached(
        "INSERT INTO links (hash, scope, made_by, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        link.hash,
        link.scope.as_str(),
        link.made_by,
        link.created_at.as_millis(),
        link.expires_at.as_millis()
    ])?;
    Ok(true)
}

pub(super) fn find(
    conn: &Connection,
    hash: &SecretHash,
    now: Timestamp,
) -> Result<Option<LinkRecord>, StoreError> {
    // A clock that was set back does not lengthen a link's life.
    let found = conn
        .prepare_cached(
            "SELECT scope, made_by, created_at, expires_at FROM links
             WHERE hash = ?1 AND created_at <= ?2 AND ?2 < expires_at",
        )?
        .query_row(params![hash, now.as_millis()], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
            ))
        })
        .optional()?;
    let Some((scope, made_by, created_at, expires_at)) = found else {
        return Ok(None);
    };
    Ok(Some(LinkRecord {
        hash: *hash,
        scope: parse("links", &scope)?,
        made_by,
        created_at: Timestamp::from_millis(created_at),
        expires_at: Timestamp::from_millis(expires_at),
    }))
}

pub(super) fn redeem(
    conn: &Connection,
    hash: &SecretHash,
    device: DeviceRecord,
) -> Result<Option<DeviceRecord>, StoreError> {
    let Some(link) = find(conn, hash, device.created_at)? else {
        return Ok(None);
    };
    conn.prepare_cached("DELETE FROM links WHERE hash = ?1")?
        .execute([hash])?;
    // It may have been made in the moment in which its maker was signed out.
    let Some(root) = devices::root_of(conn, &link.made_by)? else {
        return Ok(None);
    };
    let device = DeviceRecord {
        scope: link.scope,
        root,
        let_in_by: Some(link.made_by),
        ..device
    };
    devices::add(conn, &device)?;
    Ok(Some(device))
}
