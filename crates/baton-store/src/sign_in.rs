//! Who may sign in: devices, one-time links, tried PINs, the PIN itself.
//!
//! Nothing here is a secret: tokens and links come hashed. What a hash means
//! and which limits hold is decided elsewhere; that a link is used once and an
//! attempt is counted before it is judged is decided here, by a transaction.

mod attempts;
mod devices;
mod links;

use std::str::FromStr;

use baton_protocol::DeviceId;
use rusqlite::{Connection, OptionalExtension, params};

pub use self::{
    attempts::{Attempt, AttemptLimit, Counted},
    devices::DeviceRecord,
    links::LinkRecord,
};
use crate::{error::StoreError, store::Store};

/// A SHA-256 digest of a token or a link.
pub type SecretHash = [u8; 32];

/// What is kept of the sign-in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInValue {
    /// The hash of the PIN.
    Pin,
    /// The digest of the API token as it was last seen.
    Token,
}

impl SignInValue {
    /// The name of its row, which is also the method that it lets in.
    const fn name(self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::Token => "token",
        }
    }
}

impl Store {
    /// Every device, the oldest first.
    pub async fn devices(&self) -> Result<Vec<DeviceRecord>, StoreError> {
        self.read(devices::all).await
    }

    pub async fn add_device(&self, device: DeviceRecord) -> Result<(), StoreError> {
        self.change(move |conn| devices::add(conn, &device)).await
    }

    /// Says whether there was one.
    pub async fn remove_device(&self, id: DeviceId) -> Result<bool, StoreError> {
        self.change(move |conn| devices::remove(conn, id)).await
    }

    /// Remembers when devices were last used.
    pub async fn touch_device(
        &self,
        id: DeviceId,
        at: baton_protocol::Timestamp,
    ) -> Result<(), StoreError> {
        self.change(move |conn| devices::touch(conn, id, at)).await
    }

    /// Adds a link and forgets those that have expired; says no, and adds none,
    /// when there are `most` already.
    pub async fn add_link(&self, link: LinkRecord, most: usize) -> Result<bool, StoreError> {
        self.change(move |conn| links::add(conn, &link, most)).await
    }

    /// A link that has not been used and has not expired.
    pub async fn link(
        &self,
        hash: SecretHash,
        now: baton_protocol::Timestamp,
    ) -> Result<Option<LinkRecord>, StoreError> {
        self.read(move |conn| links::find(conn, &hash, now)).await
    }

    /// Uses a link up and lets its device in, both or neither. The device's
    /// scope and who let it in are the link's; none if somebody was first.
    pub async fn redeem_link(
        &self,
        hash: SecretHash,
        device: DeviceRecord,
    ) -> Result<Option<DeviceRecord>, StoreError> {
        self.change(move |conn| links::redeem(conn, &hash, device))
            .await
    }

    /// Counts an attempt before it is judged, unless a limit is reached.
    pub async fn count_attempt(
        &self,
        attempt: Attempt,
        limits: Vec<AttemptLimit>,
    ) -> Result<Counted, StoreError> {
        self.change(move |conn| attempts::count(conn, &attempt, &limits))
            .await
    }

    /// The attempt was right: it does not count, and its address begins anew.
    pub async fn forgive_attempts(&self, id: i64, address: String) -> Result<(), StoreError> {
        self.change(move |conn| attempts::forgive(conn, id, &address))
            .await
    }

    pub async fn sign_in_value(&self, which: SignInValue) -> Result<Option<String>, StoreError> {
        self.read(move |conn| {
            let value = conn
                .prepare_cached("SELECT value FROM sign_in WHERE name = ?1")?
                .query_row([which.name()], |row| row.get(0))
                .optional()?;
            Ok(value)
        })
        .await
    }

    /// Replaces the PIN's hash or the token's digest, and signs out every
    /// device that used the old one or was let in by one that did. Gives those.
    pub async fn set_sign_in_value(
        &self,
        which: SignInValue,
        value: Option<String>,
    ) -> Result<Vec<DeviceId>, StoreError> {
        self.change(move |conn| {
            set(conn, which, value.as_deref())?;
            devices::sign_out(conn, which.name())
        })
        .await
    }
}

fn set(conn: &Connection, which: SignInValue, value: Option<&str>) -> Result<(), StoreError> {
    match value {
        Some(value) => conn
            .prepare_cached(
                "INSERT INTO sign_in (name, value) VALUES (?1, ?2)
                 ON CONFLICT DO UPDATE SET value = excluded.value",
            )?
            .execute(params![which.name(), value])?,
        None => conn
            .prepare_cached("DELETE FROM sign_in WHERE name = ?1")?
            .execute([which.name()])?,
    };
    Ok(())
}

fn parse<T>(what: &'static str, text: &str) -> Result<T, StoreError>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    text.parse().map_err(|error| StoreError::row(what, error))
}
