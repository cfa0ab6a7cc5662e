//! Signed-in screens and programs.

use baton_protocol::{
    DeviceId, Timestamp,
    words::{AccessScope, SignInMethod},
};
use rusqlite::{Connection, params};

use super::{SecretHash, parse};
use crate::error::StoreError;

/// One signed-in screen or program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceRecord {
    pub id: DeviceId,
    /// Of its token.
    pub hash: SecretHash,
    pub name: String,
    pub scope: AccessScope,
    /// What it signed in with.
    pub via: SignInMethod,
    /// Who made its link: a device's id, `token` or `terminal`.
    pub let_in_by: Option<String>,
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
}

pub(super) fn all(conn: &Connection) -> Result<Vec<DeviceRecord>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT id, hash, name, scope, via, let_in_by, created_at, last_used_at
         FROM devices ORDER BY id",
    )?;
    let mut rows = select.query([])?;
    let mut devices = Vec::new();
    while let Some(row) = rows.next()? {
        devices.push(DeviceRecord {
            id: DeviceId::from_uuid(row.get(0)?),
            hash: row.get(1)?,
            name: row.get(2)?,
            scope: parse("devices", &row.get::<_, String>(3)?)?,
            via: parse("devices", &row.get::<_, String>(4)?)?,
            let_in_by: row.get(5)?,
            created_at: Timestamp::from_millis(row.get(6)?),
            last_used_at: Timestamp::from_millis(row.get(7)?),
        });
    }
    Ok(devices)
}

pub(super) fn add(conn: &Connection, device: &DeviceRecord) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO devices (id, hash, name, scope, via, let_in_by, created_at, last_used_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        device.id.uuid(),
        device.hash,
        device.name,
        device.scope.as_str(),
        device.via.as_str(),
        device.let_in_by,
        device.created_at.as_millis(),
        device.last_used_at.as_millis()
    ])?;
    Ok(())
}

pub(super) fn remove(conn: &Connection, id: DeviceId) -> Result<bool, StoreError> {
    // A link that it made must not let it in again.
    conn.prepare_cached("DELETE FROM links WHERE made_by = ?1")?
        .execute([id.to_string()])?;
    let gone = conn
        .prepare_cached("DELETE FROM devices WHERE id = ?1")?
        .execute([id.uuid()])?;
    Ok(gone > 0)
}

pub(super) fn touch(conn: &Connection, id: DeviceId, at: Timestamp) -> Result<(), StoreError> {
    conn.prepare_cached("UPDATE devices SET last_used_at = max(last_used_at, ?2) WHERE id = ?1")?
        .execute(params![id.uuid(), at.as_millis()])?;
    Ok(())
}

/// Removes devices that signed in by `via`, those that they let in, and the
/// links that any of them made.
pub(super) fn sign_out(conn: &Connection, via: &str) -> Result<Vec<DeviceId>, StoreError> {
    let mut select = conn.prepare_cached(
        "WITH RECURSIVE gone (id) AS (
             SELECT id FROM devices WHERE via = ?1 OR let_in_by = ?1
             UNION
             SELECT devices.id FROM devices
             JOIN gone ON devices.let_in_by = 'dev_' || lower(hex(gone.id))
         ) SELECT id FROM gone",
    )?;
    let gone = select
        .query_map([via], |row| row.get(0).map(DeviceId::from_uuid))?
        .collect::<Result<Vec<_>, _>>()?;
    conn.prepare_cached("DELETE FROM links WHERE made_by = ?1")?
        .execute([via])?;
    for id in &gone {
        remove(conn, *id)?;
    }
    Ok(gone)
}
