//! Signing in: bodies and answers.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::part::Part;
use crate::{
    id::{DeviceId, SessionId},
    time::Timestamp,
    words::{AccessScope, SignInMethod},
};

/// Text that nobody but its owner may see: it is never shown, only exposed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text. Not for logs, errors or screens.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl JsonSchema for Secret {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// Signs a device in: with exactly one of `pin`, `token` and `link`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LoginBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<Secret>,
    /// The API token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
    /// What stands after `#link=` in a one-time link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Secret>,
    /// What the device is to be called in the list of devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A device was let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginAnswer {
    /// Its own token, which is shown this once.
    pub token: Secret,
    pub device: Device,
}

/// One signed-in screen or program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    pub id: DeviceId,
    pub name: String,
    pub scope: AccessScope,
    /// What it signed in with.
    pub via: SignInMethod,
    /// Who made its link: a device's id, `token` or `terminal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub let_in_by: Option<String>,
    /// It is a link that shows this session and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Until when such a link shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// To the minute.
    pub last_used_at: Timestamp,
    /// Whether it is the one that asks.
    pub current: bool,
}

/// Who is signed in, the oldest first.
pub type Devices = Part<Device>;

/// A one-time link to be made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LinkBody {
    /// What the device that uses it may do; `operate` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<AccessScope>,
}

/// A one-time link. It lets one device in, once, until it expires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkAnswer {
    /// What stands after `#link=`.
    pub link: Secret,
    /// The whole address for another device; none while none can reach Baton.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Secret>,
    pub scope: AccessScope,
    pub expires_at: Timestamp,
}

/// A link to be made that shows one session to whoever has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ShareBody {
    /// How long it shows it, in hours; 24 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 720))]
    pub hours: Option<u32>,
}

/// A link that shows one session, without credentials in it, and changes
/// nothing. It is listed with the devices, and signed out as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShareAnswer {
    /// What stands after `#share=`, and what programs show as their token. It is
    /// shown this once.
    pub token: Secret,
    /// The whole address; none while no browser can reach Baton.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Secret>,
    pub device: Device,
}
