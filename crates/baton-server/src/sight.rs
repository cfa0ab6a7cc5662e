//! What a reader is shown of texts: whoever only watches sees no credentials,
//! and nobody sees those that a session was made with.

mod live;

pub(crate) use live::LiveSight;

use std::borrow::Cow;

use baton_protocol::{
    mask,
    words::{AccessScope, Json},
};
use baton_store::StoredEvent;

/// How much a reader sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// All that is in the log.
    Whole,
    /// Texts that look like credentials are masked.
    Masked,
}

impl Sight {
    pub(crate) const fn of(scope: AccessScope) -> Self {
        match scope {
            AccessScope::Observe => Self::Masked,
            AccessScope::Operate | AccessScope::Admin => Self::Whole,
        }
    }

    /// An event of the log. What earlier versions logged of a session's options
    /// is masked for everybody.
    pub(crate) fn event(self, stored: &StoredEvent) -> Cow<'_, str> {
        let text = mask::event_text(&stored.text);
        match self {
            Self::Whole => text,
            Self::Masked => match mask::json(&text) {
                Cow::Borrowed(_) => text,
                Cow::Owned(masked) => Cow::Owned(masked),
            },
        }
    }

    /// What a command answers.
    pub(crate) fn answer(self, answer: Json) -> Json {
        match self {
            Self::Whole => answer,
            Self::Masked => match mask::json(answer.text()) {
                Cow::Borrowed(_) => answer,
                // It was JSON, so it is; if not, nothing is told.
                Cow::Owned(masked) => serde_json::value::RawValue::from_string(masked)
                    .map_or_else(|_| Json::null(), Json::from_raw),
            },
        }
    }

    /// Text of its own.
    pub(crate) fn text(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Whole => Cow::Borrowed(text),
            Self::Masked => mask::text(text),
        }
    }

    /// Bytes that are said to be text.
    pub(crate) fn bytes(self, bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Whole => bytes,
            Self::Masked => match mask::text(&String::from_utf8_lossy(&bytes)) {
                Cow::Borrowed(_) => bytes,
                Cow::Owned(masked) => masked.into_bytes(),
            },
        }
    }
}
