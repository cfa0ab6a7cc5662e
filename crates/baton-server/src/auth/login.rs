//! Signing a device in.

use std::net::IpAddr;

use baton_protocol::{
    DeviceId,
    api::{Device, LoginBody, Secret},
    words::SignInMethod,
};
use baton_store::{DeviceRecord, SignInRoot, SignInValue};

use super::{Auth, Scope, SignedIn, devices, error::LoginError, secret};

/// What somebody signs in with.
#[derive(Debug, Clone)]
pub enum LoginSecret {
    Pin(Secret),
    /// The API token.
    Token(Secret),
    /// What stands after `#link=`.
    Link(Secret),
}

impl TryFrom<LoginBody> for LoginSecret {
    type Error = LoginError;

    fn try_from(body: LoginBody) -> Result<Self, LoginError> {
        match (body.pin, body.token, body.link) {
            (Some(pin), None, None) => Ok(Self::Pin(pin)),
            (None, Some(token), None) => Ok(Self::Token(token)),
            (None, None, Some(link)) => Ok(Self::Link(link)),
            _ => Err(LoginError::NotOne),
        }
    }
}

/// A device was let in.
#[derive(Debug, Clone)]
pub struct Login {
    /// Its own token: shown to it this once, kept nowhere.
    pub token: Secret,
    pub device: Device,
}

/// What was found right about a secret.
struct Judged {
    which: SignInValue,
    /// What is kept of the secret that it was held against.
    by: String,
}

impl Auth {
    /// Signs a device in. What was wrong is not told apart.
    pub async fn login(
        &self,
        from: IpAddr,
        secret: LoginSecret,
        name: Option<String>,
    ) -> Result<Login, LoginError> {
        // Judging a PIN takes a while, and nobody waits at the door for it.
        let judged = match &secret {
            LoginSecret::Pin(pin) => Some(Judged {
                which: SignInValue::Pin,
                by: self.judge_pin(from, pin).await?,
            }),
            LoginSecret::Token(_) | LoginSecret::Link(_) => None,
        };
        let token = secret::draw("baton_dev_")?;
        let device = self.newcomer(&secret, &token, name.as_deref());
        let device = {
            let _door = self.door().await;
            let device = self.let_in(&secret, judged, device).await?;
            let entry = SignedIn::new(device.clone());
            self.state().devices.insert(device.hash, entry);
            device
        };
        self.make_room_for(&device).await?;
        tracing::info!(device = %device.id, via = %device.via, scope = %device.scope, "signed in");
        Ok(Login {
            token,
            device: devices::shown(&device, Some(device.id)),
        })
    }

    fn newcomer(&self, secret: &LoginSecret, token: &Secret, name: Option<&str>) -> DeviceRecord {
        let (via, scope, root) = match secret {
            // A PIN is short, so it lets in to work and not to decide who else
            // comes in: changing it ends all that was gained by it.
            LoginSecret::Pin(_) => (SignInMethod::Pin, Scope::Operate, SignInRoot::Pin),
            LoginSecret::Token(_) => (SignInMethod::Token, Scope::Admin, SignInRoot::Token),
            // These are the link's, and known once it is used up.
            LoginSecret::Link(_) => (SignInMethod::Link, Scope::Observe, SignInRoot::Unknown),
        };
        let now = self.world.now();
        DeviceRecord {
            id: DeviceId::from_uuid(self.world.id()),
            hash: secret::hash(token.expose()),
            name: devices::name(name),
            scope,
            via,
            let_in_by: None,
            root,
            share: None,
            created_at: now,
            last_used_at: now,
        }
    }

    /// Stores a device, if its secret is right and still counts.
    async fn let_in(
        &self,
        secret: &LoginSecret,
        judged: Option<Judged>,
        device: DeviceRecord,
    ) -> Result<DeviceRecord, LoginError> {
        let judged = match (secret, judged) {
            (LoginSecret::Link(link), _) => return self.use_link(link, device).await,
            (LoginSecret::Token(token), _) => self.judge_token(token).await?,
            (LoginSecret::Pin(_), Some(judged)) => judged,
            (LoginSecret::Pin(_), None) => return Err(LoginError::Refused),
        };
        let added = self
            .store
            .add_device(device.clone(), judged.which, judged.by);
        if added.await? {
            return Ok(device);
        }
        tracing::warn!("a secret was changed while somebody signed in with it");
        Err(LoginError::Refused)
    }

    async fn judge_token(&self, token: &Secret) -> Result<Judged, LoginError> {
        let hash = secret::hash(token.expose());
        if !secret::same(&self.state().master.hash, &hash) {
            return Err(LoginError::Refused);
        }
        Ok(Judged {
            which: SignInValue::Token,
            by: self.adopt_master().await?,
        })
    }
}
