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
mod shares;
mod token;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::Duration,
};

pub use baton_protocol::words::{AccessScope as Scope, SignInMethod};
use baton_protocol::{Timestamp, api::Secret};
use baton_session::World;
use baton_store::{DeviceRecord, SecretHash, SignInRecord, SignInValue, Store, StoreError};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

pub use self::{
    error::{AuthError, LinkError, LoginError, PinError, TokenError, Unauthorized},
    links::{LINK_LIFE, SignInLink},
    login::{Login, LoginSecret},
    principal::{Principal, STREAMS_OF_A_DEVICE, STREAMS_OF_THE_TOKEN, StreamPlace},
    shares::{MOST_SHARES, SHARE_LIFE, Share},
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
    state: Mutex<Credentials>,
    /// Somebody comes in, or a secret changes: one after the other, in the
    /// store and here. Who was judged by an old secret is therefore either
    /// signed out with it or not let in. Whoever comes meanwhile waits; there
    /// is one short transaction inside.
    door: Semaphore,
}

/// What every request is held against. Who comes in is in the store first; who
/// goes leaves here first.
#[derive(Debug)]
struct Credentials {
    master: Master,
    devices: HashMap<SecretHash, SignedIn>,
}

#[derive(Debug)]
struct SignedIn {
    record: DeviceRecord,
    revoked: CancellationToken,
    /// How many streams it has open.
    streams: Arc<AtomicUsize>,
    /// The last use that is stored.
    touched_at: Timestamp,
}

impl SignedIn {
    fn new(record: DeviceRecord) -> Self {
        Self {
            touched_at: record.last_used_at,
            record,
            revoked: CancellationToken::new(),
            streams: Arc::default(),
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
        adopt_token(&store, &secret::hex(&master.hash)).await?;
        let devices = store.devices().await?;
        let devices = devices
            .into_iter()
            .map(|record| (record.hash, SignedIn::new(record)))
            .collect();
        let auth = Self {
            store,
            world,
            pin: PinJudge::default(),
            state: Mutex::new(Credentials { master, devices }),
            options: Mutex::new(options),
            door: Semaphore::new(1),
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
        match &options.pin {
            Some(pin) => pin::allowed(pin)?,
            None if options.exposed && self.pin_is_configured().await? => {
                return Err(AuthError::PinNeeded);
            }
            None => {}
        }
        let master = Master::new(&options.token.read_or_make()?);
        *self.options.lock().unwrap_or_else(PoisonError::into_inner) = options;
        if !secret::same(&master.hash, &self.state().master.hash) {
            let _door = self.door().await;
            self.state().replace_master(master);
            self.adopt_master().await?;
        }
        self.adopt_pin().await
    }

    /// Who shows this token, if it is one. Made anew for every request: what
    /// was revoked a moment ago is refused.
    pub async fn check(&self, bearer: &str) -> Result<Principal, Unauthorized> {
        let hash = secret::hash(bearer);
        let now = self.world.now();
        let found = self.state().find(&hash, now);
        let (principal, used) = found.ok_or(Unauthorized)?;
        let principal = principal.in_time(&self.world);
        if used && let Some(id) = principal.device {
            // Nobody is refused because a time could not be written.
            if let Err(error) = self.store.touch_device(id, now).await {
                tracing::warn!(%error, "the last use of a device cannot be written");
            }
        }
        Ok(principal)
    }

    async fn door(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        self.door.acquire().await.ok()
    }

    /// Sees that the store knows the token that counts, also where it could
    /// not be told when the token changed.
    async fn adopt_master(&self) -> Result<String, StoreError> {
        let digest = secret::hex(&self.state().master.hash);
        adopt_token(&self.store, &digest).await?;
        Ok(digest)
    }

    fn options(&self) -> AuthOptions {
        let options = self.options.lock();
        options.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A short lock; nothing waits inside it.
    fn state(&self) -> MutexGuard<'_, Credentials> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Credentials {
    /// Who has the token with this hash, and whether its use is to be written.
    fn find(&mut self, hash: &SecretHash, now: Timestamp) -> Option<(Principal, bool)> {
        if secret::same(&self.master.hash, hash) {
            return Some((Principal::token(&self.master), false));
        }
        let entry = self.devices.get_mut(hash)?;
        if shares::is_over(&entry.record, now) {
            return None;
        }
        entry.record.last_used_at = entry.record.last_used_at.max(now);
        let used = now.since(entry.touched_at) >= TOUCH;
        if used {
            entry.touched_at = now;
        }
        Some((Principal::device(entry), used))
    }

    /// Whoever shows the old API token is out, and whoever came in by it.
    fn replace_master(&mut self, master: Master) {
        self.master.revoked.cancel();
        self.master = master;
        self.end_all(SignInValue::Token);
    }

    /// Signs out whose sign-in rests on a secret that is about to change. Here
    /// first: whoever changes it may be gone before it is stored, and must not
    /// leave tokens that still open.
    fn end_all(&mut self, secret: SignInValue) {
        self.forget(|device| device.root.rests_on(secret));
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

/// Remembers which token counts, and signs out whom another one let in.
async fn adopt_token(store: &Store, digest: &str) -> Result<(), StoreError> {
    let before = store.sign_in_value(SignInValue::Token).await?;
    if before.is_some_and(|before| before.value == digest) {
        return Ok(());
    }
    let record = SignInRecord {
        value: digest.to_owned(),
        configured: false,
    };
    let gone = store.set_sign_in_value(SignInValue::Token, Some(record));
    let gone = gone.await?;
    tracing::info!(signed_out = gone.len(), "the API token was changed");
    Ok(())
}
