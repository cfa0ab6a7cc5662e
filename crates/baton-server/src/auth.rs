//! Who may come in: the API token, devices, one-time links and the PIN.
//!
//! A device signs in once with one of the three and gets a token of its own,
//! which is all that it shows from then on. What a token may do stands in the
//! store and nowhere else: nothing that a client says of itself counts. There
//! is no way in without a secret, and none that a revoked one opens.
//!
//! This module does not know HTTP; the control socket has its file's mode for a
//! guard and comes in as [`Principal::terminal`].
//!
//! Read in this order: [`Principal`], [`Auth::check`], `login`, then `pin` for
//! the limits.

mod devices;
mod error;
mod links;
mod login;
mod pin;
mod principal;
mod secret;
mod token;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

pub use baton_protocol::words::{AccessScope as Scope, SignInMethod};
use baton_protocol::{DeviceId, Timestamp, api::Secret};
use baton_session::World;
use baton_store::{DeviceRecord, SecretHash, SignInValue, Store, StoreError};
use tokio_util::sync::CancellationToken;

pub use self::{
    error::{AuthError, LinkError, LoginError, PinError, TokenError, Unauthorized},
    links::{LINK_LIFE, Link},
    login::{Login, LoginSecret},
    principal::Principal,
    token::TokenSource,
};
use self::{pin::PinJudge, token::Master};

/// The last use of a device is written at most this often.
const TOUCH: Duration = Duration::from_secs(60);

/// How sign-in is set up.
#[derive(Debug, Clone)]
pub struct AuthOptions {
    pub token: TokenSource,
    /// A PIN that the configuration names.
    pub pin: Option<Secret>,
    /// Whether others than this machine can reach Baton. A PIN is needed then.
    pub exposed: bool,
}

impl AuthOptions {
    /// For this machine alone, with the token in the data folder.
    pub const fn local(token: PathBuf) -> Self {
        Self {
            token: TokenSource::Own(token),
            pin: None,
            exposed: false,
        }
    }
}

/// The one who lets in.
#[derive(Debug)]
pub struct Auth {
    store: Store,
    world: Arc<dyn World>,
    /// Changes when the settings are read again.
    options: Mutex<AuthOptions>,
    pin: PinJudge,
    state: Mutex<State>,
}

/// What every request is held against. The store is changed first, then this.
#[derive(Debug)]
struct State {
    master: Master,
    devices: HashMap<SecretHash, Entry>,
}

#[derive(Debug)]
struct Entry {
    record: DeviceRecord,
    revoked: CancellationToken,
    /// The last use that is stored.
    touched_at: Timestamp,
}

impl Entry {
    fn new(record: DeviceRecord) -> Self {
        Self {
            touched_at: record.last_used_at,
            record,
            revoked: CancellationToken::new(),
        }
    }
}

impl Auth {
    /// Reads who is signed in; makes the API token if there is none yet. A
    /// token or PIN of the configuration that has changed signs out who used
    /// the old one.
    pub async fn open(
        store: Store,
        world: Arc<dyn World>,
        options: AuthOptions,
    ) -> Result<Self, AuthError> {
        let token = options.token.read_or_make()?;
        let master = Master::new(&token);
        adopt_token(&store, &master).await?;
        let devices = store.devices().await?;
        let devices = devices
            .into_iter()
            .map(|record| (record.hash, Entry::new(record)))
            .collect();
        let auth = Self {
            store,
            world,
            pin: PinJudge::default(),
            state: Mutex::new(State { master, devices }),
            options: Mutex::new(options),
        };
        auth.adopt_pin().await?;
        Ok(auth)
    }

    /// Takes over a token and a PIN of changed settings. Where Baton listens
    /// does not change while it runs.
    pub async fn reconfigure(&self, options: AuthOptions) -> Result<(), AuthError> {
        let options = AuthOptions {
            exposed: self.options().exposed,
            ..options
        };
        if let Some(pin) = &options.pin {
            pin::allowed(pin)?;
        }
        let master = Master::new(&options.token.read_or_make()?);
        *self.options.lock().unwrap_or_else(PoisonError::into_inner) = options;
        if !secret::same(&master.hash, &self.state().master.hash) {
            let gone = adopt_token(&self.store, &master).await?;
            self.state().replace_master(master);
            self.state().forget(|device| gone.contains(&device.id));
        }
        self.adopt_pin().await
    }

    /// Who shows this token, if it is one. Made anew for every request: what
    /// was revoked a moment ago is refused.
    pub async fn check(&self, bearer: &str) -> Result<Principal, Unauthorized> {
        let hash = secret::hash(bearer);
        let now = self.world.now();
        let (principal, used) = self.state().find(&hash, now).ok_or(Unauthorized)?;
        if used && let Some(id) = principal.device {
            // Nobody is refused because a time could not be written.
            if let Err(error) = self.store.touch_device(id, now).await {
                tracing::warn!(%error, "the last use of a device cannot be written");
            }
        }
        Ok(principal)
    }

    fn options(&self) -> AuthOptions {
        let options = self.options.lock();
        options.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A short lock; nothing waits inside it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Who has the token with this hash, and whether its use is to be written.
    fn find(&mut self, hash: &SecretHash, now: Timestamp) -> Option<(Principal, bool)> {
        if secret::same(&self.master.hash, hash) {
            return Some((Principal::token(&self.master.revoked), false));
        }
        let entry = self.devices.get_mut(hash)?;
        entry.record.last_used_at = entry.record.last_used_at.max(now);
        let used = now.since(entry.touched_at) >= TOUCH;
        if used {
            entry.touched_at = now;
        }
        Some((Principal::device(&entry.record, &entry.revoked), used))
    }

    /// Whoever shows the old API token is out.
    fn replace_master(&mut self, master: Master) {
        self.master.revoked.cancel();
        self.master = master;
    }

    /// Forgets devices that the store has forgotten, and ends what they have open.
    fn forget(&mut self, gone: impl Fn(&DeviceRecord) -> bool) {
        self.devices.retain(|_, entry| {
            let stays = !gone(&entry.record);
            if !stays {
                entry.revoked.cancel();
            }
            stays
        });
    }
}

/// Remembers which token counts; gives the devices that another one let in.
async fn adopt_token(store: &Store, master: &Master) -> Result<Vec<DeviceId>, StoreError> {
    let digest = secret::hex(&master.hash);
    let before = store.sign_in_value(SignInValue::Token).await?;
    if before.as_ref() == Some(&digest) {
        return Ok(Vec::new());
    }
    let set = store.set_sign_in_value(SignInValue::Token, Some(digest));
    set.await
}

/// What the store could not do, for a client.
fn store_problem(error: &StoreError) -> baton_protocol::api::Problem {
    crate::problem::of_store(error)
}
