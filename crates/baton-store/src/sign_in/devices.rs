//! Signed-in screens and programs.

use baton_protocol::{
    DeviceId, SessionId, Timestamp,
    words::{AccessScope, SignInMethod},
};
use rusqlite::{Connection, OptionalExtension, params};

use super::{SecretHash, SignInValue, parse};
use crate::error::StoreError;

/// Where the chain of those who let each other in begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInRoot {
    Pin,
    Token,
    /// Whoever may open the control socket.
    Terminal,
    /// Somebody in the chain left before this was kept: it may be any of them.
    Unknown,
}

impl SignInRoot {
    const fn name(self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::Token => "token",
            Self::Terminal => "terminal",
            Self::Unknown => "unknown",
        }
    }

    fn named(name: &str) -> Self {
        match name {
            "pin" => Self::Pin,
            "token" => Self::Token,
            "terminal" => Self::Terminal,
            _ => Self::Unknown,
        }
    }

    /// Whether it ends with this secret. What nobody knows ends with each.
    pub const fn rests_on(self, secret: SignInValue) -> bool {
        match (self, secret) {
            (Self::Pin, SignInValue::Pin)
            | (Self::Token, SignInValue::Token)
            | (Self::Unknown, SignInValue::Pin | SignInValue::Token) => true,
            (Self::Pin, SignInValue::Token)
            | (Self::Token, SignInValue::Pin)
            | (Self::Terminal, SignInValue::Pin | SignInValue::Token) => false,
        }
    }
}

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
    /// What all of it rests on, whoever between has left.
    pub root: SignInRoot,
    /// It is a link that shows one session, and nothing else.
    pub share: Option<ShareRecord>,
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
}

/// What a shared link shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareRecord {
    pub session: SessionId,
    /// From then on it shows nothing.
    pub expires_at: Timestamp,
}

pub(super) fn all(conn: &Connection) -> Result<Vec<DeviceRecord>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT id, hash, name, scope, via, let_in_by, created_at, last_used_at, root,
                session, expires_at
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
            root: SignInRoot::named(&row.get::<_, String>(8)?),
            share: share_of(row.get(9)?, row.get(10)?)?,
        });
    }
    Ok(devices)
}

/// Half of a share must not pass for a device that sees everything.
fn share_of(
    session: Option<uuid::Uuid>,
    expires_at: Option<i64>,
) -> Result<Option<ShareRecord>, StoreError> {
    match (session, expires_at) {
        (None, None) => Ok(None),
        (Some(session), Some(expires_at)) => Ok(Some(ShareRecord {
            session: SessionId::from_uuid(session),
            expires_at: Timestamp::from_millis(expires_at),
        })),
        _ => Err(StoreError::row("devices", HalfAShare)),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a shared link has a session or an end, and not both")]
struct HalfAShare;

/// Adds a link that shows one session, in the name of who made it; none if
/// that has left, or if there are `most` already. Those that have run out go.
pub(super) fn add_share(
    conn: &Connection,
    device: DeviceRecord,
    most: usize,
) -> Result<Option<DeviceRecord>, StoreError> {
    conn.prepare_cached("DELETE FROM devices WHERE expires_at <= ?1")?
        .execute([device.created_at.as_millis()])?;
    let count: usize = conn
        .prepare_cached("SELECT count(*) FROM devices WHERE session IS NOT NULL")?
        .query_row([], |row| row.get(0))?;
    let maker = device.let_in_by.as_deref().unwrap_or_default();
    let Some(root) = root_of(conn, maker)?.filter(|_| count < most) else {
        return Ok(None);
    };
    let device = DeviceRecord { root, ..device };
    add(conn, &device)?;
    Ok(Some(device))
}

pub(super) fn add(conn: &Connection, device: &DeviceRecord) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO devices (id, hash, name, scope, via, let_in_by, created_at, last_used_at, root, session, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        device.id.uuid(),
        device.hash,
        device.name,
        device.scope.as_str(),
        device.via.as_str(),
        device.let_in_by,
        device.created_at.as_millis(),
        device.last_used_at.as_millis(),
        device.root.name(),
        device.share.map(|share| share.session.uuid()),
        device.share.map(|share| share.expires_at.as_millis())
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

/// What a device rests on whose link `maker` made; none if that has left.
pub(super) fn root_of(conn: &Connection, maker: &str) -> Result<Option<SignInRoot>, StoreError> {
    let Ok(id) = maker.parse::<DeviceId>() else {
        return Ok(Some(SignInRoot::named(maker)));
    };
    let root: Option<String> = conn
        .prepare_cached("SELECT root FROM devices WHERE id = ?1")?
        .query_row([id.uuid()], |row| row.get(0))
        .optional()?;
    Ok(root.map(|root| SignInRoot::named(&root)))
}

/// Removes devices whose sign-in rests on `secret`, and the links that they or
/// the secret itself made.
pub(super) fn sign_out(
    conn: &Connection,
    secret: SignInValue,
) -> Result<Vec<DeviceId>, StoreError> {
    let devices = all(conn)?.into_iter();
    let gone: Vec<DeviceId> = devices
        .filter(|device| device.root.rests_on(secret))
        .map(|device| device.id)
        .collect();
    conn.prepare_cached("DELETE FROM links WHERE made_by = ?1")?
        .execute([secret.name()])?;
    for id in &gone {
        remove(conn, *id)?;
    }
    Ok(gone)
}
