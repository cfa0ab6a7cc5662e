//! Signing a device in.

use std::net::IpAddr;

use baton_protocol::{
    DeviceId,
    api::{Device, LoginBody, Secret},
    words::SignInMethod,
};
use baton_store::DeviceRecord;

use super::{
    Auth, Entry, Scope,
    devices::{self, MOST_DEVICES},
    error::LoginError,
    secret,
};

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

impl Auth {
    /// Signs a device in. What was wrong is not told apart.
    pub async fn login(
        &self,
        from: IpAddr,
        secret: LoginSecret,
        name: Option<String>,
    ) -> Result<Login, LoginError> {
        let (via, scope) = match &secret {
            // A PIN is short, so it lets in to work and not to decide who else
            // comes in: changing it ends all that was gained by it.
            LoginSecret::Pin(pin) => {
                self.judge_pin(from, pin).await?;
                (SignInMethod::Pin, Scope::Operate)
            }
            LoginSecret::Token(token) => {
                let hash = secret::hash(token.expose());
                if !secret::same(&self.state().master.hash, &hash) {
                    return Err(LoginError::Refused);
                }
                (SignInMethod::Token, Scope::Admin)
            }
            // The scope is the link's, and known once it is used up.
            LoginSecret::Link(_) => (SignInMethod::Link, Scope::Observe),
        };
        let token = secret::draw("baton_dev_")?;
        let now = self.world.now();
        let device = DeviceRecord {
            id: DeviceId::from_uuid(self.world.id()),
            hash: secret::hash(token.expose()),
            name: devices::name(name.as_deref()),
            scope,
            via,
            let_in_by: None,
            created_at: now,
            last_used_at: now,
        };
        let device = match &secret {
            LoginSecret::Link(link) => self.use_link(link, device).await?,
            LoginSecret::Pin(_) | LoginSecret::Token(_) => {
                self.store.add_device(device.clone()).await?;
                device
            }
        };
        tracing::info!(device = %device.id, via = %device.via, scope = %device.scope, "signed in");
        let login = Login {
            token,
            device: devices::shown(&device, Some(device.id)),
        };
        self.state().devices.insert(device.hash, Entry::new(device));
        self.keep_devices_few(MOST_DEVICES).await;
        Ok(login)
    }
}
