//! One id type per noun, so that a project id posted as a session id is
//! refused at the door with a message that names both.
//!
//! Ids that Baton makes are UUIDv7 behind a prefix (`ses_0193…`) and sort by
//! time of making. The bits come from outside: this crate has no clock.

use std::{fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// Why a text is not the id that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("expected {expected} id such as `{prefix}_…`, got `{got}`, which is {other} id")]
    OtherKind {
        expected: &'static str,
        prefix: &'static str,
        other: &'static str,
        got: String,
    },
    #[error("expected {expected} id such as `{prefix}_…`, got `{got}`")]
    Malformed {
        expected: &'static str,
        prefix: &'static str,
        got: String,
    },
    #[error("expected a message id, which is a UUID of the sender's choice, got `{got}`")]
    NoUuid { got: String },
}

/// Prefix and name with its article of every kind, to name the wrong one.
const KINDS: &[(&str, &str)] = &[
    ("apr", "an approval"),
    ("blb", "a blob"),
    ("dev", "a device"),
    ("hld", "a holder"),
    ("prj", "a project"),
    ("rul", "a rule"),
    ("run", "a runner"),
    ("ses", "a session"),
];

fn refuse(expected: &'static str, prefix: &'static str, text: &str) -> IdError {
    let got: String = text.chars().take(80).collect();
    let other = text
        .split_once('_')
        .and_then(|(head, _)| KINDS.iter().find(|(kind, _)| *kind == head));
    match other {
        Some((kind, other)) if *kind != prefix => IdError::OtherKind {
            expected,
            prefix,
            other,
            got,
        },
        _ => IdError::Malformed {
            expected,
            prefix,
            got,
        },
    }
}

macro_rules! text_forms {
    ($name:ident, $pattern:literal) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::text::parsed(deserializer)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "pattern": $pattern})
            }
        }
    };
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $noun:literal, $pattern:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{}"), self.0.simple())
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                text.strip_prefix(concat!($prefix, "_"))
                    .filter(|rest| rest.len() == 32)
                    .and_then(|rest| Uuid::try_parse(rest).ok())
                    .map(Self)
                    .ok_or_else(|| refuse($noun, $prefix, text))
            }
        }

        text_forms!($name, $pattern);
    };
}

id_type!(
    /// One installation of Baton, made once and kept.
    RunnerId, "run", "a runner", "^run_[0-9a-f]{32}$"
);
id_type!(
    /// One conversation with an agent, over all its turns and processes.
    SessionId, "ses", "a session", "^ses_[0-9a-f]{32}$"
);
id_type!(
    /// One question the agent asked that a person must answer.
    ApprovalId, "apr", "an approval", "^apr_[0-9a-f]{32}$"
);
id_type!(
    /// One signed-in screen.
    DeviceId, "dev", "a device", "^dev_[0-9a-f]{32}$"
);
id_type!(
    /// One remembered permission rule.
    RuleId, "rul", "a rule", "^rul_[0-9a-f]{32}$"
);
id_type!(
    /// One holder process: one agent process of a session and its journal.
    HolderId, "hld", "a holder", "^hld_[0-9a-f]{32}$"
);
id_type!(
    /// One stored byte string that is too large for an event: an image, a long tool output.
    BlobId, "blb", "a blob", "^blb_[0-9a-f]{32}$"
);

/// A project: the first 16 hex digits of the SHA-256 of its canonical path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectId([u8; 8]);

impl ProjectId {
    pub const PREFIX: &'static str = "prj";

    /// Takes the digest of the canonical path; hashing is the caller's.
    pub const fn from_digest(digest: &[u8; 32]) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = *digest;
        Self([a, b, c, d, e, f, g, h])
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "prj_{:016x}", u64::from_be_bytes(self.0))
    }
}

impl FromStr for ProjectId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        text.strip_prefix("prj_")
            .filter(|rest| rest.len() == 16 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|rest| u64::from_str_radix(rest, 16).ok())
            .map(|value| Self(value.to_be_bytes()))
            .ok_or_else(|| refuse("a project", "prj", text))
    }
}

text_forms!(ProjectId, "^prj_[0-9a-f]{16}$");

/// A user message: the plain UUID its sender chose. The same id goes to the
/// agent, names the checkpoint and makes sending idempotent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(Uuid);

impl MessageId {
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid)
    }

    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.hyphenated())
    }
}

impl FromStr for MessageId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        Uuid::try_parse(text)
            .map(Self)
            .map_err(|_| IdError::NoUuid {
                got: text.chars().take(80).collect(),
            })
    }
}

text_forms!(
    MessageId,
    "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
);

#[cfg(test)]
#[path = "id_tests.rs"]
mod tests;
