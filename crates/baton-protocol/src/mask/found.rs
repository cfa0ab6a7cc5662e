//! Secrets that were found, and what of that is told to who may see them.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words::SecretKind;

/// A secret shorter than this may be an ordinary word elsewhere.
const SHORT: usize = 6;
/// So much of what stands before a short one is told.
const BEFORE: usize = 12;
/// So many are told of one text at most.
const MOST: usize = 200;

/// Where in a text a secret is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) kind: SecretKind,
}

impl Found {
    pub(super) const fn password(range: Range<usize>) -> Self {
        let kind = SecretKind::Password;
        Self { range, kind }
    }

    pub(super) const fn token(range: Range<usize>) -> Self {
        let kind = SecretKind::Token;
        Self { range, kind }
    }

    pub(super) const fn key(range: Range<usize>) -> Self {
        let kind = SecretKind::PrivateKey;
        Self { range, kind }
    }
}

/// A text that looks like a credential, pointed out to whoever may see it, so
/// that a screen can cover it until it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Secret {
    /// One line of it.
    pub text: String,
    pub kind: SecretKind,
    /// What stands right before it, of a short one: elsewhere the same letters
    /// are no secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// Adds the secrets of one text to a list, each once.
pub(super) fn add(list: &mut Vec<Secret>, text: &str, found: &[Found]) {
    for Found { range, kind } in found {
        for line in text[range.clone()].lines().map(str::trim) {
            if line.is_empty() || list.len() >= MOST {
                continue;
            }
            let short = line.len() < SHORT;
            let secret = Secret {
                text: line.to_owned(),
                kind: *kind,
                before: short.then(|| before(&text[..range.start]).to_owned()),
            };
            if !list.contains(&secret) {
                list.push(secret);
            }
        }
    }
}

/// The end of a text.
fn before(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(BEFORE))..]
}
