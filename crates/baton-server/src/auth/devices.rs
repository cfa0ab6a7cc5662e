//! The list of devices, and how one leaves it.

use baton_protocol::{DeviceId, api::Device};
use baton_store::{DeviceRecord, StoreError};

use super::{Auth, Principal, error::LoginError, shares};

/// One more signs out another.
const MOST_DEVICES: usize = 256;

/// Names are cut here.
const MOST_NAME: usize = 100;

impl Auth {
    /// Who is signed in, the oldest first.
    pub fn devices(&self, asking: &Principal) -> Vec<Device> {
        let now = self.world.now();
        let state = self.state();
        let mut devices: Vec<Device> = state
            .devices
            .values()
            .filter(|entry| !shares::is_over(&entry.record, now))
            .map(|entry| shown(&entry.record, asking.device))
            .collect();
        devices.sort_by_key(|device| device.id);
        devices
    }

    /// Signs a device out: its token is void and what it has open ends. Says
    /// whether there was one.
    pub async fn revoke(&self, id: DeviceId) -> Result<bool, StoreError> {
        // Here first: whoever asked for it may be gone before it is stored,
        // and must not leave a token that still opens.
        self.state().forget(|device| device.id == id);
        let known = self.store.remove_device(id).await?;
        if known {
            tracing::info!(device = %id, "signed out");
        }
        Ok(known)
    }

    /// Signs out whoever asks. The API token is not a device and stays.
    pub async fn logout(&self, principal: &Principal) -> Result<bool, StoreError> {
        match principal.device {
            Some(id) => self.revoke(id).await,
            None => Ok(false),
        }
    }

    /// Signs out who is one too many since this device came: among those that
    /// may do no more than it the one that was used least recently, so that a
    /// weak secret never pushes out a stronger one. If there is none, it goes
    /// itself.
    pub(super) async fn make_room_for(&self, newcomer: &DeviceRecord) -> Result<(), LoginError> {
        loop {
            let oldest = {
                let state = self.state();
                if state.devices.len() <= MOST_DEVICES {
                    return Ok(());
                }
                let records = state.devices.values().map(|entry| &entry.record);
                records
                    .filter(|device| device.id != newcomer.id && device.scope <= newcomer.scope)
                    .min_by_key(|device| (device.last_used_at, device.id))
                    .map(|device| device.id)
            };
            let Some(oldest) = oldest else {
                self.revoke(newcomer.id).await?;
                return Err(LoginError::Full { most: MOST_DEVICES });
            };
            self.revoke(oldest).await?;
        }
    }
}

pub(super) fn shown(device: &DeviceRecord, asking: Option<DeviceId>) -> Device {
    Device {
        id: device.id,
        name: device.name.clone(),
        scope: device.scope,
        via: device.via,
        let_in_by: device.let_in_by.clone(),
        session_id: device.share.map(|share| share.session),
        expires_at: device.share.map(|share| share.expires_at),
        created_at: device.created_at,
        last_used_at: device.last_used_at,
        current: asking == Some(device.id),
    }
}

/// A name as it is safe on any screen.
pub(super) fn name(asked: Option<&str>) -> String {
    let name: String = asked
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_control() && !is_trick(*c))
        .take(MOST_NAME)
        .collect();
    match name.trim() {
        "" => "unnamed device".to_owned(),
        name => name.to_owned(),
    }
}

/// Characters that are not seen, or turn the text around.
const fn is_trick(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}
