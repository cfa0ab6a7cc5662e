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
    devices::{DeviceRecord, ShareRecord, SignInRoot},
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

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInRecord {
    pub value: String,
    /// It is the configuration's, and goes when that has none.
    pub configured: bool,
}

impl SignInValue {
    /// The name of its row, which is also how links name their maker.
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

    /// Lets a device in that showed a secret, if what is kept of the secret is
    /// still what it was judged by; says whether it was. The secret cannot
    /// change in between.
    pub async fn add_device(
        &self,
        device: DeviceRecord,
        secret: SignInValue,
        judged_by: String,
    ) -> Result<bool, StoreError> {
        self.change(move |conn| {
            let current = get(conn, secret)?.is_some_and(|kept| kept.value == judged_by);
            if current {
                devices::add(conn, &device)?;
            }
            Ok(current)
        })
        .await
    }

    /// Adds a link that shows one session, and forgets those that have run out.
    /// What it rests on is what its maker rests on; none is added if the maker
    /// has left, or if there are `most` such links.
    pub async fn add_share(
        &self,
        device: DeviceRecord,
        most: usize,
    ) -> Result<Option<DeviceRecord>, StoreError> {
        self.change(move |conn| devices::add_share(conn, device, most))
            .await
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
    /// scope and who let it in are the link's; none if somebody was first, or
    /// the link's maker has left.
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

    pub async fn sign_in_value(
        &self,
        which: SignInValue,
    ) -> Result<Option<SignInRecord>, StoreError> {
        self.read(move |conn| get(conn, which)).await
    }

    /// Replaces the PIN's hash or the token's digest, and signs out every
    /// device whose sign-in rests on the old one. Gives those. The same value
    /// again signs nobody out.
    pub async fn set_sign_in_value(
        &self,
        which: SignInValue,
        record: Option<SignInRecord>,
    ) -> Result<Vec<DeviceId>, StoreError> {
        self.change(move |conn| {
            let value = |record: &SignInRecord| record.value.clone();
            let same = get(conn, which)?.as_ref().map(value) == record.as_ref().map(value);
            set(conn, which, record.as_ref())?;
            if same {
                return Ok(Vec::new());
            }
            devices::sign_out(conn, which)
        })
        .await
    }
}

fn get(conn: &Connection, which: SignInValue) -> Result<Option<SignInRecord>, StoreError> {
    let record = conn
        .prepare_cached("SELECT value, configured FROM sign_in WHERE name = ?1")?
        .query_row([which.name()], |row| {
            Ok(SignInRecord {
                value: row.get(0)?,
                configured: row.get(1)?,
            })
        })
        .optional()?;
    Ok(record)
}

fn set(
    conn: &Connection,
    which: SignInValue,
    record: Option<&SignInRecord>,
) -> Result<(), StoreError> {
    match record {
        Some(record) => conn
            .prepare_cached(
                "INSERT INTO sign_in (name, value, configured) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET value = excluded.value, configured = excluded.configured",
            )?
            .execute(params![which.name(), record.value, record.configured])?,
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
