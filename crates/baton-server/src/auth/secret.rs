//! Drawing, hashing and comparing secrets.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use baton_protocol::api::Secret;
use baton_store::SecretHash;
use ring::{
    digest,
    rand::{SecureRandom, SystemRandom},
};
use subtle::ConstantTimeEq;

use super::error::NoRandomness;

/// A fresh secret of 256 bits behind a prefix by which a leak is recognised.
pub(super) fn draw(prefix: &str) -> Result<Secret, NoRandomness> {
    let mut bytes = [0_u8; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| NoRandomness)?;
    Ok(Secret::new(format!(
        "{prefix}{}",
        URL_SAFE_NO_PAD.encode(bytes)
    )))
}

/// Secrets are long and random, so a plain hash of them tells nothing.
pub(super) fn hash(secret: &str) -> SecretHash {
    let digest = digest::digest(&digest::SHA256, secret.as_bytes());
    let mut hash = SecretHash::default();
    hash.copy_from_slice(digest.as_ref());
    hash
}

/// Takes the same time wherever they differ.
pub(super) fn same(one: &SecretHash, other: &SecretHash) -> bool {
    one.ct_eq(other).into()
}

pub(super) fn hex(hash: &SecretHash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
