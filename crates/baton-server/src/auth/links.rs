//! One-time links: each lets one device in, once, for ten minutes.

use std::time::Duration;

use baton_protocol::{Timestamp, api::Secret};
use baton_store::{DeviceRecord, LinkRecord};

use super::{
    Auth, Principal, Scope,
    error::{LinkError, LoginError},
    secret,
};

/// How long a link waits to be used.
pub const LINK_LIFE: Duration = Duration::from_secs(10 * 60);

/// Links that may wait at once. One more is refused.
const MOST_LINKS: usize = 64;

/// A link that was made. Only its hash is kept.
#[derive(Debug, Clone)]
pub struct SignInLink {
    /// What stands after `#link=`.
    pub secret: Secret,
    pub scope: Scope,
    pub expires_at: Timestamp,
}

impl SignInLink {
    /// The whole address, below one of Baton's.
    pub fn url(&self, base: &str) -> Secret {
        // A browser sends nothing after the # to anybody.
        let base = base.trim_end_matches('/');
        Secret::new(format!("{base}/#link={}", self.secret.expose()))
    }
}

impl Auth {
    /// Makes a link that allows `scope`. Who may call this at all is for the
    /// caller to ask; here nobody hands on more than they have.
    pub async fn make_link(&self, by: &Principal, scope: Scope) -> Result<SignInLink, LinkError> {
        // Inside the door, so that nobody's token is changed before the link is
        // stored, and the link outlives it.
        let _door = self.door().await;
        if scope > by.scope || by.only.is_some() || by.is_revoked() {
            return Err(LinkError::TooMuch);
        }
        let secret = secret::draw("")?;
        let now = self.world.now();
        let link = LinkRecord {
            hash: secret::hash(secret.expose()),
            scope,
            made_by: by.origin().to_owned(),
            created_at: now,
            expires_at: now.plus(LINK_LIFE),
        };
        let expires_at = link.expires_at;
        if !self.store.add_link(link, MOST_LINKS).await? {
            return Err(LinkError::TooMany { most: MOST_LINKS });
        }
        Ok(SignInLink {
            secret,
            scope,
            expires_at,
        })
    }

    /// Uses a link up for a device.
    pub(super) async fn use_link(
        &self,
        link: &Secret,
        device: DeviceRecord,
    ) -> Result<DeviceRecord, LoginError> {
        let hash = secret::hash(link.expose());
        // Looked up before it is written to, so that guessing costs no commits.
        if self.store.link(hash, device.created_at).await?.is_none() {
            return Err(LoginError::Refused);
        }
        let used = self.store.redeem_link(hash, device).await?;
        used.ok_or(LoginError::Refused)
    }
}
