//! The PIN: what it may be, how it is kept, and how often it may be tried.
//!
//! Six digits are a million guesses, so the limits are what protects it. They
//! are in the store, and an attempt is written there before it is judged:
//! neither a restart nor a crash gives one back.

use std::{net::IpAddr, time::Duration};

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use baton_protocol::api::Secret;
use baton_store::{Attempt, AttemptLimit, Counted, SignInRecord, SignInValue, StoreError};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::Semaphore;

use super::{
    Auth,
    error::{AuthError, LoginError, NoRandomness, PinError},
};

const LEAST: usize = 6;
const MOST: usize = 64;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Wrong PINs that are looked at. At fifty a day a PIN of six digits holds for
/// decades; whoever is locked out by a flood of them has links and the token.
pub(super) const LIMITS: [AttemptLimit; 4] = [
    limit(true, 5, 15 * MINUTE),
    limit(true, 20, DAY),
    limit(false, 20, HOUR),
    limit(false, 50, DAY),
];

const fn limit(per_address: bool, most: u32, seconds: u64) -> AttemptLimit {
    AttemptLimit {
        most,
        within: Duration::from_secs(seconds),
        per_address,
    }
}

/// Hashes PINs, one at a time: each takes 19 MiB for a moment, and a flood must
/// not multiply that. Who comes meanwhile waits; the limits keep them few.
#[derive(Debug)]
pub(super) struct PinJudge {
    one: Semaphore,
}

impl Default for PinJudge {
    fn default() -> Self {
        Self {
            one: Semaphore::new(1),
        }
    }
}

impl PinJudge {
    /// Whether the PIN is the one behind `kept`. Without one it takes as long
    /// to say no.
    async fn is_right(&self, pin: &Secret, kept: Option<String>) -> bool {
        let pin = pin.clone();
        let judged = self.run(move || match kept {
            Some(kept) => verify(&pin, &kept),
            None => {
                hash(&pin, &[0; SALT]).ok();
                false
            }
        });
        judged.await == Some(true)
    }

    async fn hash(&self, pin: &Secret) -> Result<String, PinError> {
        let mut salt = [0; SALT];
        SystemRandom::new()
            .fill(&mut salt)
            .map_err(|_| NoRandomness)?;
        let pin = pin.clone();
        let hashed = self.run(move || hash(&pin, &salt)).await;
        hashed.unwrap_or(Err(PinError::Hash))
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let _turn = self.one.acquire().await.ok()?;
        tokio::task::spawn_blocking(work).await.ok()
    }
}

const SALT: usize = 16;

/// Whose PIN it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PinOwner {
    /// Somebody's who set it.
    Person,
    /// It goes when the configuration has none.
    Settings,
}

fn hash(pin: &Secret, salt: &[u8; SALT]) -> Result<String, PinError> {
    let hash = Argon2::default().hash_password_with_salt(pin.expose().as_bytes(), salt);
    hash.map(|hash| hash.to_string())
        .map_err(|_| PinError::Hash)
}

fn verify(pin: &Secret, kept: &str) -> bool {
    let Ok(kept) = PasswordHash::new(kept) else {
        tracing::error!("the stored PIN cannot be read; set it again with `baton pin set`");
        return false;
    };
    Argon2::default()
        .verify_password(pin.expose().as_bytes(), &kept)
        .is_ok()
}

impl Auth {
    /// Sets or clears the PIN. A changed one signs out the devices that used it.
    pub async fn set_pin(&self, pin: Option<Secret>) -> Result<(), PinError> {
        if self.options().pin.is_some() {
            return Err(PinError::Configured);
        }
        match pin {
            Some(pin) => {
                allowed(&pin)?;
                self.replace_pin(&pin, PinOwner::Person).await
            }
            None if self.options().exposed => Err(PinError::Needed),
            None => self.store_pin(None).await,
        }
    }

    pub async fn has_pin(&self) -> Result<bool, StoreError> {
        Ok(self.kept_pin().await?.is_some())
    }

    /// Whether the PIN that counts is the configuration's.
    pub(super) async fn pin_is_configured(&self) -> Result<bool, StoreError> {
        Ok(self.kept_pin().await?.is_some_and(|kept| kept.configured))
    }

    /// Takes the configuration's PIN over, or lets go of the one that it had
    /// before, and sees that there is one if there must be.
    pub(super) async fn adopt_pin(&self) -> Result<(), AuthError> {
        let options = self.options();
        if let Some(pin) = &options.pin {
            allowed(pin)?;
            self.replace_pin(pin, PinOwner::Settings).await?;
        } else if self.pin_is_configured().await? {
            self.store_pin(None).await?;
        }
        if options.exposed && !self.has_pin().await? {
            return Err(AuthError::PinNeeded);
        }
        Ok(())
    }

    /// The same PIN again signs nobody out.
    async fn replace_pin(&self, pin: &Secret, owner: PinOwner) -> Result<(), PinError> {
        let configured = owner == PinOwner::Settings;
        let kept = self.kept_pin().await?;
        if let Some(kept) = kept
            && self.pin.is_right(pin, Some(kept.value.clone())).await
        {
            let _door = self.door().await;
            // Looked at again: it may have become another one meanwhile.
            if self.kept_pin().await?.as_ref() == Some(&kept) {
                let record = SignInRecord { configured, ..kept };
                let set = self.store.set_sign_in_value(SignInValue::Pin, Some(record));
                set.await?;
                return Ok(());
            }
        }
        let value = self.pin.hash(pin).await?;
        self.store_pin(Some(SignInRecord { value, configured }))
            .await
    }

    async fn store_pin(&self, record: Option<SignInRecord>) -> Result<(), PinError> {
        let _door = self.door().await;
        self.state().end_all(SignInValue::Pin);
        let gone = self.store.set_sign_in_value(SignInValue::Pin, record);
        let gone = gone.await?;
        tracing::info!(signed_out = gone.len(), "the PIN was changed");
        Ok(())
    }

    async fn kept_pin(&self) -> Result<Option<SignInRecord>, StoreError> {
        self.store.sign_in_value(SignInValue::Pin).await
    }

    /// Lets a right PIN through, and gives what it was held against. Whether
    /// there is one at all is not told.
    pub(super) async fn judge_pin(&self, from: IpAddr, pin: &Secret) -> Result<String, LoginError> {
        let now = self.world.now();
        let address = address(from);
        let attempt = Attempt {
            at: now,
            address: address.clone(),
        };
        let counted = self.store.count_attempt(attempt, LIMITS.to_vec()).await?;
        let id = match counted {
            Counted::Allowed { id } => id,
            Counted::Limited { until } => {
                tracing::warn!(%from, "too many wrong PINs");
                return Err(LoginError::Limited {
                    retry_after: until.since(now),
                });
            }
        };
        let kept = self.kept_pin().await?.map(|kept| kept.value);
        let right = pin.expose().len() <= MOST && self.pin.is_right(pin, kept.clone()).await;
        let Some(kept) = kept.filter(|_| right) else {
            tracing::warn!(%from, "a wrong PIN");
            return Err(LoginError::Refused);
        };
        self.store.forgive_attempts(id, address).await?;
        Ok(kept)
    }
}

/// Whose attempts count together: an address, or the network that one
/// subscriber has of IPv6.
fn address(from: IpAddr) -> String {
    match from.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

/// Whether a PIN may be one.
pub(super) fn allowed(pin: &Secret) -> Result<(), PinError> {
    let pin = pin.expose().as_bytes();
    if !(LEAST..=MOST).contains(&pin.len()) || !pin.iter().all(u8::is_ascii_digit) {
        return Err(PinError::Shape);
    }
    if is_trivial(pin) {
        return Err(PinError::Trivial);
    }
    Ok(())
}

/// Steps of one kind (000000, 123456, 987654, 246802), a short beginning said
/// again and again (121212, 123123), or doubled steps (112233).
fn is_trivial(pin: &[u8]) -> bool {
    let steady = |digits: &[u8]| {
        let steps: Vec<u8> = digits
            .windows(2)
            .map(|pair| (pair[1] + 10 - pair[0]) % 10)
            .collect();
        steps.windows(2).all(|pair| pair[0] == pair[1])
    };
    let again = |length: usize| {
        pin.iter()
            .zip(&pin[length..])
            .all(|(one, next)| one == next)
    };
    let doubled = pin
        .chunks(2)
        .all(|pair| pair.len() == 2 && pair[0] == pair[1])
        && {
            let firsts: Vec<u8> = pin.iter().copied().step_by(2).collect();
            steady(&firsts)
        };
    steady(pin) || again(2) || again(3) || doubled
}

#[cfg(test)]
#[path = "pin_tests.rs"]
mod tests;
