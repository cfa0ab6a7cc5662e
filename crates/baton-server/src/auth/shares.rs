//! Links that show one session to whoever has them.
//!
//! Such a link is a device that was never signed in: its token stands in the
//! address. It only watches, reaches nothing but its session, and ends by
//! itself. What it reaches is decided by [`Rights`](crate::api::Rights) and by
//! the routes that say that they are for it.

use std::time::Duration;

use baton_protocol::{
    DeviceId, SessionId, Timestamp,
    api::{Device, Secret},
};
use baton_store::{DeviceRecord, ShareRecord, SignInRoot, StoreError};

use super::{Auth, Principal, Scope, SignInMethod, SignedIn, devices, error::LinkError, secret};

/// How long a link shows its session, unless somebody says otherwise.
pub const SHARE_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Such links that may be there at once. One more is refused.
pub const MOST_SHARES: usize = 64;

/// A link that was made. Only its hash is kept.
#[derive(Debug, Clone)]
pub struct Share {
    /// What stands after `#share=`.
    pub token: Secret,
    pub device: Device,
}

impl Share {
    /// The whole address, below one of Baton's.
    pub fn url(&self, base: &str) -> Secret {
        // A browser sends nothing after the # to anybody.
        let base = base.trim_end_matches('/');
        let session = self.device.session_id.map(|id| id.to_string());
        let session = session.unwrap_or_default();
        let token = self.token.expose();
        Secret::new(format!("{base}/s/{session}#share={token}"))
    }
}

/// Whether it is a link that has run out.
pub(super) fn is_over(device: &DeviceRecord, now: Timestamp) -> bool {
    device.share.is_some_and(|share| share.expires_at <= now)
}

impl Auth {
    /// Makes a link that shows `session` for as long as `life`. Who may call
    /// this at all is for the caller to ask.
    pub async fn share(
        &self,
        by: &Principal,
        session: SessionId,
        title: Option<&str>,
        life: Duration,
    ) -> Result<Share, LinkError> {
        // Inside the door, as with one-time links.
        let _door = self.door().await;
        if by.is_revoked() || by.only.is_some() {
            return Err(LinkError::TooMuch);
        }
        let token = secret::draw("baton_share_")?;
        let now = self.world.now();
        let name = format!("Link to “{}”", title.unwrap_or("a session"));
        let device = DeviceRecord {
            id: DeviceId::from_uuid(self.world.id()),
            hash: secret::hash(token.expose()),
            name: devices::name(Some(&name)),
            scope: Scope::Observe,
            via: SignInMethod::Link,
            let_in_by: Some(by.origin().to_owned()),
            // The store knows what its maker rests on.
            root: SignInRoot::Unknown,
            share: Some(ShareRecord {
                session,
                expires_at: now.plus(life),
            }),
            created_at: now,
            last_used_at: now,
        };
        self.state().forget(|device| is_over(device, now));
        let device = self.store.add_share(device, MOST_SHARES).await?;
        let device = device.ok_or(LinkError::TooMany { most: MOST_SHARES })?;
        let shown = devices::shown(&device, by.device);
        tracing::info!(device = %device.id, %session, "a session was shared");
        let entry = SignedIn::new(device.clone());
        self.state().devices.insert(device.hash, entry);
        Ok(Share {
            token,
            device: shown,
        })
    }

    /// Ends the links to a session that is gone.
    pub(crate) async fn unshare(&self, session: SessionId) -> Result<(), StoreError> {
        let shared = |device: &DeviceRecord| {
            let share = device.share.filter(|share| share.session == session);
            share.map(|_| device.id)
        };
        let gone: Vec<DeviceId> = {
            let state = self.state();
            let records = state.devices.values().map(|entry| &entry.record);
            records.filter_map(shared).collect()
        };
        for id in gone {
            self.revoke(id).await?;
        }
        Ok(())
    }
}
