//! What is asked of the daemon about sign-in, its settings and its machine.
//! Only the control socket takes these.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    config::{KeepAwake, Reloaded, Running},
    frame::DaemonCommand,
    part::Done,
    problem::{Problem, ProblemCode},
    sign_in::{Devices, LinkAnswer, Secret},
};
use crate::{id::DeviceId, words::AccessScope};

/// A message of the daemon's own, as a type.
pub trait Tell: Into<DaemonCommand> {
    /// What comes back.
    type Answer;
}

macro_rules! host_commands {
    ($($(#[$doc:meta])* $variant:ident = $name:literal
        { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* } => $answer:ty;)+) => {
        /// A message with `cmd`, read strictly: a misspelt `pin` must not clear it.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "cmd")]
        pub enum HostCommand { $(#[serde(rename = $name)] $variant($variant),)+ }

        impl HostCommand {
            pub const NAMES: &'static [&'static str] = &[$($name,)+];
        }

        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $variant { $($(#[$field_doc])* pub $field: $kind,)* }

        impl Tell for $variant {
            type Answer = $answer;
        }

        impl From<$variant> for DaemonCommand {
            fn from(message: $variant) -> Self {
                Self::Host(HostCommand::$variant(message))
            }
        })+
    };
}

host_commands! {
    /// Sets the PIN; `null` clears it.
    SetPin = "set_pin" {
        #[serde(deserialize_with = "given")]
        pin: Option<Secret>,
    } => Done;
    /// Makes a one-time link.
    MakeLink = "make_link" {
        /// What the device that uses it may do; `admin` when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<AccessScope>,
    } => LinkAnswer;
    ListDevices = "list_devices" {} => Devices;
    /// Signs a device out.
    RevokeDevice = "revoke_device" { id: DeviceId, } => Done;
    /// Makes a new API token and signs out whoever used the old one.
    RotateToken = "rotate_token" {} => Done;
    /// Keeps the machine from going to sleep while agents work.
    SetKeepAwake = "set_keep_awake" { enabled: bool, } => KeepAwake;
    /// Reads the configuration again.
    ReloadConfig = "reload_config" {} => Reloaded;
    /// What the daemon runs with, and what agents in a folder get to see.
    GetConfig = "get_config" {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
        /// All variables of who asks: the answer says what a daemon that is
        /// started with them would have otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shell: Option<BTreeMap<String, Secret>>,
    } => Running;
}

impl HostCommand {
    /// Reads the message `text`, whose `cmd` is `name`; none if the name is
    /// not one of these.
    pub(super) fn parse(name: &str, text: &[u8]) -> Option<Result<Self, Problem>> {
        if !Self::NAMES.contains(&name) {
            return None;
        }
        Some(serde_json::from_slice(text).map_err(|error| {
            let detail = match name {
                // An error that quotes what it read would quote the PIN.
                "set_pin" => "`set_pin` takes `pin`, which is text, or null to clear it".to_owned(),
                // And so with the values of variables.
                "get_config" => {
                    "`get_config` takes `folder` and `shell`, names with values".to_owned()
                }
                _ => format!("`{name}` is wrong: {error}"),
            };
            Problem::new(ProblemCode::InvalidRequest, detail)
        }))
    }
}

/// A value that may be null and may not be missing.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Secret>, D::Error> {
    Option::deserialize(deserializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let name = value["cmd"].as_str().unwrap();
        match HostCommand::parse(name, text.as_bytes()) {
            None => "unknown".to_owned(),
            Some(Ok(command)) => format!("{command:?}"),
            Some(Err(problem)) => problem.detail,
        }
    }

    #[test]
    fn a_pin_is_cleared_by_null_and_by_nothing_else() {
        assert_eq!(
            told(r#"{"cmd":"set_pin","pin":null}"#),
            "SetPin(SetPin { pin: None })"
        );
        assert!(told(r#"{"cmd":"set_pin"}"#).starts_with("`set_pin` takes"));
        assert!(told(r#"{"cmd":"set_pin","pn":"839102"}"#).starts_with("`set_pin` takes"));
    }

    #[test]
    fn no_error_and_no_debugging_shows_a_pin() {
        for text in [
            r#"{"cmd":"set_pin","pin":"839102"}"#,
            r#"{"cmd":"set_pin","pin":839102}"#,
            r#"{"cmd":"set_pin","pin":["839102"]}"#,
            r#"{"cmd":"set_pin","839102":null}"#,
        ] {
            assert!(!told(text).contains("839102"), "{}", told(text));
        }
    }

    #[test]
    fn no_error_and_no_debugging_shows_a_variable() {
        for text in [
            r#"{"cmd":"get_config","shell":{"A_KEY":"hush"}}"#,
            r#"{"cmd":"get_config","shell":"hush"}"#,
            r#"{"cmd":"get_config","hush":1}"#,
        ] {
            assert!(!told(text).contains("hush"), "{}", told(text));
        }
    }

    #[test]
    fn every_name_is_read() {
        for name in HostCommand::NAMES {
            let text = format!(r#"{{"cmd":"{name}"}}"#);
            assert!(!told(&text).contains("unknown"), "{}", told(&text));
        }
        assert_eq!(told(r#"{"cmd":"dance"}"#), "unknown");
    }
}
